import type { Drawing } from "./types";

/** A drawing task in the /api format; times in milliseconds (contract §1.12). */
export function toWireDrawing(task: Drawing) {
  return {
    id: task.id,
    code: task.code,
    user_id: task.userId,
    action: task.action,
    mj_id: task.mjId,
    prompt: task.prompt,
    prompt_en: task.promptEn,
    description: task.description,
    state: task.state,
    submit_time: task.submitTime,
    start_time: task.startTime,
    finish_time: task.finishTime,
    image_url: task.imageUrl,
    status: task.status,
    progress: task.progress,
    fail_reason: task.failReason,
    channel_id: task.channelId,
    quota: task.quota,
  };
}
