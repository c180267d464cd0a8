import type { WireError } from "../wire/canonical/wire-error";
import { isFailureStatus } from "../wire/dialects/common/reported-error";
import { type AttemptFailure, type LostWork, UNKNOWN_CODE } from "./classify-failure";
import { statusOfProviderCode } from "./provider-codes";
import { readProviderError } from "./provider-errors";
import { isPolicyName } from "./request-faults";

const MESSAGE_MAX = 1_000;
// Control characters and lone surrogates; NUL and lone surrogates cannot be stored in PostgreSQL.
const UNSTORABLE = /[\p{Cc}\p{Cs}]+/gu;

/** Cleans an upstream's text for display and storage, and limits its length. */
export function cleanText(text: string): string {
  return text.replace(UNSTORABLE, " ").slice(0, MESSAGE_MAX).trim();
}

/**
 * An error as its upstream worded it. It may quote the secrets of the request, so its text can be read only through the
 * `Secrets` of the attempt.
 */
export class RawError {
  /** The upstream gave no error of a known format. */
  readonly isUnknown: boolean;
  readonly #error: WireError;

  constructor(error: WireError, isUnknown = false) {
    this.#error = error;
    this.isUnknown = isUnknown;
  }

  /** `redact` must remove the secrets; see Secrets.open. */
  read(redact: (text: string) => string): WireError {
    const { message, type, param, code } = this.#error;
    return {
      message: redact(message) || "the upstream failed",
      type: redact(type) || "upstream_error",
      param: param === null ? null : redact(param) || null,
      code: typeof code === "string" ? redact(code) || null : code,
    };
  }
}

/** A failure whose upstream text is not redacted yet. */
export type RawFailure =
  | { kind: "status"; status: number; error: RawError; retryAfterMs: number | null; work?: LostWork }
  | Extract<AttemptFailure, { kind: "network" }>;

function readObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function parseBody(body: Buffer): unknown {
  const text = body.toString("utf8");
  // Some answer a request for a stream with an error as its only event, whatever their status says.
  return parse(EVENT.exec(text)?.[1] ?? text);
}

