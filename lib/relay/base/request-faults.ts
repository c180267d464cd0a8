import type { WireError } from "../wire/canonical/wire-error";

/**
 * What is wrong with a request, and says nothing of the channel: it is too long for the model, its content is not
 * allowed, or it names something that the account may not use: a file, a cached content, a model, an operation.
 */
export type RequestFault = "context" | "policy" | "access";

const ABOUT_THE_REQUEST = new Set([400, 403, 413, 422]);
/** Statuses that else speak against the key. */
const REFUSED = new Set([401, 403]);

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

/**
 * Codes and types. OpenAI's (https://platform.openai.com/docs/guides/image-generation, moderation_blocked), DashScope's
 * (https://help.aliyun.com/zh/model-studio/error-code), Ark's, by what all of them end in or have in them
 * (https://www.volcengine.com/docs/82379/1299023), Zhipu's 1301 (https://docs.bigmodel.cn/cn/api/api-code), Google's
 * finish and block reasons (https://ai.google.dev/api/generate-content#FinishReason).
 */
const POLICY_CODES = new Set([
  "content_policy_violation",
  "content_filter",
  "content_filter_error",
  "data_inspection_failed",
  "datainspectionfailed",
  "moderation_blocked",
  "responsibleaipolicyviolation",
  "sensitive_words_detected",
  "1301",
  ...["image_safety", "image_prohibited_content", "image_recitation", "prohibited_content", "blocklist", "spii"],
]);
const POLICY_CODE = /sensitivecontentdetected|(?:text|image|video|audio)riskdetection|^datainspectionfailed\./;
const POLICY_TEXT =
  /may contain sensitive information|不安全或敏感|敏感(内容|信息|词)|content (management |filtering |filter |safety )?polic(y|ies)|rejected as a result of our safety system|requires moderation .{0,80}flagged|inappropriate content|content exists risk|content violates usage guidelines/i;

/** These are never about what a request names. */
const ABOUT_THE_KEY = new Set(["invalid_api_key", "account_deactivated", "api_key_invalid", "authentication_error"]);
/** What a key may not use, as providers word it. Any caller can cause these by naming such a thing. */
const ACCESS_TEXT = new RegExp(
  [
    // Gemini: files, tuned models, cached contents. Anthropic: the resource of a request.
    "permission to (access|use|read|view) (?!(the |this )?(api|service)\\b)",
    "or (it|they) (may|does|do) not exist",
    "\\(or permission denied\\)",
    // Google does not say of what.
    "^the caller does not have permission",
    // Vertex: what a service account may not read.
    "storage\\.(objects|buckets)\\.|gs://|google cloud storage",
    // OpenAI: a restricted key, or a project without the model.
    "missing scopes|insufficient permissions for this operation",
    "(does not|do not|don't) have access to (the )?[`'\"]?(model|file|deployment)",
    "not allowed to sample from this model|must be verified to use (the|this) model",
    // Servers that the caller names refuse the caller's own credentials.
    "\\bMCP server\\b",
  ].join("|"),
  "i",
);

/** A key that lacks a right altogether. Google does not say of what. */
const OUR_ACCESS_TEXT =
  /^the caller does not have permission(?! to (access|use|read|view))|missing scopes|insufficient permissions for this operation/i;

/** Whether the gateway's own key was refused, by which the caller must not think that the key of the request was. */
export function refusesOurAccess(status: number, { message }: WireError): boolean {
  // An MCP server is asked with what the caller sent for it.
  if (/\bMCP server\b/i.test(message)) return false;
  return status === 401 || (status === 403 && OUR_ACCESS_TEXT.test(message));
}

/** Null = no such fault; another channel or try may help. */
export function requestFault(status: number, error: WireError): RequestFault | null {
  return contentFault(status, error) ?? accessFault(status, error);
}

function accessFault(status: number, { message, code, type }: WireError): "access" | null {
  if (!REFUSED.has(status) || [String(code), type].some((name) => ABOUT_THE_KEY.has(name.toLowerCase()))) return null;
  return ACCESS_TEXT.test(message) ? "access" : null;
}

/** Whether a code or a type of an error says that content is not allowed. */
export function isPolicyName(name: string): boolean {
  const small = name.toLowerCase();
  return POLICY_CODES.has(small) || POLICY_CODE.test(small);
}

function contentFault(status: number, { message, code, type }: WireError): "context" | "policy" | null {
  if (!ABOUT_THE_REQUEST.has(status)) return null;
  const names = [String(code).toLowerCase(), type.toLowerCase()];
  if (names.some(isPolicyName) || POLICY_TEXT.test(message)) return "policy";
  if (status === 403) return null;
  return names.some((name) => CONTEXT_CODES.has(name)) || CONTEXT_TEXT.test(message) ? "context" : null;
}
