import type { MeterUsage } from "@/lib/meters";
import type { Task, TaskState } from "../../../../answers/task";
import { type Json, readArray, readObject } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import { defined } from "../../../../wire/dialects/common/defined";
import type { TaskUpstream } from "../../platform";
import { lostTask, noTask } from "../../upstream-words";
import { readAddress } from "./read-answers";
import { pictureType } from "./video-fields";
import { askedOf, pick, reasonOf, refuseFields } from "./video-format";
import type { Picture, VideoRequest } from "./video-request";

/** Fields by Google's names that callers of other formats may give, none of which changes the price. */
const EXTRA = ["personGeneration", "enhancePrompt", "compressionQuality"];
const OPERATION = /^models\/[\w.-]+\/operations\/[\w.-]+$/;
const VERTEX_OPERATION =
  /^(projects\/[\w.:-]+\/locations\/[\w-]+\/publishers\/google\/models\/[\w.-]+)\/operations\/[\w.-]+$/;

/** Whatever the host: it is asked at the channel's own, because the key goes with it. */
const FILE = /(\/v\w+\/files\/[\w-]+:download)(?:\?.*)?$/;

const encode: TaskUpstream<VideoRequest>["encode"] = (request, { model }) => {
  const isNative = request.native?.format === "veo";
  const body = isNative ? passed(request) : translated(request);
  return { path: `/v1beta/models/${encodeURIComponent(model)}:predictLongRunning`, body };
};

/** Veo at Google's Gemini API: the video is a file there, which only the same key can read. */
export const veoUpstream: TaskUpstream<VideoRequest> = {
  id: "veo",
  encode,
  readSubmitted: (json) => submitted(json, OPERATION),
  pollMax: 1,
  poll: ([task]) => ({ method: "GET", path: `/v1beta/${task?.upstreamId ?? ""}` }),
  readPoll: readOne,
  file({ data }) {
    const [uri] = readArray(readObject(data).uris);
    const [, path] = typeof uri === "string" ? (FILE.exec(uri) ?? []) : [];
    return path ? { at: "account", ask: { method: "GET", path: `${path}?alt=media` } } : null;
  },
};

/** Veo at Vertex AI: the video comes in the answer. */
export const vertexUpstream: TaskUpstream<VideoRequest> = {
  id: "vertex",
  encode,
  readSubmitted: (json) => submitted(json, VERTEX_OPERATION),
  pollMax: 1,
  poll: ([task]) => vertexAsk(task?.upstreamId ?? ""),
  readPoll: readOne,
  hasLongTexts: true,
  file: ({ upstreamId }) => ({
    at: "field",
    ask: vertexAsk(upstreamId),
    field: "bytesBase64Encoded",
    contentType: "video/mp4",
  }),
};

function vertexAsk(operationName: string): { method: "POST"; path: string; body: Json } {
  const [, resource = ""] = VERTEX_OPERATION.exec(operationName) ?? [];
  return { method: "POST", path: `/v1/${resource}:fetchPredictOperation`, body: { operationName } };
}

function submitted(json: Json, pattern: RegExp): ReturnType<TaskUpstream<VideoRequest>["readSubmitted"]> {
  const { name } = json;
  if (typeof name === "string" && pattern.test(name)) {
    return { upstreamId: name, code: 1, state: { status: "SUBMITTED" }, json };
  }
  // A name in another form cannot be polled, but the operation was started.
  throw typeof name === "string" && name !== "" ? lostTask() : noTask(json);
}

/** The caller's own fields, with what the charge is based on written out. */
function passed({ native, seconds, count }: VideoRequest): Json {
  const json = native?.json ?? {};
  const parameters = { ...readObject(json.parameters), durationSeconds: seconds };
  return { ...json, parameters: count > 1 ? { ...parameters, sampleCount: count } : parameters };
}

function translated(request: VideoRequest): Json {
  refuseFields(request, ["mode"]);
  const { prompt, firstFrame, lastFrame, references, seconds, resolution, aspectRatio, count, seed } = request;
  const instance = defined({
    prompt: prompt || undefined,
    image: firstFrame ? inline(firstFrame, "image") : undefined,
    lastFrame: lastFrame ? inline(lastFrame, "image_tail") : undefined,
    referenceImages:
      references.length > 0
        ? references.map((picture) => ({ image: inline(picture, "images"), referenceType: "asset" }))
        : undefined,
  });
  const parameters = defined({
    ...pick(request.extra, EXTRA),
    durationSeconds: seconds,
    resolution: resolution ?? undefined,
    aspectRatio: aspectRatio ?? undefined,
    negativePrompt: request.negativePrompt ?? undefined,
    generateAudio: request.withSound ?? undefined,
    seed: seed ?? undefined,
    sampleCount: count > 1 ? count : undefined,
  });
  return { instances: [instance], parameters };
}

function inline(picture: Picture, name: string): Json {
  if (picture.type === "url") {
    throw new InvalidRequest(`the model's upstream does not fetch pictures: send ${name} as base64`, name);
  }
  return { bytesBase64Encoded: picture.data, mimeType: pictureType(picture) };
}

function readOne(json: Json, [task]: readonly Task[]): ReadonlyMap<string, TaskState> | null {
  const state = task && json.name === task.upstreamId ? stateOf(json, task) : null;
  return state && task ? new Map([[task.upstreamId, state]]) : null;
}

function stateOf(answer: Json, task: Task): TaskState {
  if (answer.done !== true) return { status: "IN_PROGRESS", data: { name: answer.name } };
  const failed = (reason: string): TaskState => ({
    status: "FAILURE",
    failReason: reason,
    data: defined({ name: answer.name, done: true, error: answer.error }),
  });
  if (answer.error) return failed(reasonOf(readObject(answer.error).message, null));
  const { made, filtered, reasons } = resultsOf(answer);
  if (made.length === 0) return failed(reasonOf(reasons.join("; "), "the upstream made no video"));
  return {
    status: "SUCCESS",
    progress: "100%",
    usage: shareOf(askedOf(task), made.length, filtered),
    // Not the videos themselves, which Vertex AI sends in the answer.
    data: { name: answer.name, done: true, uris: made },
  };
}

type Results = { made: string[]; filtered: number; reasons: string[] };

/** The addresses of the videos; "" = it is in the answer itself. */
function resultsOf(answer: Json): Results {
  const response = readObject(answer.response);
  const given = readObject(response.generateVideoResponse);
  const samples = readArray(given.generatedSamples).map((sample) => readObject(readObject(sample).video));
  const videos = readArray(response.videos).map(readObject);
  const made = [
    ...samples.flatMap(({ uri }) => readAddress(uri) ?? []),
    ...videos.filter(({ bytesBase64Encoded: bytes }) => typeof bytes === "string" && bytes !== "").map(() => ""),
  ];
  const { raiMediaFilteredCount: count = response.raiMediaFilteredCount } = given;
  const words = [...readArray(given.raiMediaFilteredReasons), ...readArray(response.raiMediaFilteredReasons)];
  const reasons = words.filter((reason) => typeof reason === "string");
  return { made, filtered: typeof count === "number" && count > 0 ? count : 0, reasons };
}

/** Videos that were withheld are not billed. */
function shareOf(asked: MeterUsage | null, made: number, filtered: number): MeterUsage[] | null {
  if (!asked || filtered === 0) return null;
  return [{ ...asked, quantity: (asked.quantity * made) / (made + filtered) }];
}
