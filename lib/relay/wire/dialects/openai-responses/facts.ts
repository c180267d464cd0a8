import { type Json, readList, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { type HostedCalls, hiddenContent, NO_CALLS } from "../common/hidden-content";
import { isGiven } from "../common/option-rule";
import {
  addAudio,
  addImageUrl,
  addMedia,
  noAttachments,
  readFlag,
  readLimit,
  readModel,
  readStream,
  TOKENS_MAX,
} from "../common/request-fields";
import type { Attachments, RequestFacts } from "../dialect";
import { addDocument } from "../openai-chat/facts";
import { addPicturesIn } from "../pictures/pictures-in-history";
import { isReference, itemParts, itemsOf } from "./items";
import { allTools } from "./tools";

/** Fields that name a part of the conversation which only the upstream has. */
const STORED_KEYS = ["previous_response_id", "conversation", "prompt"];
/** Tools that the caller runs. */
const OWN_TOOLS = new Set([
  ...["function", "custom", "local_shell", "apply_patch", "computer", "computer_use_preview"],
]);

/** Extracts the fields that decide how a responses request is handled. Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  checkInput(json);
  const isBackground = readFlag(json, "background") === true;
  if (isBackground && json.store === false) {
    throw new InvalidRequest(
      "an answer in the background has to be stored: leave out store, or set it to true",
      "store",
    );
  }
  const isStream = readStream(json);
  const attachments = sumAttachments(json, model);
  return {
    model,
    isStream,
    completionTokensMax: readCompletionMax(json),
    choices: 1,
    attachments,
    hidden: hiddenContent(attachments, hostedCalls(json), { isStored: isStored(json) }),
    writesAudio: false,
    asksToThink: isGiven(json.reasoning) || model.includes("thinking"),
    ...(isBackground ? { isBackground } : {}),
  };
}

function checkInput(json: Json): void {
  const { input } = json;
  if (typeof input === "string" || (Array.isArray(input) && input.length > 0)) return;
  if (input !== undefined && input !== null && !Array.isArray(input)) {
    throw new InvalidRequest("input must be text or a list of items", "input");
  }
  if (!STORED_KEYS.some((key) => isGiven(json[key]))) {
    throw new InvalidRequest("input must be text or a list of items", "input");
  }
}

export function readCompletionMax(json: Json): number | null {
  return readLimit(json, "max_output_tokens", 1, TOKENS_MAX);
}

/** True for tools that the client runs itself; all others run, and are charged, at the upstream. */
export function isOwnTool(tool: unknown): boolean {
  const { type, environment, tools, execution } = readObject(tool);
  if (type === "namespace") return readList(tools).every(isOwnTool);
  if (type === "tool_search") return execution === "client";
  if (type === "shell") return readObject(environment).type === "local";
  return OWN_TOOLS.has(readText(type));
}

/** Whether a part of the conversation is only at the upstream that wrote it. */
export function isStored(json: Json): boolean {
  return STORED_KEYS.some((key) => isGiven(json[key])) || itemsOf(json).some(isReference);
}

/** Where the request does not say how many: more than any answer is known to have. */
const TOOL_CALLS_MAX = 128;

/** A limit that the upstream keeps to, for all its tools together. Throws InvalidRequest. */
function hostedCalls(json: Json): HostedCalls {
  const hosted = allTools(json).filter((tool) => !isOwnTool(tool));
  const given = readLimit(json, "max_tool_calls", 0, TOKENS_MAX);
  if (hosted.length === 0) return NO_CALLS;
  // The names of a server's tools are read before any of them is called.
  const most = Math.min(Math.max(1, given ?? TOOL_CALLS_MAX), TOOL_CALLS_MAX);
  if (!hosted.every(({ type }) => type === "tool_search")) return { most, least: 1, tokens: null };
  const searches = Math.min(most, TOOL_SEARCHES_MAX);
  return { most: searches, least: searches, tokens: 0 };
}

/** Of tools that the request has with it; each time the prompt is read once more. */
const TOOL_SEARCHES_MAX = 3;

function sumAttachments(json: Json, model: string): Attachments {
  const sum = noAttachments();
  for (const item of itemsOf(json)) {
    addPicturesIn(sum, item, model);
    const drawn = item.type === "image_generation_call" ? readText(item.result) : "";
    if (drawn !== "") addMedia(sum, "image/*", drawn.length, model);
    for (const part of itemParts(item)) addAttachment(sum, part, model);
  }
  return sum;
}

function addAttachment(sum: Attachments, part: Json, model: string): void {
  if (part.type === "input_image") addImageUrl(sum, readText(part.image_url), model);
  else if (part.type === "input_file") addDocument(sum, part);
  else if (part.type === "input_audio") addAudio(sum, readText(readObject(part.input_audio).data).length);
}
