import { type Json, readList, readObject, readText } from "../../canonical/json";
import { type HostedCalls, hiddenContent, NO_CALLS } from "../common/hidden-content";
import { isGiven } from "../common/option-rule";
import {
  addAudio,
  addFile,
  addFilm,
  addImageUrl,
  noAttachments,
  readLimit,
  readMessageList,
  readModel,
  readStream,
  TOKENS_MAX,
} from "../common/request-fields";
import { utf8Length } from "../common/utf8";
import type { Attachments, RequestFacts } from "../dialect";
import { addPicturesIn } from "../pictures/pictures-in-history";
import { isGoogleSearch } from "./web-search";

const CHOICES_MAX = 128;
/** Fields that have the upstream search, or run something, and put what it finds into the prompt. */
const SEARCH_KEYS = ["web_search_options", "search_parameters", "enable_search", "plugins"];
/** Tools that the caller runs; every other kind runs, and is charged, at the upstream. */
const OWN_TOOLS = new Set(["function", "custom"]);
/** No upstream says how often it calls its tools for one answer. */
const TOOL_CALLS_MAX = 10;
const THINKING_KEYS = ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "extra_body"];

/** Extracts the fields that decide how a chat request is handled (contract §4.8). Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  const messages = readMessageList(json);
  const isStream = readStream(json);
  const attachments = sumAttachments(messages, model);
  const calls = hostedCalls(json);
  const predictedBytes = bytesOfPrediction(json.prediction);
  return {
    model,
    isStream,
    completionTokensMax: readCompletionMax(json),
    choices: readLimit(json, "n", 1, CHOICES_MAX) ?? 1,
    attachments,
    hidden: hiddenContent(attachments, calls, { predictedBytes }),
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

/** A search brings in what it finds once; a tool that runs at the upstream can be called again and again. */
function hostedCalls(json: Json): HostedCalls {
  const searches = SEARCH_KEYS.filter((key) => isGiven(json[key])).length;
  const hasTools = readList(json.tools).some((tool) => !isOwnTool(tool));
  const most = searches + (hasTools ? TOOL_CALLS_MAX : 0);
  return most === 0 ? NO_CALLS : { most, least: most, tokens: null };
}

/** What of it the model does not write is charged as an answer all the same. */
function bytesOfPrediction(prediction: unknown): number {
  const { content } = readObject(prediction);
  if (typeof content === "string") return utf8Length(content);
  return readList(content).reduce<number>((sum, part) => sum + utf8Length(readText(readObject(part).text)), 0);
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
    const { content, images } = readObject(message);
    if (typeof content !== "string") for (const part of readList(content)) addAttachment(sum, part, model);
    addPicturesIn(sum, message, model);
    if (images !== undefined) for (const image of readList(images)) addPictureBeside(sum, readObject(image), model);
  }
  return sum;
}

function addAttachment(sum: Attachments, part: unknown, model: string): void {
  const { type, image_url: image, input_audio: audio, file, video_url: video } = readObject(part);
  if (type === "image_url") addImageUrl(sum, readText(image) || readText(readObject(image).url), model);
  else if (type === "input_audio") addAudio(sum, readText(readObject(audio).data).length);
  else if (type === "file") addDocument(sum, readObject(file));
  else if (type === "video_url") addFilm(sum, readText(readObject(video).url).length);
}

/** What a model drew, beside its text. */
function addPictureBeside(sum: Attachments, { image_url: image, url }: Json, model: string): void {
  const address = readText(image) || readText(readObject(image).url) || readText(url);
  if (address !== "") addImageUrl(sum, address, model);
}

/** A file of the request, or one that the upstream has. */
export function addDocument(sum: Attachments, { file_data: data, file_url: url, file_id: id, filename }: Json): void {
  const text = readText(data);
  if (isGiven(id) && text === "" && !isGiven(url)) {
    sum.hasStoredFiles = true;
    return;
  }
  addFile(sum, text.length, /^data:([^;,]*)/.exec(text.slice(0, 200))?.[1] ?? "", readText(filename));
}
