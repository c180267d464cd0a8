import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { RequestFacts } from "../dialect";

const TOKENS_MAX = 2 ** 30;
const CHOICES_MAX = 128;
const MODEL_LENGTH_MAX = 255;
const CONTROL = /\p{Cc}/u;

/** What pictures, sounds and files in a prompt are taken to cost at most. */
const IMAGE_TOKENS = 1_500;
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5_000;

/** The little that decides about a chat request (contract §4.8). Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  const { messages, stream } = json;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new InvalidRequest("messages must be a list", "messages");
  }
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") {
    throw new InvalidRequest("stream must be true or false", "stream");
  }
  const limits = [
    readLimit(json, "max_tokens", 0, TOKENS_MAX),
    readLimit(json, "max_completion_tokens", 0, TOKENS_MAX),
  ];
  const perChoice = Math.max(limits[0] ?? 0, limits[1] ?? 0);
  return {
    model,
    isStream: stream === true,
    completionTokensMax: perChoice > 0 ? perChoice : null,
    choices: readLimit(json, "n", 1, CHOICES_MAX) ?? 1,
    attachments: sumAttachments(messages),
  };
}

function readModel(value: unknown): string {
  if (typeof value !== "string") throw new InvalidRequest("model must be a string", "model");
  if (value === "" || value.length > MODEL_LENGTH_MAX || CONTROL.test(value)) {
    throw new InvalidRequest("model must be a name of 1 to 255 characters", "model");
  }
  return value;
}

function readLimit(json: Json, name: string, min: number, max: number): number | null {
  const value = json[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw new InvalidRequest(`${name} must be a whole number from ${min} to ${max}`, name);
  }
  return value;
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
