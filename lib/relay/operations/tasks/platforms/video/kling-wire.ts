import { VIDEO_WIRE } from "@/lib/row-status";
import type { Task } from "../../../../answers/task";
import { type Json, readArray } from "../../../../wire/canonical/json";
import { InvalidRequest, withRequestId } from "../../../../wire/canonical/wire-error";
import { defined } from "../../../../wire/dialects/common/defined";
import { knownNames } from "../../../../wire/dialects/common/known-names";
import { readModel } from "../../../../wire/dialects/common/request-fields";
import { openaiCaller } from "../../../documents/document-fields";
import type { PageContext, TaskWire } from "../../platform";
import { submissionOf } from "./openai-wire";
import { idAfter, notesIn, onlyTask, plainStatus, videoUrl } from "./show-task";
import { firstOther, readPicture, readPrompt, readSeconds, readText, readWord, refuseDearFields } from "./video-fields";
import { usualSeconds, type VideoRequest, videoRequest } from "./video-request";

const MODEL = "kling-v1";
const EXTRA = ["cfg_scale", "camera_control", "static_mask", "dynamic_masks", "watermark_info"];
const KNOWN = new Set([
  ...["model_name", "model", "prompt", "negative_prompt", "mode", "sound", "duration", "aspect_ratio"],
  ...["image", "image_tail", ...EXTRA],
]);
const SUBMIT = /^\/kling\/v1\/videos\/(text2video|image2video)$/;
const FETCH = /^\/kling\/v1\/videos\/(?:text2video|image2video)\/[\w-]+$/;

const openai = openaiCaller("invalid_video_request");

/** Its codes for what a request can be refused for, by status. */
const CODES: Readonly<Record<number, number>> = { 400: 1201, 401: 1000, 403: 1103, 404: 1203, 429: 1302 };

/** Its code for an account that has nothing left. */
const NO_RESOURCES = 1_102;

/** Kling's text2video and image2video, under /kling. */
export const klingVideos: TaskWire<VideoRequest> = {
  id: VIDEO_WIRE,
  operation: "videos",
  clientDialect: {
    ...openai,
    names: knownNames({
      fields: [...KNOWN, "callback_url", "external_task_id", "voice_list", "multi_prompt"],
      callers: ["metadata"],
    }),
    options: [],
    renderError: ({ message, type }, status, requestId) => ({
      code: type === "insufficient_quota" ? NO_RESOURCES : (CODES[status] ?? (status >= 500 ? 5000 : 1200)),
      message: withRequestId(message, requestId),
      request_id: requestId,
    }),
  },
  submissions: [{ method: "POST", path: SUBMIT }],
  read: (json, { path }) => {
    const action = SUBMIT.exec(path)?.[1] ?? "text2video";
    return submissionOf(readKlingVideo(json, action), action);
  },
  renderSubmitted: (task) => envelope(task, task.taskId),
  pages: [
    {
      kind: "rows",
      method: "GET",
      path: FETCH,
      wanted: idAfter(/^\/kling\/v1\/videos\/\w+\//),
      render: (tasks, context) => envelope(onlyTask(tasks), context.requestId, context),
    },
  ],
};

function readKlingVideo(json: Json, action: string): VideoRequest {
  for (const name of ["callback_url", "external_task_id"]) {
    if (firstOther({ [name]: json[name] }, new Set())) {
      throw new InvalidRequest(`${name} is not possible here: ask for the task by its task_id`, name);
    }
  }
  refuseDearFields(json, KNOWN);
  const named = json.model_name ?? json.model;
  const model = named === undefined || named === null || named === "" ? MODEL : readModel(named);
  const isFromPicture = action === "image2video";
  const firstFrame = isFromPicture ? readPicture(json.image, "image") : null;
  const lastFrame = isFromPicture ? readPicture(json.image_tail, "image_tail") : null;
  if (isFromPicture && !firstFrame && !lastFrame) throw new InvalidRequest("image must be a picture", "image");
  const hasVoices = readArray(json.voice_list).length > 0;
  return videoRequest({
    model,
    prompt: readPrompt(json.prompt, !isFromPicture && readArray(json.multi_prompt).length === 0),
    negativePrompt: readText(json.negative_prompt, "negative_prompt"),
    seconds: readSeconds(json.duration, "duration") ?? usualSeconds(model),
    aspectRatio: readWord(json.aspect_ratio, "aspect_ratio"),
    mode: readWord(json.mode, "mode")?.toLowerCase() ?? null,
    withSound: readSound(json.sound) ?? (hasVoices || null),
    // Voices that are chosen cost more than those that are not.
    surcharge: hasVoices ? "voice" : null,
    firstFrame,
    lastFrame,
    extra: Object.fromEntries(EXTRA.map((name) => [name, json[name]])),
    native: { format: "kling", json },
    ownField: firstOther(json, KNOWN),
  });
}

function readSound(value: unknown): boolean | null {
  if (value === undefined || value === null || value === "") return null;
  if (value === "on" || value === "off") return value === "on";
  throw new InvalidRequest("sound must be on or off", "sound");
}

const STATES = { queued: "submitted", running: "processing", succeeded: "succeed", failed: "failed" } as const;

function envelope(task: Task, requestId: string, context?: PageContext): Json {
  const url = context ? videoUrl(task, context) : null;
  const { seconds } = notesIn(task);
  const updated = task.finishTime || task.startTime || task.submitTime;
  const data = defined({
    task_id: task.taskId,
    task_status: STATES[plainStatus(task)],
    task_status_msg: task.failReason || undefined,
    task_info: {},
    created_at: task.submitTime,
    updated_at: updated,
    task_result: url ? { videos: [{ id: task.taskId, url, duration: String(seconds ?? "") }] } : undefined,
  });
  return { code: 0, message: "SUCCEED", request_id: requestId, data };
}
