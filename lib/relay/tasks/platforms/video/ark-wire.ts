import { type Json, readArray, readObject } from "../../../canonical/json";
import { InvalidRequest } from "../../../canonical/wire-error";
import { defined } from "../../../dialects/defined";
import { readFlag, readModel } from "../../../dialects/request-fields";
import { openaiCaller } from "../../../operations/documents/document-fields";
import type { PageContext, TaskWire } from "../../platform";
import type { Task } from "../../task";
import { ARK_TASKS } from "./ark-upstream";
import { submissionOf } from "./openai-wire";
import { idAfter, notesIn, onlyTask, plainStatus, secondsOf, VIDEO_WIRE, videoUrl } from "./show-task";
import { firstOther, readPicture, readPrompt, readSeconds, readSeed, readWord } from "./video-fields";
import { type Picture, usualSeconds, type VideoRequest, videoRequest } from "./video-request";

const EXTRA = ["camera_fixed", "watermark", "return_last_frame"];
const KNOWN = new Set([...["model", "content", "resolution", "ratio", "duration", "seed", "generate_audio", ...EXTRA]]);
const PICTURES_MAX = 16;
const FETCH = /^\/api\/v3\/contents\/generations\/tasks\/[\w-]+$/;

/** Seedance, as Volcengine's Ark has it. */
export const arkVideos: TaskWire<VideoRequest> = {
  id: VIDEO_WIRE,
  operation: "videos",
  caller: { ...openaiCaller("InvalidParameter"), options: [] },
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
  const model = readModel(json.model);
  const { text, pictures } = readContent(json.content);
  const command = commandsIn(text);
  const seconds = readSeconds(json.duration, "duration") ?? readSeconds(command("duration", "dur"), "duration");
  return videoRequest({
    model,
    prompt: readPrompt(text, pictures.length === 0),
    seconds: seconds ?? framesAsSeconds(json.frames) ?? usualSeconds(model),
    resolution: readWord(json.resolution ?? command("resolution", "rs"), "resolution"),
    aspectRatio: readWord(json.ratio ?? command("ratio", "rt"), "ratio"),
    withSound: readFlag(json, "generate_audio") ?? null,
    seed: readSeed(json.seed),
    firstFrame: pictures.find(({ role }) => role === "" || role === "first_frame")?.picture ?? null,
    lastFrame: pictures.find(({ role }) => role === "last_frame")?.picture ?? null,
    references: pictures.filter(({ role }) => role === "reference_image").map(({ picture }) => picture),
    extra: Object.fromEntries(EXTRA.map((name) => [name, json[name]])),
    native: { format: "ark", json: withSeconds(json, seconds ?? usualSeconds(model)) },
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

/** Options that older requests write into the text: `--duration 5`, or `--dur 5`. */
function commandsIn(text: string): (...names: string[]) => string | undefined {
  return (...names) => new RegExp(`--(?:${names.join("|")})\\s+(\\S{1,20})`).exec(text)?.[1];
}

const FRAMES_PER_SECOND = 24;

function framesAsSeconds(value: unknown): number | null {
  return typeof value === "number" && value > 0 ? Math.ceil(value / FRAMES_PER_SECOND) : null;
}

/** The length that is charged is the one that is asked for. A text that names it, or frames, do so already. */
function withSeconds(json: Json, seconds: number): Json {
  const text = readArray(json.content)
    .map(readObject)
    .find(({ type }) => type === "text")?.text;
  const isNamed = json.frames !== undefined || (typeof text === "string" && commandsIn(text)("duration", "dur"));
  return isNamed && json.duration === undefined ? json : { ...json, duration: seconds };
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
