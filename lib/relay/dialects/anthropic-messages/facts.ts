import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { RequestFacts } from "../dialect";
import { readLimit, readMessageList, readModel, readStream, TOKENS_MAX } from "../request-fields";
import { allBlocks } from "./blocks";

/** Upper estimates for images and documents in a prompt. */
const IMAGE_TOKENS = 1_500;
const DOCUMENT_TOKENS = 5_000;

/** Extracts the fields that decide how a messages request is handled. Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  const messages = readMessageList(json);
  const isStream = readStream(json);
  const completionTokensMax = readLimit(json, "max_tokens", 1, TOKENS_MAX);
  if (completionTokensMax === null) throw new InvalidRequest("max_tokens is required", "max_tokens");
  return { model, isStream, completionTokensMax, choices: 1, attachments: sumAttachments(messages) };
}

function sumAttachments(messages: readonly unknown[]): RequestFacts["attachments"] {
  const sum = { tokens: 0, encodedBytes: 0 };
  for (const block of messages.flatMap(allBlocks)) {
    if (block.type !== "image" && block.type !== "document") continue;
    const { type, data } = readObject(block.source);
    sum.tokens += block.type === "image" ? IMAGE_TOKENS : DOCUMENT_TOKENS;
    if (type === "base64") sum.encodedBytes += readText(data).length;
  }
  return sum;
}

/** True for tools that the client runs itself; all others can only run at Anthropic. */
export function isOwnTool(tool: unknown): boolean {
  return (readObject(tool).type ?? "custom") === "custom";
}

export function toolsOf(json: Json): readonly Json[] {
  return readArray(json.tools).map(readObject);
}
