import { type Json, readList, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { Attachments, RequestFacts } from "../dialect";
import { isGiven } from "../option-rule";
import {
  addAudio,
  addFile,
  addImage,
  noAttachments,
  readFlag,
  readLimit,
  readModel,
  readStream,
  TOKENS_MAX,
} from "../request-fields";
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
  attachments.elsewhere += countElsewhere(json);
  return {
    model,
    isStream,
    completionTokensMax: readCompletionMax(json),
    choices: 1,
    attachments,
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
  const { type, environment, tools } = readObject(tool);
  if (type === "namespace") return readList(tools).every(isOwnTool);
  if (type === "shell") return readObject(environment).type === "local";
  return OWN_TOOLS.has(readText(type));
}

/** Whether a part of the conversation is only at the upstream that wrote it. */
export function isStored(json: Json): boolean {
  return STORED_KEYS.some((key) => isGiven(json[key])) || itemsOf(json).some(isReference);
}

function countElsewhere(json: Json): number {
  return (isStored(json) ? 1 : 0) + allTools(json).filter((tool) => !isOwnTool(tool)).length;
}

function sumAttachments(json: Json, model: string): Attachments {
  const sum = noAttachments();
  for (const part of itemsOf(json).flatMap(itemParts)) addAttachment(sum, part, model);
  return sum;
}

function addAttachment(sum: Attachments, part: Json, model: string): void {
  if (part.type === "input_image") {
    const url = readText(part.image_url);
    addImage(sum, url.startsWith("data:") ? url.length : 0, model);
  } else if (part.type === "input_file") addFile(sum, readText(part.file_data).length);
  else if (part.type === "input_audio") addAudio(sum, readText(readObject(part.input_audio).data).length);
}
