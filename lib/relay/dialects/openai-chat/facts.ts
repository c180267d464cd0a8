import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { RequestFacts } from "../dialect";
import { readLimit, readMessageList, readModel, readStream, TOKENS_MAX } from "../request-fields";

const CHOICES_MAX = 128;

/** Upper estimates for images, audio and files in a prompt. */
const IMAGE_TOKENS = 1_500;
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5_000;

/** Extracts the fields that decide how a chat request is handled (contract §4.8). Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  const messages = readMessageList(json);
  const isStream = readStream(json);
  const limits = [
    readLimit(json, "max_tokens", 0, TOKENS_MAX),
    readLimit(json, "max_completion_tokens", 0, TOKENS_MAX),
  ];
  const perChoice = Math.max(limits[0] ?? 0, limits[1] ?? 0);
  return {
    model,
    isStream,
    completionTokensMax: perChoice > 0 ? perChoice : null,
    choices: readLimit(json, "n", 1, CHOICES_MAX) ?? 1,
    attachments: sumAttachments(messages),
  };
}

type Attachments = RequestFacts["attachments"];

function sumAttachments(messages: readonly unknown[]): Attachments {
  const sum = { tokens: 0, encodedBytes: 0 };
  for (const message of messages) {
    for (const part of readArray(readObject(message).content)) {
      const attachment = readAttachment(part);
      sum.tokens += attachment?.tokens ?? 0;
      sum.encodedBytes += attachment?.encodedBytes ?? 0;
    }
  }
  return sum;
}

function readAttachment(part: unknown): Attachments | null {
  const { type, image_url: image, input_audio: audio, file } = readObject(part);
  if (type === "image_url") {
    const url = readText(image) || readText(readObject(image).url);
    return { tokens: IMAGE_TOKENS, encodedBytes: url.startsWith("data:") ? url.length : 0 };
  }
  if (type === "input_audio") {
    return { tokens: AUDIO_TOKENS, encodedBytes: readText(readObject(audio).data).length };
  }
  if (type === "file") return { tokens: FILE_TOKENS, encodedBytes: readText(readObject(file).file_data).length };
  return null;
}
