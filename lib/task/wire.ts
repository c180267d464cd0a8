import type { Task } from "./types";

/** A task in the /api format; times in seconds (contract §1.12). */
export function toWireTask(task: Task) {
  return {
    id: task.id,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    task_id: task.taskId,
    platform: task.platform,
    user_id: task.userId,
    channel_id: task.channelId,
    quota: task.quota,
    action: task.action,
    status: task.status,
    fail_reason: task.failReason,
    submit_time: task.submitTime,
    start_time: task.startTime,
    finish_time: task.finishTime,
    progress: task.progress,
    data: task.data,
  };
}
