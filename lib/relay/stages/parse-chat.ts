import { scanTopLevel } from "../json-splice";
import { RelayError } from "../relay-error";

/** A chat request: its bytes as they came, and the little that decides about it. */
export type ChatRequest = {
  body: Buffer;
  json: Readonly<Record<string, unknown>>;
  spans: NonNullable<ReturnType<typeof scanTopLevel>>;
  model: string;
  messages: readonly unknown[];
  isStream: boolean;
  /** The caller asked for the usage frame itself. */
  wantsUsage: boolean;
  /** Completion tokens allowed for one choice; null = no limit was set. */
  completionMax: number | null;
  /** How many answers are asked for. */
  choices: number;
};

const TOKENS_MAX = 2 ** 30;
const CHOICES_MAX = 128;
const MODEL_LENGTH_MAX = 255;
const CONTROL = /\p{Cc}/u;

function invalid(message: string, param: string | null = null): RelayError {
  return new RelayError(400, message, { type: "invalid_request_error", param, code: "invalid_text_request" });
}

function readJson(body: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw invalid("the request body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalid("the request body must be a JSON object");
  }
  return value as Record<string, unknown>;
}

function readModel(value: unknown): string {
  if (typeof value !== "string") throw invalid("model must be a string", "model");
  if (value === "" || value.length > MODEL_LENGTH_MAX || CONTROL.test(value)) {
    throw invalid("model must be a name of 1 to 255 characters", "model");
  }
  return value;
}

function readLimit(json: Record<string, unknown>, name: string, min: number, max: number): number | null {
  const value = json[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > max) {
    throw invalid(`${name} must be a whole number from ${min} to ${max}`, name);
  }
  return value;
}

/** Reads what is needed from a chat request. Throws 400 for what is not one. */
export function parseChat(bytes: Buffer): ChatRequest {
  const json = readJson(bytes);
  const model = readModel(json.model);
  const { messages, stream, stream_options: streamOptions } = json;
  if (!Array.isArray(messages) || messages.length === 0) throw invalid("messages must be a list", "messages");
  if (stream !== undefined && stream !== null && typeof stream !== "boolean") {
    throw invalid("stream must be true or false", "stream");
  }
  const limits = [
    readLimit(json, "max_tokens", 0, TOKENS_MAX),
    readLimit(json, "max_completion_tokens", 0, TOKENS_MAX),
  ];
  const perChoice = Math.max(limits[0] ?? 0, limits[1] ?? 0);
  const scanned = scanTopLevel(bytes);
  const body = scanned ? bytes : Buffer.from(JSON.stringify(json));
  const spans = scanned ?? scanTopLevel(body) ?? new Map();
  return {
    body,
    json,
    spans,
    model,
    messages,
    isStream: stream === true,
    wantsUsage: (streamOptions as { include_usage?: unknown } | null | undefined)?.include_usage === true,
    completionMax: perChoice > 0 ? perChoice : null,
    choices: readLimit(json, "n", 1, CHOICES_MAX) ?? 1,
  };
}
