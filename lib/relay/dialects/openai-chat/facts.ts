import { type Json, readList, readObject, readText } from "../../canonical/json";
import type { Attachments, RequestFacts } from "../dialect";
import { isGiven } from "../option-rule";
import {
  addAudio,
  addFile,
  addImage,
  noAttachments,
  readLimit,
  readMessageList,
  readModel,
  readStream,
  TOKENS_MAX,
} from "../request-fields";
import { isGoogleSearch } from "./web-search";

const CHOICES_MAX = 128;
/** Fields that have the upstream search, or run something, and put what it finds into the prompt. */
const SEARCH_KEYS = ["web_search_options", "search_parameters", "enable_search", "plugins"];
/** Tools that the caller runs; every other kind runs, and is charged, at the upstream. */
const OWN_TOOLS = new Set(["function", "custom"]);
const THINKING_KEYS = ["reasoning_effort", "reasoning", "thinking", "enable_thinking"];

/** Extracts the fields that decide how a chat request is handled (contract §4.8). Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  const messages = readMessageList(json);
  const isStream = readStream(json);
  const attachments = sumAttachments(messages, model);
  attachments.elsewhere += countElsewhere(json);
  return {
    model,
    isStream,
    completionTokensMax: readCompletionMax(json),
    choices: readLimit(json, "n", 1, CHOICES_MAX) ?? 1,
    attachments,
    writesAudio: readList(json.modalities).includes("audio"),
    asksToThink: THINKING_KEYS.some((key) => json[key] !== undefined) || model.includes("thinking"),
  };
}

export function isOwnTool(tool: unknown): boolean {
  const { type = "function", function: of } = readObject(tool);
  const { name } = readObject(of);
  if (isGoogleSearch(tool)) return false;
  return OWN_TOOLS.has(String(type)) && !(typeof name === "string" && name.startsWith("$"));
}

function countElsewhere(json: Json): number {
  let count = 0;
  for (const key of SEARCH_KEYS) if (isGiven(json[key])) count += 1;
  for (const tool of readList(json.tools)) if (!isOwnTool(tool)) count += 1;
  return count;
}

/** The larger of the two limits, because it depends on the upstream which of them it heeds. Throws InvalidRequest. */
export function readCompletionMax(json: Json): number | null {
  const limits = [
    readLimit(json, "max_tokens", 0, TOKENS_MAX),
    readLimit(json, "max_completion_tokens", 0, TOKENS_MAX),
  ];
  const perChoice = Math.max(limits[0] ?? 0, limits[1] ?? 0);
  return perChoice > 0 ? perChoice : null;
}

function sumAttachments(messages: readonly unknown[], model: string): Attachments {
  const sum = noAttachments();
  for (const message of messages) {
    for (const part of readList(readObject(message).content)) addAttachment(sum, part, model);
  }
  return sum;
}

function addAttachment(sum: Attachments, part: unknown, model: string): void {
  const { type, image_url: image, input_audio: audio, file } = readObject(part);
  if (type === "image_url") {
    const url = readText(image) || readText(readObject(image).url);
    addImage(sum, url.startsWith("data:") ? url.length : 0, model);
  } else if (type === "input_audio") addAudio(sum, readText(readObject(audio).data).length);
  else if (type === "file") addFile(sum, readText(readObject(file).file_data).length);
}
