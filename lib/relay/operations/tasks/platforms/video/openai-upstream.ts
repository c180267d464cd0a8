import type { MeterUsage } from "@/lib/meters";
import type { Task, TaskState } from "../../../../answers/task";
import { type Json, readObject } from "../../../../wire/canonical/json";
import { defined } from "../../../../wire/dialects/common/defined";
import type { TaskUpstream } from "../../platform";
import { firstState, isAbout, noTask, readStateWord, readTaskId } from "../../upstream-words";
import { readWholeNumber } from "./read-answers";
import { pictureUrl } from "./video-fields";
import { formWith } from "./video-form";
import { askedOf, reasonOf, refuseFields, stateFrom } from "./video-format";
import { metersOf, resolutionOf, sidesOf, sizeOf, type VideoRequest } from "./video-request";

export const OPENAI_VIDEOS = "/v1/videos";

/** OpenAI's videos, as Sora had them and other services have them. */
export const openaiUpstream: TaskUpstream<VideoRequest> = {
  id: "sora",
  encode(request, { model }) {
    const isNative = request.native?.format === "openai";
    const body = isNative ? passed(request, model) : translated(request, model);
    const { firstFrame } = request;
    if (firstFrame?.type !== "base64") return { path: OPENAI_VIDEOS, body };
    // A picture in the body is a file for all services that have this format, and a field for few.
    return { path: OPENAI_VIDEOS, ...formWith({ ...body, input_reference: undefined }, "input_reference", firstFrame) };
  },
  readSubmitted(json) {
    const upstreamId = readTaskId(json, json.id);
    if (upstreamId === null) throw noTask(json);
    return { upstreamId, code: 1, state: { ...stateFrom(firstState(wordOf(json))), data: json }, json };
  },
  tellsUsage: true,
  pollMax: 1,
  poll: ([task]) => ({ method: "GET", path: `${OPENAI_VIDEOS}/${encodeURIComponent(task?.upstreamId ?? "")}` }),
  readPoll(json, [task]) {
    if (!task || !isAbout(json, task.upstreamId, wordOf(json))) return null;
    return new Map([[task.upstreamId, stateOf(json, task)]]);
  },
  file({ upstreamId }, { query }) {
    const variant = new URLSearchParams(query).get("variant") ?? "";
    const part = VARIANTS.has(variant) ? `?variant=${variant}` : "";
    return {
      at: "account",
      ask: { method: "GET", path: `${OPENAI_VIDEOS}/${encodeURIComponent(upstreamId)}/content${part}` },
    };
  },
};

const VARIANTS = new Set(["video", "thumbnail", "spritesheet"]);

/** The caller's own fields, with what the charge is based on written out. */
function passed({ native, seconds, firstFrame }: VideoRequest, model: string): Json {
  const reference = firstFrame ? { input_reference: { image_url: pictureUrl(firstFrame) } } : {};
  return { ...native?.json, ...reference, model, seconds: String(seconds) };
}

function translated(request: VideoRequest, model: string): Json {
  refuseFields(request, ["negativePrompt", "seed", "mode", "withSound", "lastFrame", "references", "count"]);
  const { prompt, seconds, firstFrame } = request;
  return defined({
    model,
    prompt,
    seconds: String(seconds),
    size: pixelsOf(request),
    input_reference: firstFrame ? { image_url: pictureUrl(firstFrame) } : undefined,
  });
}

function pixelsOf({ size, resolution, aspectRatio }: VideoRequest): string | undefined {
  if (size !== null) return size.replace("*", "x");
  if (resolution === null && aspectRatio === null) return undefined;
  return sizeOf(resolution ?? "720p", aspectRatio ?? "16:9") ?? undefined;
}

/** Services that copy the format may put the whole object into `data`. */
function wordOf({ status, data }: Json): unknown {
  return status ?? readObject(data).status;
}

function stateOf(answer: Json, task: Task): TaskState {
  const word = stateFrom(readStateWord(wordOf(answer)));
  const { status } = word;
  const progress = status === "SUCCESS" ? 100 : readWholeNumber(answer.progress, 99);
  return {
    ...word,
    ...(progress === null || status === "FAILURE" ? {} : { progress: `${progress}%` }),
    ...(status === "FAILURE" ? { failReason: reasonOf(readObject(answer.error).message, answer.status) } : {}),
    ...(status === "SUCCESS" ? { usage: reported(answer, task) } : {}),
    data: answer,
  };
}

/** The seconds that were made. The size decides the price only where it is told. */
function reported({ seconds, size }: Json, task: Task): MeterUsage[] | null {
  const made = Number(seconds);
  const asked = askedOf(task);
  if (!Number.isFinite(made) || made <= 0 || !asked) return null;
  const sides = typeof size === "string" ? sidesOf(size) : null;
  if (!sides) return [{ ...asked, quantity: made }];
  const plain = { model: task.modelName, count: 1, mode: null, withSound: null, surcharge: null };
  return metersOf({ ...plain, seconds: made, resolution: resolutionOf(sides) });
}
