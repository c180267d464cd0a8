import type { WireError } from "./canonical/wire-error";

/** What is wrong with a request whatever the channel: it is too long for the model, or its content is not allowed. */
export type RequestFault = "context" | "policy";

const ABOUT_THE_REQUEST = new Set([400, 403, 413, 422]);

const CONTEXT_CODES = new Set(["context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"]);
/** As the main providers word it. */
const CONTEXT_TEXT = new RegExp(
  [
    "maximum (context|prompt|input) length",
    "context (length|window|limit|size)",
    "prompt is too long",
    "input is too long",
    "input token count .{0,40}exceeds",
    "too large for model with",
    "reduce the length of the messages",
    "range of input length should be",
    "exceeded model token limit",
    "too many (input )?tokens",
    "inputs` tokens \\+ `max_new_tokens`",
  ].join("|"),
  "i",
);

const POLICY_CODES = new Set([
  "content_policy_violation",
  "content_filter",
  "content_filter_error",
  "data_inspection_failed",
  "datainspectionfailed",
  "moderation_blocked",
  "responsibleaipolicyviolation",
  "sensitive_words_detected",
]);
const POLICY_TEXT =
  /content (management |filtering |filter |safety )?polic(y|ies)|rejected as a result of our safety system|requires moderation .{0,80}flagged|inappropriate content|content exists risk|content violates usage guidelines/i;

/** Null = no such fault; another channel or try may help. */
export function requestFault(status: number, { message, code, type }: WireError): RequestFault | null {
  if (!ABOUT_THE_REQUEST.has(status)) return null;
  const names = [String(code).toLowerCase(), type.toLowerCase()];
  if (names.some((name) => POLICY_CODES.has(name)) || POLICY_TEXT.test(message)) return "policy";
  if (status === 403) return null;
  return names.some((name) => CONTEXT_CODES.has(name)) || CONTEXT_TEXT.test(message) ? "context" : null;
}
