import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Conversation } from "../../wire/dialects/dialect";

/** What tells the requests of a conversation from others. */
export type IdentitySource = "header" | "prompt_cache_key" | "user" | "prefix";

export type Identity = {
  readonly by: IdentitySource;
  /** 48 bits of a hash: nothing of what a caller sent is kept. */
  readonly key: number;
  /** Decides the draw among the channels; the same in every process. 32 bits. */
  readonly lot: number;
};

/** The conversation's own header first, then those that coding clients and other gateways send. */
const HEADERS = [
  "x-weir-conversation",
  "x-claude-code-session-id",
  "x-session-affinity",
  "x-session-id",
  "session-id",
  "session_id",
  "conversation_id",
  "x-opencode-session",
];

const NAME_CHARS_MAX = 512;
/** Of the instructions, and of the first question. */
const PREFIX_CHARS_MAX = 2_048;
/** Providers cache prompts from 1,024 tokens on. */
const CACHED_BYTES_MIN = 4_096;

export type Identified = {
  userId: number;
  model: string;
  headers: IncomingHttpHeaders;
  /** What the body says of its conversation. */
  conversation: Conversation;
  /** Bytes of the prompt's text. */
  promptBytes: number;
};

/**
 * The conversation that a request belongs to, of one user and one model: as the caller names it, else as its user and
 * its beginning tell. A guess is made only for a prompt that is long enough to be cached. Null = there is none.
 */
export function identify(request: Identified): Identity | null {
  const { headers, conversation } = request;
  for (const name of HEADERS) {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return identityOf(request, "header", value);
  }
  if (conversation.cacheKey !== "") return identityOf(request, "prompt_cache_key", conversation.cacheKey);
  if (request.promptBytes < CACHED_BYTES_MIN) return null;
  if (conversation.user !== "") return identityOf(request, "user", conversation.user);
  const { instructions, question } = conversation.opening();
  const prefix = `${beginning(instructions)}\n${beginning(question)}`;
  return prefix === "\n" ? null : identityOf(request, "prefix", prefix);
}

function identityOf({ userId, model }: Identified, by: IdentitySource, value: string): Identity {
  const name = by === "prefix" ? value : value.slice(0, NAME_CHARS_MAX);
  const bytes = hash("sha256", `${userId}\n${model}\n${by}\n${name}`, "buffer");
  return { by, key: bytes.readUIntBE(0, 6), lot: bytes.readUInt32BE(8) };
}

function beginning(texts: readonly string[]): string {
  let text = "";
  for (const part of texts) {
    text += part.slice(0, PREFIX_CHARS_MAX - text.length);
    if (text.length >= PREFIX_CHARS_MAX) break;
  }
  return text;
}