const EVENT = /^\s*(?:(?:event|id|retry):[^\n]*\n)*data: ?([[{][^\n]*)/;

function parseObject(body: Buffer): Record<string, unknown> | null {
  const value = parseBody(body);
  if (typeof value !== "object" || value === null) return null;
  // Google sends the error of a stream as a list of one.
  return readObject(Array.isArray(value) ? value[0] : value);
}

function readText(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Fields that hold the text of an error, the most useful first. */
const TEXT_KEYS = [
  ...["message", "Message", "msg", "err", "err_msg", "error_msg", "error_message", "detail", "details", "error"],
  ...["errors", "reason", "description", "title", "status_msg", "header", "delta", "base_resp", "response"],
];
/** Deeper objects are not searched. */
const DEPTH_MAX = 5;
const REASONS_MAX = 5;

/** What an error says, however deep it stands: a text, that of a field, or those of a list. "" = nothing. */
function wordsIn(value: unknown, depth = 0): string {
  if (typeof value === "string") return wordsOfText(value.trim(), depth);
  if (typeof value !== "object" || value === null || depth > DEPTH_MAX) return "";
  if (Array.isArray(value)) {
    const texts = value.slice(0, REASONS_MAX).map((item) => wordsIn(item, depth + 1));
    return [...new Set(texts.filter((text) => text !== ""))].join("; ");
  }
  for (const key of TEXT_KEYS) {
    const text = wordsIn(Reflect.get(value, key), depth + 1);
    if (text !== "") return text + placeOf(value);
  }
  return "";
}

/** Where a validation failed, as FastAPI tells it. */
function placeOf(value: object): string {
  const place: unknown = Reflect.get(value, "loc");
  return Array.isArray(place) ? ` (${place.slice(0, REASONS_MAX).map(String).join(".")})` : "";
}

/** Gateways quote the JSON of another upstream's error as a text, so such a text is parsed. */
function wordsOfText(text: string, depth: number): string {
  if (!text.startsWith("{") && !text.startsWith("[")) return text;
  const inner = parse(text);
  return (inner === undefined ? "" : wordsIn(inner, depth + 1)) || text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const MARKUP = /^<(?:!doctype|html|head|body|\?xml)\b/i;

/** What a body that is no object says: its text, or the title or heading of a page. "" = nothing that can be shown. */
function wordsOfBody(body: Buffer): string {
  const text = body
    .toString("utf8", 0, BODY_MAX)
    .trim()
    .replace(/^"([^"\\]*)"$/, "$1");
  if (!MARKUP.test(text)) return text.startsWith("{") || text.startsWith("[") || text.includes("\ufffd") ? "" : text;
  const found = /<(title|h1|message)\b[^<>]*>([^<]{1,300})</i.exec(text)?.[2] ?? "";
  return found.trim();
}

/** A longer body is a page or a file, of which the beginning says what it is. */
const BODY_MAX = 4_096;

/** The error of a body or an event: its own, the first of several, that of its choice, or that of the response in it. */
function errorOf(json: Record<string, unknown>): Record<string, unknown> {
  const [choice] = Array.isArray(json.choices) ? json.choices : [];
  const [first] = Array.isArray(json.errors) ? json.errors : [];
  return readObject(json.error ?? first ?? readObject(choice).error ?? readObject(json.response).error);
}

/** Google says with 400 that a key is not valid, and its reason is the only mark of it. */
const BAD_KEY = "API_KEY_INVALID";

function hasBadKey({ details }: Record<string, unknown>): boolean {
  return Array.isArray(details) && details.some((detail) => readObject(detail).reason === BAD_KEY);
}

/** Extracts the error from an upstream's failed response, in any known format (contract §4.6). */
export function readUpstreamError(status: number, body: Buffer): RawError {
  const fallback: WireError = {
    message: `bad response status code ${status}`,
    type: "upstream_error",
    param: String(status),
    code: UNKNOWN_CODE,
  };
  const json = parseObject(body);
  if (!json) return new RawError({ ...fallback, message: wordsOfBody(body) || fallback.message }, true);
  const own = readProviderError(json);
  if (own) return new RawError(own.error);
  const error = errorOf(json);
  const message = wordsIn(error.message);
  if (message !== "") {
    const code = hasBadKey(error) ? BAD_KEY : error.code;
    return new RawError({
      message,
      type: readText(error.type) || "upstream_error",
      param: readText(error.param) || null,
      code: typeof code === "number" ? code : readText(code) || null,
    });
  }
  return new RawError({ ...fallback, message: wordsIn(parseBody(body)) || fallback.message }, true);
}

/** What errors name that have no status in them. */
const STATUS_BY_TYPE: ReadonlyMap<unknown, number> = new Map([
  ["rate_limit_error", 429],
  ["rate_limit_exceeded", 429],
  ["overloaded_error", 529],
  ["throttlingException", 429],
  ["modelTimeoutException", 504],
  ["serviceUnavailableException", 503],
  ["internalServerException", 500],
  ["validationException", 400],
]);

function statusOfName(name: unknown): number | undefined {
  return typeof name === "string" && isPolicyName(name) ? 400 : STATUS_BY_TYPE.get(name);
}

/** The status that an error within a success stands for: the one that it names, else 502. */
export function reportedStatus(body: Buffer): number {
  const json = parseObject(body) ?? {};
  const own = readProviderError(json);
  if (own) return own.status ?? 502;
  const error = errorOf(json);
  const named = [error.code, error.status, json.code, json.status, json.status_code, json.error_code];
  const status = named.find(isFailureStatus);
  return status !== undefined
    ? Number(status)
    : ([error.type, error.code, json.code].map(statusOfName).find(Boolean) ?? statusOfProviderCode(json) ?? 502);
}
