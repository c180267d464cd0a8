import { VIDEO_WIRE } from "@/lib/row-status";
import { isFinal, type Task } from "../../../../answers/task";
import { type Json, readArray, readObject } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import { defined } from "../../../../wire/dialects/common/defined";
import { strictNames } from "../../../../wire/dialects/common/known-names";
import { readFlag, readModel } from "../../../../wire/dialects/common/request-fields";
import { geminiGenerateContent } from "../../../../wire/dialects/gemini-generate-content";
import type { PageContext, TaskWire } from "../../platform";
import { submissionOf } from "./openai-wire";
import { idAfter, onlyTask } from "./show-task";
import {
  firstOther,
  readCount,
  readPicture,
  readPrompt,
  readSeconds,
  readSeed,
  readText,
  readWord,
  refuseDearFields,
} from "./video-fields";
import { type Picture, usualSeconds, type VideoRequest, videoRequest } from "./video-request";

const SUBMIT = /^\/v1(?:beta\d*)?\/models\/([^/]+):predictLongRunning$/;
const FETCH = /^\/v1(?:beta\d*)?\/models\/[^/]+\/operations\/[\w-]+$/;
const FILE = /^\/v1(?:beta\d*)?\/files\/([a-f0-9]{1,256}):download$/;
const VIDEOS_MAX = 4;
const EXTRA = ["personGeneration", "enhancePrompt", "compressionQuality"];
const BODY = new Set(["instances", "parameters"]);
const INSTANCE = new Set(["prompt", "image", "lastFrame", "referenceImages"]);
const PARAMETERS = new Set([
  ...["aspectRatio", "durationSeconds", "resolution", "negativePrompt", "generateAudio", "seed", "sampleCount"],
  ...EXTRA,
]);

const { isArrayStream: _, ...google } = geminiGenerateContent.client;

/** Google's videos: an operation that is asked for until it is done. */
export const veoVideos: TaskWire<VideoRequest> = {
  id: VIDEO_WIRE,
  operation: "videos",
  clientDialect: {
    ...google,
    names: strictNames({
      fields: [
        ...[...BODY, ...INSTANCE, ...PARAMETERS],
        ...["storageUri", "video", "bytesBase64Encoded", "mimeType", "referenceType"],
      ],
      callers: ["metadata"],
    }),
    options: [],
    invalidRequestCode: "invalid_video_request",
    pathWithModel: (_path, model) => `/v1beta/models/${encodeURIComponent(model)}:predictLongRunning`,
  },
  submissions: [{ method: "POST", path: SUBMIT }],
  read: (json, { path }) => submissionOf(readVeoVideo(json, modelOf(path))),
  renderSubmitted: (task) => ({ name: nameOf(task) }),
  pages: [
    {
      kind: "rows",
      method: "GET",
      path: FETCH,
      wanted: idAfter(/^.*\/operations\//),
      render: (tasks, context) => renderOperation(onlyTask(tasks), context),
    },
    { kind: "file", method: "GET", path: FILE, taskId: ({ path }) => fromName(FILE.exec(path)?.[1] ?? "") },
  ],
};

function modelOf(path: string): string {
  try {
    return readModel(decodeURIComponent(SUBMIT.exec(path)?.[1] ?? ""));
  } catch {
    throw new InvalidRequest("the path must name a model", "model");
  }
}

function readVeoVideo(json: Json, model: string): VideoRequest {
  const instances = readArray(json.instances);
  if (instances.length !== 1) throw new InvalidRequest("instances must have one instance", "instances");
  const instance = readObject(instances[0]);
  const parameters = readObject(json.parameters);
  // Both would be read or written with the rights of the channel's account.
  const place = firstOther({ storageUri: parameters.storageUri, video: instance.video }, new Set());
  if (place !== null) throw new InvalidRequest(`${place} is not possible here`, place);
  refuseDearFields(json, BODY);
  refuseDearFields(instance, INSTANCE);
  refuseDearFields(parameters, PARAMETERS);
  const firstFrame = readBytes(instance.image, "image");
  return videoRequest({
    model,
    prompt: readPrompt(instance.prompt, firstFrame === null),
    negativePrompt: readText(parameters.negativePrompt, "negativePrompt"),
    seconds: readSeconds(parameters.durationSeconds, "durationSeconds") ?? usualSeconds(model),
    resolution: readWord(parameters.resolution, "resolution")?.toLowerCase() ?? null,
    aspectRatio: readWord(parameters.aspectRatio, "aspectRatio"),
    withSound: readFlag(parameters, "generateAudio") ?? null,
    seed: readSeed(parameters.seed),
    count: readCount(parameters.sampleCount, "sampleCount", VIDEOS_MAX),
    firstFrame,
    lastFrame: readBytes(instance.lastFrame, "lastFrame"),
    references: readArray(instance.referenceImages).flatMap((item) => readReference(item)),
    extra: Object.fromEntries(EXTRA.map((name) => [name, parameters[name]])),
    native: { format: "veo", json },
    ownField: firstOther(instance, INSTANCE) ?? firstOther(parameters, PARAMETERS),
  });
}

function readReference(item: unknown): Picture[] {
  const picture = readBytes(readObject(item).image, "referenceImages");
  return picture ? [picture] : [];
}

function readBytes(value: unknown, name: string): Picture | null {
  if (value === undefined || value === null) return null;
  const { bytesBase64Encoded: bytes, mimeType } = readObject(value);
  if (typeof bytes !== "string") throw new InvalidRequest(`${name} must have bytesBase64Encoded`, name);
  const picture = readPicture(bytes, name);
  if (picture?.type !== "base64") throw new InvalidRequest(`${name} must be base64`, name);
  return { ...picture, mediaType: readWordOfType(mimeType, name) };
}

function readWordOfType(value: unknown, name: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string" && /^image\/[a-z0-9.+-]{1,40}$/.test(value)) return value;
  throw new InvalidRequest(`the mimeType of ${name} must be that of a picture`, name);
}

function nameOf({ modelName, taskId }: Pick<Task, "modelName" | "taskId">): string {
  return `models/${encodeURIComponent(modelName)}/operations/${taskId}`;
}

/** Google's clients take names of files to have small letters and digits only. */
function toName(taskId: string): string {
  return Buffer.from(taskId).toString("hex");
}

function fromName(name: string): string {
  return Buffer.from(name, "hex").toString("latin1");
}

/** What went wrong within an operation has gRPC's number for "internal". */
const INTERNAL = 13;

function renderOperation(task: Task, { serverAddress }: PageContext): Json {
  const name = nameOf(task);
  if (!isFinal(task.status)) return { name };
  if (task.status === "FAILURE") return { name, done: true, error: { code: INTERNAL, message: task.failReason } };
  const files = `${serverAddress.replace(/\/+$/, "")}/v1beta/files`;
  const video = { uri: task.results[0] ?? `${files}/${toName(task.taskId)}:download?alt=media` };
  return defined({
    name,
    done: true,
    response: {
      "@type": "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
      generateVideoResponse: { generatedSamples: [{ video }] },
    },
  });
}
