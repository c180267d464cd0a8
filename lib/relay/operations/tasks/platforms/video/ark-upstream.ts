import type { MeterUsage } from "@/lib/meters";
import type { Task, TaskState } from "../../../../answers/task";
import { type Json, readObject } from "../../../../wire/canonical/json";
import { defined } from "../../../../wire/dialects/common/defined";
import type { TaskUpstream } from "../../platform";
import { firstState, isAbout, noTask, readStateWord, readTaskId } from "../../upstream-words";
import { lengthOf } from "./ark-length";
import { readAddress } from "./read-answers";
import { pictureUrl } from "./video-fields";
import { askedOf, pick, reasonOf, refuseFields, stateFrom } from "./video-format";
import type { Picture, VideoRequest } from "./video-request";

export const ARK_TASKS = "/api/v3/contents/generations/tasks";
/** Fields by Ark's names that callers of other formats may give, none of which changes the price. */
const EXTRA = ["camera_fixed", "watermark", "return_last_frame"];

/** Seedance at Volcengine's Ark. */
export const arkUpstream: TaskUpstream<VideoRequest> = {
  id: "seedance",
  encode(request, { model }) {
    const isNative = request.native?.format === "ark";
    const body = isNative ? { ...request.native?.json, model } : translated(request, model);
    return { path: ARK_TASKS, body };
  },
  readSubmitted(json) {
    const upstreamId = readTaskId(json, json.id);
    if (upstreamId === null) throw noTask(json);
    return { upstreamId, code: 1, state: stateFrom(firstState(json.status)), json };
  },
  tellsUsage: true,
  pollMax: 1,
  poll: ([task]) => ({ method: "GET", path: `${ARK_TASKS}/${encodeURIComponent(task?.upstreamId ?? "")}` }),
  readPoll(json, [task]) {
    if (!task || !isAbout(json, task.upstreamId, json.status)) return null;
    return new Map([[task.upstreamId, stateOf(json, task)]]);
  },
};

function translated(request: VideoRequest, model: string): Json {
  refuseFields(request, ["negativePrompt", "mode", "count"]);
  const { prompt, seconds, resolution, aspectRatio, withSound, seed, firstFrame, lastFrame, references } = request;
  return defined({
    ...pick(request.extra, EXTRA),
    model,
    content: [
      ...(prompt === "" ? [] : [{ type: "text", text: prompt }]),
      ...pictures(firstFrame ? [firstFrame] : [], "first_frame"),
      ...pictures(lastFrame ? [lastFrame] : [], "last_frame"),
      ...pictures(references, "reference_image"),
    ],
    duration: seconds,
    resolution: resolution ?? undefined,
    ratio: aspectRatio ?? undefined,
    generate_audio: withSound ?? undefined,
    seed: seed ?? undefined,
  });
}

function pictures(given: readonly Picture[], role: string): Json[] {
  return given.map((picture) => ({ type: "image_url", image_url: { url: pictureUrl(picture) }, role }));
}

function stateOf(answer: Json, task: Task): TaskState {
  const word = stateFrom(readStateWord(answer.status));
  const { status } = word;
  const url = readAddress(readObject(answer.content).video_url);
  // A video without an address is not there yet.
  if (status === "SUCCESS" && !url) return { status: "IN_PROGRESS", data: answer };
  return {
    ...word,
    ...(status === "SUCCESS" && url ? { progress: "100%", results: [url], usage: reported(answer, task) } : {}),
    ...(status === "FAILURE" ? { failReason: reasonOf(readObject(answer.error).message, answer.status) } : {}),
    data: answer,
  };
}

const RESOLUTION = /^(\d{3,4}p|[48]k)$/;

/** Its length and resolution, which the model may have chosen itself. */
function reported(answer: Json, task: Task): MeterUsage[] | null {
  const { resolution } = answer;
  const asked = askedOf(task);
  const quantity = lengthOf(answer);
  if (quantity === null || !asked) return null;
  const parts = asked.variant?.split(":") ?? [];
  const rest = RESOLUTION.test(parts[0] ?? "") ? parts.slice(1) : parts;
  const made = typeof resolution === "string" && RESOLUTION.test(resolution) ? resolution : parts[0];
  const variant = [...(made === undefined ? [] : [made]), ...rest].join(":");
  return [{ meter: "second", quantity, ...(variant === "" ? {} : { variant }) }];
}
