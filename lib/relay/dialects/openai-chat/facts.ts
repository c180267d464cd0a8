import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Attachments, RequestFacts } from "../dialect";
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

const CHOICES_MAX = 128;
const THINKING_KEYS = ["reasoning_effort", "reasoning", "thinking", "enable_thinking"];

/** Extracts the fields that decide how a chat request is handled (contract §4.8). Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  const messages = readMessageList(json);
  const isStream = readStream(json);
  return {
    model,
    isStream,
    completionTokensMax: readCompletionMax(json),
    choices: readLimit(json, "n", 1, CHOICES_MAX) ?? 1,
    attachments: sumAttachments(messages, model),
    writesAudio: readArray(json.modalities).includes("audio"),
    asksToThink: THINKING_KEYS.some((key) => json[key] !== undefined) || model.includes("thinking"),
  };
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
    for (const part of readArray(readObject(message).content)) addAttachment(sum, part, model);
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
