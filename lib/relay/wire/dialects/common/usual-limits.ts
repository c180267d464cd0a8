import type { ChatRequest } from "../../canonical/request";
import { hasAudio, someMedia } from "../pictures/media-sources";
import type { Limit } from "./limit";
import { hasMedia } from "./text-only";

// What several upstreams' formats cannot express.

export const ONE_ANSWER: Limit<ChatRequest> = {
  field: "choices above 1",
  becomes: "refused",
  param: "n",
  note: "upstreams of this format give one answer",
  applies: ({ choices }) => (choices ?? 1) > 1,
};

export const NO_SOUND: Limit<ChatRequest> = {
  field: "audio",
  becomes: "refused",
  param: "messages",
  note: "upstreams of this format take text and pictures",
  applies: hasAudio,
};

export const ONLY_PLAIN_FILES: Limit<ChatRequest> = {
  field: "a file other than a document of plain text",
  becomes: "refused",
  param: "messages",
  note: "upstreams of this format take text and pictures",
  applies: (request) => someMedia(request, "file", ({ type }) => type !== "text"),
};

export const ONLY_INLINE_PICTURES: Limit<ChatRequest> = {
  field: "a picture that is not inline",
  becomes: "refused",
  param: "messages",
  note: "those at addresses are fetched before, where they are in messages of the user",
  applies: (request) => someMedia(request, "image", ({ type }) => type !== "base64"),
};

export const ONLY_TEXT: Limit<ChatRequest> = {
  field: "pictures, sound and files that are not text",
  becomes: "refused",
  param: "messages",
  note: "upstreams of this format take only text",
  applies: hasMedia,
};

export const NO_STOP: Limit<ChatRequest> = {
  field: "stop",
  becomes: "refused",
  param: "stop",
  note: "upstreams of this format cannot be told where to stop",
  applies: ({ stop }) => stop !== undefined && stop.length > 0,
};

export const NO_SCHEMA: Limit<ChatRequest> = {
  field: "responseFormat with a schema",
  becomes: "refused",
  param: "response_format",
  note: "upstreams of this format cannot be held to a schema",
  applies: ({ responseFormat }) => responseFormat?.type === "json-schema",
};

export const ONLY_NAMED_TOOL_FORCED: Limit<ChatRequest> = {
  field: "toolChoice required with several tools",
  becomes: "refused",
  param: "tool_choice",
  note: "this format can force only a tool by its name",
  applies: ({ tools = [], toolChoice }) => toolChoice?.type === "required" && tools.length > 1,
};
