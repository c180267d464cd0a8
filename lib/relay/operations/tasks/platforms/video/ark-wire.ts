import { VIDEO_WIRE } from "@/lib/row-status";
import type { Task } from "../../../../answers/task";
import { type Json, readArray, readObject } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import { defined } from "../../../../wire/dialects/common/defined";
import { knownNames } from "../../../../wire/dialects/common/known-names";
import { readFlag, readModel } from "../../../../wire/dialects/common/request-fields";
import { openaiCaller } from "../../../documents/document-fields";
import type { PageContext, TaskWire } from "../../platform";
import { agreed, commandIn, readLength } from "./ark-length";
import { ARK_TASKS } from "./ark-upstream";
import { submissionOf } from "./openai-wire";
import { idAfter, notesIn, onlyTask, plainStatus, secondsOf, videoUrl } from "./show-task";
import { firstOther, readPicture, readPrompt, readSeed, readWord, refuseDearFields } from "./video-fields";
import { type Picture, type VideoRequest, videoRequest } from "./video-request";

const EXTRA = ["camera_fixed", "watermark", "return_last_frame"];
const KNOWN = new Set([...["model", "content", "resolution", "ratio", "duration", "seed", "generate_audio", ...EXTRA]]);
/** Frames are read, but no other format has them. */
const SEEN = new Set([...KNOWN, "frames"]);
const names = knownNames({
  fields: [...SEEN, "callback_url", "type", "text", "image_url", "url", "role"],
  callers: ["metadata"],
});
const PICTURES_MAX = 16;
const FETCH = /^\/api\/v3\/contents\/generations\/tasks\/[\w-]+$/;

/** Seedance, as Volcengine's Ark has it. */
export const arkVideos: TaskWire<VideoRequest> = {
  id: VIDEO_WIRE,
  operation: "videos",
  clientDialect: { ...openaiCaller("InvalidParameter"), names, options: [] },
  submissions: [{ method: "POST", path: ARK_TASKS }],
  read: (json) => submissionOf(readArkVideo(json)),
  renderSubmitted: ({ taskId }) => ({ id: taskId }),
  pages: [
    {
      kind: "rows",
      method: "GET",
      path: FETCH,
      wanted: idAfter(/^\/api\/v3\/contents\/generations\/tasks\//),
      render: (tasks, context) => renderTask(onlyTask(tasks), context),
    },
  ],
};

function readArkVideo(json: Json): VideoRequest {
  if (firstOther({ callback_url: json.callback_url }, new Set())) {
    throw new InvalidRequest("callback_url is not possible here: ask for the task by its id", "callback_url");
  }
  refuseDearFields(json, SEEN);
  const model = readModel(json.model);
  const { text, pictures } = readContent(json.content);
  const length = readLength(json, text, model);
  const resolution = readWord(json.resolution, "resolution")?.toLowerCase() ?? null;
  return videoRequest({
    model,
    prompt: readPrompt(text, pictures.length === 0),
    seconds: length.seconds,
    resolution: agreed(resolution, readWord(commandIn(text, "resolution", "rs"), "resolution"), "resolution"),
    aspectRatio: readWord(json.ratio ?? commandIn(text, "ratio", "rt"), "ratio"),
    withSound: readFlag(json, "generate_audio") ?? null,
    seed: readSeed(json.seed),
    firstFrame: pictures.find(({ role }) => role === "" || role === "first_frame")?.picture ?? null,
    lastFrame: pictures.find(({ role }) => role === "last_frame")?.picture ?? null,
    references: pictures.filter(({ role }) => role === "reference_image").map(({ picture }) => picture),
    extra: Object.fromEntries(EXTRA.map((name) => [name, json[name]])),
    native: { format: "ark", json: length.json },
    ownField: firstOther(json, KNOWN),
  });
}

type Content = { text: string; pictures: { role: string; picture: Picture }[] };

/** Videos and sounds that are read are billed at rates that the price list does not have. */
function readContent(value: unknown): Content {
  const items = readArray(value).map(readObject);
  if (items.length === 0) throw new InvalidRequest("content must be a list with a text or a picture", "content");
  const content: Content = { text: "", pictures: [] };
  for (const { type, text, image_url: image, role } of items) {
    if (type === "text") content.text += typeof text === "string" ? text : "";
    else if (type === "image_url") {
      const picture = readPicture(readObject(image).url ?? "none", "content");
      if (picture) content.pictures.push({ role: typeof role === "string" ? role : "", picture });
    } else throw new InvalidRequest("content can have texts and pictures only", "content");
  }
  if (content.pictures.length > PICTURES_MAX) {
    throw new InvalidRequest(`content can have no more than ${PICTURES_MAX} pictures`, "content");
  }
  return content;
}

const STATES = { queued: "queued", running: "running", succeeded: "succeeded", failed: "failed" } as const;
/** What the provider tells of a video that says nothing of the account. */
const TOLD = ["usage", "seed", "resolution", "ratio", "duration", "frames", "framespersecond"];

function renderTask(task: Task, context: PageContext): Json {
  const { seconds, resolution, aspectRatio } = notesIn(task);
  const status = STATES[plainStatus(task)];
  const url = videoUrl(task, context);
  const data = readObject(task.data);
  const told = Object.fromEntries(TOLD.flatMap((name) => (data[name] === undefined ? [] : [[name, data[name]]])));
  return defined({
    id: task.taskId,
    model: task.modelName,
    status,
    error: status === "failed" ? { code: "VideoGenerationFailed", message: task.failReason } : undefined,
    content: url ? { video_url: url } : undefined,
    duration: seconds ?? undefined,
    resolution: resolution ?? undefined,
    ratio: aspectRatio ?? undefined,
    ...told,
    created_at: secondsOf(task.submitTime),
    updated_at: secondsOf(task.finishTime || task.startTime || task.submitTime),
  });
}
