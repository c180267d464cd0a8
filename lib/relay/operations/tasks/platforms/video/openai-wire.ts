import { VIDEO_WIRE } from "@/lib/row-status";
import type { Task } from "../../../../answers/task";
import { type Json, readObject } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import { knownNames } from "../../../../wire/dialects/common/known-names";
import { readModel } from "../../../../wire/dialects/common/request-fields";
import { openaiCaller } from "../../../documents/document-fields";
import type { Submission, TaskPageCall, TaskWire } from "../../platform";
import { idAfter, notesIn, onlyTask, percentOf, plainStatus, secondsOf, whenDone } from "./show-task";
import { firstOther, readPicture, readPrompt, readSeconds, readWord, refuseDearFields } from "./video-fields";
import { notesOf } from "./video-format";
import {
  aspectRatioOf,
  metersOf,
  type Picture,
  resolutionOf,
  sidesOf,
  usualSeconds,
  type VideoRequest,
  videoAction,
  videoRequest,
} from "./video-request";

const MODEL = "sora-2";
const KNOWN = new Set(["model", "prompt", "seconds", "size", "input_reference"]);
const names = knownNames({ fields: [...KNOWN, "image_url", "file_id"], callers: ["metadata"] });
const CONTENT = /^\/v1\/videos\/([\w-]+)\/content$/;
const LIST_MAX = 100;
const LIST_USUAL = 20;

/** OpenAI's videos. */
export const openaiVideos: TaskWire<VideoRequest> = {
  id: VIDEO_WIRE,
  operation: "videos",
  clientDialect: { ...openaiCaller("invalid_video_request"), names, options: [] },
  submissions: [{ method: "POST", path: "/v1/videos" }],
  takesForms: true,
  read: (json) => submissionOf(readOpenaiVideo(json)),
  renderSubmitted: renderVideo,
  pages: [
    {
      kind: "rows",
      method: "GET",
      path: /^\/v1\/videos\/[\w-]+$/,
      wanted: idAfter(/^\/v1\/videos\//),
      render: (tasks) => renderVideo(onlyTask(tasks)),
    },
    { kind: "file", method: "GET", path: CONTENT, taskId: ({ path }) => CONTENT.exec(path)?.[1] ?? "" },
    {
      kind: "rows",
      method: "GET",
      path: /^\/v1\/videos$/,
      wanted: readList,
      render: (tasks) => ({
        object: "list",
        data: tasks.map(renderVideo),
        first_id: tasks[0]?.taskId ?? null,
        last_id: tasks.at(-1)?.taskId ?? null,
        // The next page is asked for, and may be empty.
        has_more: tasks.length > 0,
      }),
    },
  ],
};

export function submissionOf(request: VideoRequest, action = videoAction(request)): Submission<VideoRequest> {
  const { model, prompt } = request;
  return { model, action, meters: metersOf(request), prompt, properties: notesOf(request), request };
}

function readOpenaiVideo(json: Json): VideoRequest {
  refuseDearFields(json, KNOWN);
  const model = json.model === undefined || json.model === null ? MODEL : readModel(json.model);
  const size = readWord(json.size, "size");
  const sides = size === null ? null : sidesOf(size);
  if (size !== null && !sides) throw new InvalidRequest("size must be a width and a height, such as 1280x720", "size");
  return videoRequest({
    model,
    prompt: readPrompt(json.prompt),
    seconds: readSeconds(json.seconds, "seconds") ?? usualSeconds(model),
    size,
    resolution: sides && resolutionOf(sides),
    aspectRatio: sides && aspectRatioOf(sides),
    firstFrame: readReference(json.input_reference),
    native: { format: "openai", json },
    ownField: firstOther(json, KNOWN),
  });
}

/** A picture, or an object that has it. A file of the channel's account could be anybody's. */
function readReference(value: unknown): Picture | null {
  if (typeof value === "string" || value === undefined || value === null) return readPicture(value, "input_reference");
  const { image_url: url, file_id: file } = readObject(value);
  if (file !== undefined) {
    throw new InvalidRequest("input_reference must be a picture or its URL, not the id of a file", "input_reference");
  }
  return readPicture(url ?? "none", "input_reference");
}

function readList({ query }: Pick<TaskPageCall, "query">): { latest: number; before?: string } {
  const given = new URLSearchParams(query);
  const limit = Number(given.get("limit") ?? LIST_USUAL);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIST_MAX) {
    throw new InvalidRequest(`limit must be a whole number from 1 to ${LIST_MAX}`, "limit");
  }
  if ((given.get("order") ?? "desc") !== "desc") throw new InvalidRequest("order must be desc", "order");
  const before = given.get("after");
  return { latest: limit, ...(before === null ? {} : { before }) };
}

const STATES = { queued: "queued", running: "in_progress", succeeded: "completed", failed: "failed" } as const;

export function renderVideo(task: Task): Json {
  const { seconds, size, resolution } = notesIn(task);
  const status = plainStatus(task);
  return {
    id: task.taskId,
    object: "video",
    model: task.modelName,
    status: STATES[status],
    progress: percentOf(task),
    created_at: secondsOf(task.submitTime),
    completed_at: status === "succeeded" ? whenDone(task) : null,
    expires_at: null,
    seconds: seconds === null ? "" : String(seconds),
    size: size ?? resolution ?? "",
    prompt: task.prompt === "" ? null : task.prompt,
    remixed_from_video_id: null,
    error: status === "failed" ? { code: "video_generation_failed", message: task.failReason } : null,
  };
}
