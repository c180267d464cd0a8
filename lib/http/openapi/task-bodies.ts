import type { JsonSchema } from "./types";

const text: JsonSchema = { type: "string" };
const picture: JsonSchema = { type: "string", description: "data URL" };
const pictures: JsonSchema = { type: "array", items: picture };
const common: Record<string, JsonSchema> = { state: text, botType: text, notifyHook: text };

function bodyOf(required: readonly string[], properties: Record<string, JsonSchema>): JsonSchema {
  return {
    type: "object",
    required: [...required],
    properties: { ...properties, ...common },
    additionalProperties: true,
  };
}

const taskId = { taskId: text };
const index: JsonSchema = { type: "integer", minimum: 1, maximum: 4 };
const ids: JsonSchema = { type: "array", items: text, maxItems: 500 };
const listBody: JsonSchema = { type: "object", required: ["ids"], properties: { ids } };

const DRAWINGS: Readonly<Record<string, JsonSchema>> = {
  "submit/imagine": bodyOf(["prompt"], { prompt: text, base64Array: pictures }),
  "submit/change": bodyOf(["taskId", "action"], {
    ...taskId,
    action: { type: "string", enum: ["UPSCALE", "VARIATION", "REROLL"] },
    index,
  }),
  "submit/simple-change": bodyOf(["content"], { content: { type: "string", examples: ["aTaskId U2"] } }),
  "submit/describe": bodyOf(["base64"], { base64: picture }),
  "submit/blend": bodyOf(["base64Array"], { base64Array: pictures, dimensions: text }),
  "submit/shorten": bodyOf(["prompt"], { prompt: text }),
  "submit/action": bodyOf(["taskId", "customId"], { ...taskId, customId: text }),
  "submit/modal": bodyOf(["taskId"], { ...taskId, prompt: text, maskBase64: text }),
  "submit/upload-discord-images": bodyOf(["base64Array"], { base64Array: pictures }),
  "insight-face/swap": bodyOf(["sourceBase64", "targetBase64"], { sourceBase64: picture, targetBase64: picture }),
};

const songBody: JsonSchema = {
  type: "object",
  properties: {
    prompt: text,
    gpt_description_prompt: text,
    title: text,
    tags: text,
    mv: { type: "string", default: "chirp-v3-0" },
    make_instrumental: { type: "boolean" },
    task_id: text,
    continue_clip_id: text,
    continue_at: { type: "number" },
  },
  additionalProperties: true,
};
const lyricsBody: JsonSchema = { type: "object", required: ["prompt"], properties: { prompt: text } };

type TaskEndpoint = { method: "GET" | "POST"; path: string; body?: JsonSchema; reply: string };

/** Where tasks are submitted and asked for; lib/relay/operations/tasks. */
export const TASK_ENDPOINTS: readonly TaskEndpoint[] = [
  ...Object.entries(DRAWINGS).map(
    ([path, body]): TaskEndpoint => ({ method: "POST", path: `/mj/${path}`, body, reply: "DrawingSubmitted" }),
  ),
  { method: "GET", path: "/mj/task/{id}/fetch", reply: "DrawingTask" },
  { method: "GET", path: "/mj/task/{id}/image-seed", reply: "DrawingSubmitted" },
  { method: "POST", path: "/mj/task/list-by-condition", body: listBody, reply: "DrawingTasks" },
  { method: "POST", path: "/suno/submit/music", body: songBody, reply: "MusicSubmitted" },
  { method: "POST", path: "/suno/submit/lyrics", body: lyricsBody, reply: "MusicSubmitted" },
  { method: "POST", path: "/suno/fetch", body: listBody, reply: "MusicTasks" },
  { method: "GET", path: "/suno/fetch/{id}", reply: "MusicTask" },
];

const drawing: JsonSchema = {
  type: "object",
  required: ["id", "status"],
  properties: {
    id: text,
    action: text,
    prompt: text,
    promptEn: text,
    status: { type: "string", enum: ["", "NOT_START", "SUBMITTED", "IN_PROGRESS", "MODAL", "SUCCESS", "FAILURE"] },
    progress: text,
    failReason: text,
    imageUrl: text,
    submitTime: { type: "integer" },
    startTime: { type: "integer" },
    finishTime: { type: "integer" },
    buttons: { type: "array", items: { type: "object" } },
  },
  additionalProperties: true,
};
const code: JsonSchema = { type: "string", const: "success" };
const answer = (data: JsonSchema): JsonSchema => ({
  type: "object",
  required: ["code", "data"],
  properties: { code, message: text, data },
});
const song: JsonSchema = { type: "object", required: ["task_id", "status"], additionalProperties: true };

export const TASK_REPLIES: Readonly<Record<string, JsonSchema>> = {
  DrawingSubmitted: {
    type: "object",
    required: ["code"],
    properties: { code: { type: "integer" }, description: text, result: {}, properties: { type: "object" } },
    additionalProperties: true,
  },
  DrawingTask: drawing,
  DrawingTasks: { type: "array", items: { $ref: "#/components/schemas/DrawingTask" } },
  MusicSubmitted: answer(text),
  MusicTask: answer(song),
  MusicTasks: answer({ type: "array", items: song }),
};
