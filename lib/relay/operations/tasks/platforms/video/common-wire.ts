import { VIDEO_WIRE } from "@/lib/row-status";
import type { Task } from "../../../../answers/task";
import { type Json, readObject } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import { defined } from "../../../../wire/dialects/common/defined";
import { knownNames } from "../../../../wire/dialects/common/known-names";
import { readLimit, readModel } from "../../../../wire/dialects/common/request-fields";
import { openaiCaller } from "../../../documents/document-fields";
import type { PageContext, TaskWire } from "../../platform";
import { submissionOf } from "./openai-wire";
import { idAfter, notesIn, onlyTask, percentOf, plainStatus, secondsOf, videoUrl } from "./show-task";
import {
  firstOther,
  readCount,
  readPicture,
  readPictures,
  readPrompt,
  readSeconds,
  readSeed,
  readText,
  readWord,
} from "./video-fields";
import { aspectRatioOf, resolutionOf, sidesOf, usualSeconds, type VideoRequest, videoRequest } from "./video-request";

const PATH = "/v1/video/generations";
const SIDE_MAX = 8_192;
const PICTURES_MAX = 8;
const VIDEOS_MAX = 4;
const KNOWN = new Set([
  ...["model", "prompt", "image", "images", "input_reference", "duration", "seconds", "size", "width", "height"],
  ...["seed", "n", "mode", "response_format", "user", "metadata"],
]);

const names = knownNames({
  fields: [
    ...KNOWN,
    ...["durationSeconds", "resolution", "aspect_ratio", "ratio", "aspectRatio", "negative_prompt", "negativePrompt"],
    ...["sound", "generate_audio", "generateAudio", "sampleCount", "image_tail", "last_frame", "lastFrame"],
  ],
});

/** The shape that all makers of videos can be asked in. */
export const commonVideos: TaskWire<VideoRequest> = {
  id: VIDEO_WIRE,
  operation: "videos",
  clientDialect: { ...openaiCaller("invalid_video_request"), names, options: [] },
  submissions: [{ method: "POST", path: PATH }],
  read: (json) => submissionOf(readCommonVideo(json)),
  renderSubmitted: (task) => ({ id: task.taskId, task_id: task.taskId, object: "video", status: "queued" }),
  pages: [
    {
      kind: "rows",
      method: "GET",
      path: /^\/v1\/video\/generations\/[\w-]+$/,
      wanted: idAfter(/^\/v1\/video\/generations\//),
      render: (tasks, context) => renderTask(onlyTask(tasks), context),
    },
  ],
};

/** By the names that each maker has for it; the first that is given counts. */
function given(metadata: Json, ...names: string[]): unknown {
  return names.map((name) => metadata[name]).find((value) => value !== undefined && value !== null);
}

function readCommonVideo(json: Json): VideoRequest {
  const model = readModel(json.model);
  const { metadata: rest } = json;
  const metadata = readObject(rest);
  if (rest !== undefined && rest !== null && rest !== metadata) {
    throw new InvalidRequest("metadata must be an object", "metadata");
  }
  if ((json.response_format ?? "url") !== "url") {
    throw new InvalidRequest("response_format must be url", "response_format");
  }
  const { size, sides } = readSides(json);
  const [first = null, ...references] = [
    ...readPictures(json.image, "image", PICTURES_MAX),
    ...readPictures(json.input_reference, "input_reference", PICTURES_MAX),
    ...readPictures(json.images, "images", PICTURES_MAX),
  ];
  const seconds =
    readSeconds(json.duration, "duration") ??
    readSeconds(json.seconds, "seconds") ??
    readSeconds(given(metadata, "duration", "durationSeconds", "seconds"), "metadata.duration");
  const resolution = readWord(metadata.resolution, "metadata.resolution")?.toLowerCase() ?? null;
  const ratio = readWord(given(metadata, "aspect_ratio", "ratio", "aspectRatio"), "metadata.aspect_ratio");
  // Where both are given, the resolution is what is charged.
  const isOfSize = resolution === null || (sides !== null && resolution === resolutionOf(sides));
  return videoRequest({
    model,
    prompt: readPrompt(json.prompt, first === null),
    negativePrompt: readText(given(metadata, "negative_prompt", "negativePrompt"), "metadata.negative_prompt"),
    seconds: seconds ?? usualSeconds(model),
    size: isOfSize ? size : null,
    resolution: resolution ?? (sides && resolutionOf(sides)),
    aspectRatio: ratio ?? (sides && aspectRatioOf(sides)),
    mode: readWord(json.mode ?? metadata.mode, "mode")?.toLowerCase() ?? null,
    withSound: readSound(given(metadata, "sound", "generate_audio", "generateAudio")),
    seed: readSeed(json.seed ?? metadata.seed),
    count: readCount(json.n ?? given(metadata, "n", "sampleCount"), "n", VIDEOS_MAX),
    firstFrame: first,
    lastFrame: readPicture(given(metadata, "image_tail", "last_frame", "lastFrame"), "metadata.image_tail"),
    references,
    extra: metadata,
    ownField: firstOther(json, KNOWN),
  });
}

/** The size as a text, or as a width and a height. */
function readSides(json: Json): { size: string | null; sides: { width: number; height: number } | null } {
  const width = readLimit(json, "width", 1, SIDE_MAX);
  const height = readLimit(json, "height", 1, SIDE_MAX);
  if ((width === null) !== (height === null)) throw new InvalidRequest("width and height belong together", "width");
  const size = width === null ? readWord(json.size, "size") : `${width}x${height}`;
  const sides = size === null ? null : sidesOf(size);
  if (size !== null && !sides) throw new InvalidRequest("size must be a width and a height, such as 1280x720", "size");
  return { size, sides };
}

function readSound(value: unknown): boolean | null {
  if (value === undefined) return null;
  if (value === true || value === "on") return true;
  if (value === false || value === "off") return false;
  throw new InvalidRequest("metadata.sound must be true or false", "metadata.sound");
}

const STATES = { queued: "queued", running: "in_progress", succeeded: "completed", failed: "failed" } as const;

/** With the same beside it as older callers of this shape read it, in `data`. */
function renderTask(task: Task, context: PageContext): Json {
  const { seconds, size } = notesIn(task);
  const sides = size === null ? null : sidesOf(size);
  const status = plainStatus(task);
  const url = videoUrl(task, context);
  const times = { submit_time: task.submitTime, start_time: task.startTime, finish_time: task.finishTime };
  return defined({
    code: "success",
    message: "",
    id: task.taskId,
    task_id: task.taskId,
    object: "video",
    model: task.modelName,
    status: STATES[status],
    progress: percentOf(task),
    created_at: secondsOf(task.submitTime),
    url: url ?? undefined,
    format: url ? "mp4" : undefined,
    metadata: url ? defined({ duration: seconds ?? undefined, ...sides }) : undefined,
    error: status === "failed" ? { code: 500, message: task.failReason } : undefined,
    data: {
      task_id: task.taskId,
      status: task.status || "NOT_START",
      progress: `${percentOf(task)}%`,
      fail_reason: task.failReason,
      result_url: url ?? "",
      ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, secondsOf(ms)])),
    },
  });
}
