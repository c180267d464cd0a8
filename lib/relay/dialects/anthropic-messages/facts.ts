import { type Json, readList, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { Attachments, RequestFacts } from "../dialect";
import { isGiven } from "../option-rule";
import {
  addFile,
  addImage,
  noAttachments,
  readLimit,
  readMessageList,
  readModel,
  readStream,
  TOKENS_MAX,
} from "../request-fields";
import { allBlocks } from "./blocks";
import { THREAD_UNSUPPORTED } from "./error";

/** Extracts the fields that decide how a messages request is handled. Throws InvalidRequest. */
export function readFacts(json: Json): RequestFacts {
  const model = readModel(json.model);
  if (isGiven(json.thread)) throw threadsAreUnsupported();
  const messages = readMessageList(json);
  const isStream = readStream(json);
  const completionTokensMax = readCompletionMax(json);
  if (completionTokensMax === null) throw new InvalidRequest("max_tokens is required", "max_tokens");
  const attachments = sumAttachments(messages, model);
  attachments.elsewhere += toolsOf(json).filter((tool) => !isOwnTool(tool)).length;
  const { type } = readObject(json.thinking);
  const asksToThink = (type !== undefined && type !== "disabled") || model.includes("thinking");
  return { model, isStream, completionTokensMax, choices: 1, attachments, writesAudio: false, asksToThink };
}

/** A thread is kept at the account of one upstream, and holds messages that are not in the request. Clients then send all of them. */
function threadsAreUnsupported(): InvalidRequest {
  const message = "thread cannot be used here: send the full conversation without it";
  return new InvalidRequest(message, "thread", THREAD_UNSUPPORTED);
}

export function readCompletionMax(json: Json): number | null {
  return readLimit(json, "max_tokens", 1, TOKENS_MAX);
}

function sumAttachments(messages: readonly unknown[], model: string): Attachments {
  const sum = noAttachments();
  for (const { type, source } of messages.flatMap(allBlocks)) {
    if (type !== "image" && type !== "document") continue;
    const given = readObject(source);
    const bytes = given.type === "base64" ? readText(given.data).length : 0;
    if (type === "image") addImage(sum, bytes, model);
    // A text document is in the body and counts there.
    else if (given.type !== "text" && given.type !== "content") addFile(sum, bytes);
  }
  return sum;
}

/** True for tools that the client runs itself; all others can only run at Anthropic. */
export function isOwnTool(tool: unknown): boolean {
  return (readObject(tool).type ?? "custom") === "custom";
}

export function toolsOf(json: Json): readonly Json[] {
  return readList(json.tools).map(readObject);
}
