import { type Json, readList, readObject, readText } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { type HostedCalls, hiddenContent, NO_CALLS } from "../common/hidden-content";
import { isGiven } from "../common/option-rule";
import {
  addFile,
  addMedia,
  noAttachments,
  readLimit,
  readMessageList,
  readModel,
  readStream,
  TOKENS_MAX,
} from "../common/request-fields";
import type { Attachments, Edits, KeyPlaces, RequestFacts } from "../dialect";
import { addPicturesIn } from "../pictures/pictures-in-history";
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
  const hidden = hiddenContent(attachments, hostedCalls(json), { isStored: isStored(json) });
  const { type } = readObject(json.thinking);
  const asksToThink = (type !== undefined && type !== "disabled") || model.includes("thinking");
  return { model, isStream, completionTokensMax, choices: 1, attachments, hidden, writesAudio: false, asksToThink };
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
  for (const message of messages) {
    addPicturesIn(sum, message, model);
    // Long conversations are mostly text.
    if (typeof readObject(message).content === "string") continue;
    for (const block of allBlocks(message)) addAttachment(sum, block, model);
  }
  return sum;
}

function addAttachment(sum: Attachments, { type, source }: Json, model: string): void {
  if (type !== "image" && type !== "document") return;
  const given = readObject(source);
  const bytes = given.type === "base64" ? readText(given.data).length : 0;
  const mediaType = readText(given.media_type);
  if (type === "image") addMedia(sum, given.type === "base64" ? mediaType : "image/*", bytes, model);
  // A text document is in the body and counts there.
  else if (given.type !== "text" && given.type !== "content") addFile(sum, bytes, mediaType);
}

/** True for tools that the client runs itself; all others can only run at Anthropic. */
export function isOwnTool(tool: unknown): boolean {
  return (readObject(tool).type ?? "custom") === "custom";
}

export function toolsOf(json: Json): readonly Json[] {
  return readList(json.tools).map(readObject);
}

/** After so many rounds Anthropic stops with pause_turn, and the caller has to ask again. */
const ROUNDS_MAX = 10;
/** Tools of Anthropic's that the caller runs. */
const CALLERS_TOOL = /^(bash|text_editor|computer|memory)_/;
const TOOL_SEARCH = /^tool_search_tool_/;

/** A tool whose calls the request can limit, and so can we. */
function isLimitable({ type }: Json): boolean {
  return /^web_(fetch|search)_/.test(readText(type));
}

function hostedCalls(json: Json): HostedCalls {
  const calls = toolCalls(json);
  if (!isSummedUp(json)) return calls;
  // Before each round the conversation may be summed up, for which the model reads it once more.
  return { ...calls, most: 2 * calls.most + 1, least: 2 * calls.least + 1 };
}

function toolCalls(json: Json): HostedCalls {
  const hosted = toolsOf(json).filter((tool) => !isOwnTool(tool) && !CALLERS_TOOL.test(readText(tool.type)));
  const hasServers = readList(json.mcp_servers).length > 0;
  if (hosted.length === 0 && !hasServers) return NO_CALLS;
  const all = { most: ROUNDS_MAX, least: ROUNDS_MAX, tokens: null };
  if (hasServers) return all;
  if (hosted.every(({ type }) => TOOL_SEARCH.test(readText(type)))) return { ...all, tokens: 0 };
  if (!hosted.every(isLimitable)) return all;
  const uses = hosted.reduce((sum, tool) => sum + (readLimit(tool, "max_uses", 1, TOKENS_MAX) ?? ROUNDS_MAX), 0);
  const limits = hosted.map((tool) => readLimit(tool, "max_content_tokens", 1, TOKENS_MAX));
  const most = Math.min(uses, ROUNDS_MAX);
  const tokens = limits.includes(null) ? null : Math.max(...limits.map(Number)) + RESULT_ADDED;
  return { most, least: Math.min(most, hosted.length), tokens };
}

/** Around the content of a page: its address, its title, and the blocks that hold it. */
const RESULT_ADDED = 2_048;

function isSummedUp({ compaction, context_management: management }: Json): boolean {
  const edits = readList(readObject(management).edits);
  const summary = edits.some((edit) => readText(readObject(edit).type).startsWith("compact_"));
  return summary || (compaction !== undefined && compaction !== null);
}

/** A thread that goes on is at Anthropic. */
function isStored(json: Json): boolean {
  return readObject(json.thread).type === "continue";
}

/** Lets each of the tools that can be limited be called so often that all of them together keep to `calls`. */
export function callEdits(json: Json, calls: number): Edits {
  const tools = toolsOf(json);
  const ofTools = isSummedUp(json) ? (calls - 1) / 2 : calls;
  const each = Math.max(1, Math.floor(ofTools / Math.max(1, tools.filter(isLimitable).length)));
  const lowered = (tool: Json): Json => ({ ...tool, max_uses: Math.min(each, Number(tool.max_uses ?? each)) });
  return { tools: tools.map((tool) => (isLimitable(tool) ? lowered(tool) : tool)) };
}

/** Reads the key from the headers that Anthropic's clients use (contract §4.2). */
export function readKey({ headers }: KeyPlaces): string {
  const key = headers["x-api-key"];
  if (typeof key === "string" && key.trim() !== "") return key.trim();
  const { authorization } = headers;
  return typeof authorization === "string" ? authorization.replace(/^bearer\s+/i, "").trim() : "";
}
