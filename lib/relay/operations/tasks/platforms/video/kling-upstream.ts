import { refusal } from "../../../../answers/refusal";
import type { TaskState } from "../../../../answers/task";
import { type Json, readArray, readObject } from "../../../../wire/canonical/json";
import { defined } from "../../../../wire/dialects/common/defined";
import type { TaskUpstream } from "../../platform";
import { firstState, isAbout, noTask, readStateWord, readTaskId, saysTaken } from "../../upstream-words";
import { readAddress } from "./read-answers";
import { pick, reasonOf, refuseFields, stateFrom } from "./video-format";
import { klingMode, type Picture, type VideoRequest, videoAction } from "./video-request";

const BASE = "/v1/videos";
/** Fields by Kling's names that callers of other formats may give, none of which changes the price. */
const EXTRA = ["cfg_scale", "camera_control", "static_mask", "dynamic_masks", "watermark_info"];

/** What its codes are about: the key, the account, the request, or how often it is asked. */
const STATUS_OF_CODE: readonly (readonly [from: number, to: number, status: number])[] = [
  [1000, 1004, 401],
  [1100, 1101, 401],
  [1102, 1102, 402],
  [1103, 1103, 403],
  [1200, 1202, 400],
  [1203, 1203, 404],
  [1300, 1301, 400],
  [1302, 1304, 429],
];

/** Kling's text2video and image2video. */
export const klingUpstream: TaskUpstream<VideoRequest> = {
  id: "kling",
  encode(request, { model }) {
    const isNative = request.native?.format === "kling";
    const body = isNative ? passed(request, model) : translated(request, model);
    return { path: `${BASE}/${videoAction(request)}`, body };
  },
  readSubmitted(json) {
    const upstreamId = readTaskId(json, readObject(json.data).task_id);
    if (upstreamId === null && !saysTaken(json)) refuseCode(json);
    if (upstreamId === null) throw noTask(json);
    return { upstreamId, code: 1, state: { ...stateFrom(firstState(wordOf(json))), data: json }, json };
  },
  pollMax: 1,
  poll: ([task]) => ({
    method: "GET",
    path: `${BASE}/${task?.action ?? ""}/${encodeURIComponent(task?.upstreamId ?? "")}`,
  }),
  readPoll(json, [task]) {
    if (!task || !isAbout(json, task.upstreamId, wordOf(json))) return null;
    return new Map([[task.upstreamId, stateOf(json)]]);
  },
};

function wordOf(answer: Json): unknown {
  const { task_status: own, status } = readObject(answer.data);
  return own ?? status ?? answer.task_status ?? answer.status;
}

/** An error may come with a good status. Throws AnswerRefused. */
function refuseCode(json: Json): void {
  const { code } = json;
  if (typeof code !== "number" || code === 0) return;
  const [, , status = 502] = STATUS_OF_CODE.find(([from, to]) => code >= from && code <= to) ?? [];
  throw refusal(status, Buffer.from(JSON.stringify(json)), undefined);
}

function passed({ native, seconds }: VideoRequest, model: string): Json {
  const { model: _, ...json } = native?.json ?? {};
  return { ...json, model_name: model, duration: String(seconds) };
}

function translated(request: VideoRequest, model: string): Json {
  refuseFields(request, ["references", "seed", "count"]);
  const { firstFrame, lastFrame, aspectRatio, withSound, seconds } = request;
  return defined({
    ...pick(request.extra, EXTRA),
    model_name: model,
    prompt: request.prompt || undefined,
    negative_prompt: request.negativePrompt ?? undefined,
    mode: request.mode ?? (request.resolution === null ? undefined : klingMode(request.resolution)),
    duration: String(seconds),
    sound: withSound === null ? undefined : withSound ? "on" : "off",
    // A video from a picture has the picture's shape.
    aspect_ratio: firstFrame || lastFrame ? undefined : (aspectRatio ?? undefined),
    image: firstFrame ? pictureOf(firstFrame) : undefined,
    image_tail: lastFrame ? pictureOf(lastFrame) : undefined,
  });
}

/** Its base64 has no head. */
function pictureOf(picture: Picture): string {
  return picture.type === "url" ? picture.url : picture.data;
}

/** It bills what was asked for; the duration that it tells is that of the file. */
function stateOf(answer: Json): TaskState {
  const data = readObject(answer.data);
  const word = stateFrom(readStateWord(wordOf(answer)));
  const { status } = word;
  const videos = readArray(readObject(data.task_result).videos).map(readObject);
  const results = videos.flatMap(({ url }) => readAddress(url) ?? []);
  // A video without an address is not there yet.
  if (status === "SUCCESS" && results.length === 0) return { status: "IN_PROGRESS", data: answer };
  return {
    ...word,
    ...(status === "SUCCESS" ? { progress: "100%", results, usage: null } : {}),
    ...(status === "FAILURE" ? { failReason: reasonOf(data.task_status_msg, answer.message) } : {}),
    data: answer,
  };
}
