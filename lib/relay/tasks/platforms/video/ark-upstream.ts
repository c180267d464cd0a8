import type { MeterUsage } from "@/lib/meters";
import { reportedRefusal, unreadableRefusal } from "../../../answers/refusal";
import { type Json, readObject } from "../../../canonical/json";
import { defined } from "../../../dialects/defined";
import type { TaskUpstream } from "../../platform";
import type { Task, TaskState } from "../../task";
import { lengthOf } from "./ark-length";
import { readAddress } from "./read-answers";
import { pictureUrl } from "./video-fields";
import { askedOf, pick, readState, reasonOf, refuseFields, type States } from "./video-format";
import type { Picture, VideoRequest } from "./video-request";

export const ARK_TASKS = "/api/v3/contents/generations/tasks";
/** Fields by Ark's names that callers of other formats may give, none of which changes the price. */
const EXTRA = ["camera_fixed", "watermark", "return_last_frame"];

const STATES: States = {
  queued: "QUEUED",
  pending: "QUEUED",
  running: "IN_PROGRESS",
  processing: "IN_PROGRESS",
  succeeded: "SUCCESS",
  failed: "FAILURE",
  cancelled: "FAILURE",
  expired: "FAILURE",
};

/** Seedance at Volcengine's Ark. */
export const arkUpstream: TaskUpstream<VideoRequest> = {
  id: "seedance",
  encode(request, { model }) {
    const isNative = request.native?.format === "ark";
    const body = isNative ? { ...request.native?.json, model } : translated(request, model);
    return { path: ARK_TASKS, body };
  },
  readSubmitted(json) {
    const { id } = json;
    if (typeof id === "string" && id !== "") return { upstreamId: id, code: 1, state: { status: "SUBMITTED" }, json };
    const text = JSON.stringify(json);
    throw json.error ? reportedRefusal(text) : unreadableRefusal(Buffer.from(text));
  },
  tellsUsage: true,
  pollMax: 1,
  poll: ([task]) => ({ method: "GET", path: `${ARK_TASKS}/${encodeURIComponent(task?.upstreamId ?? "")}` }),
  readPoll(json, [task]) {
    const state = task && stateOf(json, task);
    return state && json.id === task.upstreamId ? new Map([[task.upstreamId, state]]) : null;
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

function stateOf(answer: Json, task: Task): TaskState | null {
  const status = readState(STATES, answer.status);
  if (status === null) return null;
  const url = readAddress(readObject(answer.content).video_url);
  if (status === "SUCCESS" && !url) return null;
  return {
    status,
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
