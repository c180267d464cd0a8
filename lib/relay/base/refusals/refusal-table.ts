import type { WireError } from "../../wire/canonical/wire-error";

/** A part of the page of errors: what a refusal is about, and what mends it. Texts: `refusal.about` in messages. */
export type RefusalTopic =
  | "key"
  | "keyEnded"
  | "account"
  | "address"
  | "keyRights"
  | "group"
  | "model"
  | "noChannel"
  | "balance"
  | "keyLimit"
  | "budget"
  | "held"
  | "rate"
  | "atOnce"
  | "size"
  | "content"
  | "request"
  | "object"
  | "notYet"
  | "repeat"
  | "price"
  | "path"
  | "slow"
  | "busy"
  | "upstream"
  | "access"
  | "internal";

/** How a refusal is told. Statuses and types are OpenAI's; `anthropic` and `google` say where these makers differ. */
export type RefusalRow = {
  status: number;
  type: string;
  /** Absent = the name of the row. */
  code?: string;
  anthropic?: { status: number; type: string };
  /** The reason of `google.rpc.ErrorInfo`. */
  google?: string;
  /** Whether the same request may be served soon. "wait" comes with the seconds where these are known. */
  retry: "never" | "wait";
  about: RefusalTopic;
};

/** What clients wait for at most: they obey longer times without a bound. */
export const RETRY_SECONDS_MAX = 60;

type Rest = Partial<Pick<RefusalRow, "code" | "anthropic" | "google" | "retry">>;

const INVALID = "invalid_request_error";
/** The type of the original's own errors, which its clients know. */
const OWN = "new_api_error";

const invalid = (about: RefusalTopic = "request", status = 400, rest: Rest = {}): RefusalRow => ({
  ...{ status, type: INVALID, retry: "never", about },
  ...rest,
});
/** As OpenAI names it: a right that is missing is a request that is not valid. */
const denied = (about: RefusalTopic, rest: Rest = {}, status = 403): RefusalRow => invalid(about, status, rest);
const wrongKey = (about: RefusalTopic, google: string): RefusalRow =>
  denied(about, { code: "invalid_api_key", google }, 401);
const limited = (about: RefusalTopic, rest: Rest = {}): RefusalRow => ({
  ...{ status: 429, type: "rate_limit_error", retry: "wait", about },
  ...rest,
});
const busy = (about: RefusalTopic = "busy", rest: Rest = {}): RefusalRow => ({
  ...{ status: 503, type: OWN, retry: "wait", about },
  ...rest,
});
const unpaid = (about: RefusalTopic, rest: Rest = {}): RefusalRow => ({
  ...{ status: 429, type: "insufficient_quota", retry: "never", about, google: "INSUFFICIENT_BALANCE" },
  ...{ anthropic: { status: 402, type: "billing_error" } },
  ...rest,
});
const failed = (status: number, rest: Rest = {}, about: RefusalTopic = "upstream"): RefusalRow => ({
  ...{ status, type: "upstream_error", retry: "wait", about },
  ...rest,
});

/**
 * Every refusal that Weir itself makes, in every dialect: status, type, code, and whether a program should ask again. An error
 * of an upstream that is passed on keeps its own words (contract §4.6) and goes by `retryOf`.
 *
 * Makers' pages, of November 2026: https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
 * https://ai.google.dev/gemini-api/docs/troubleshooting.
 */
export const REFUSALS = {
  missing_api_key: invalid("key", 401, { google: "API_KEY_INVALID" }),
  invalid_api_key: wrongKey("key", "API_KEY_INVALID"),
  api_key_expired: wrongKey("keyEnded", "API_KEY_EXPIRED"),
  api_key_disabled: wrongKey("keyEnded", "API_KEY_INVALID"),
  api_key_used_up: wrongKey("keyLimit", "API_KEY_USED_UP"),
  user_banned: denied("account"),
  ip_not_allowed: denied("address"),
  channel_not_allowed: denied("keyRights"),
  operation_not_allowed: denied("keyRights"),
  model_not_allowed: denied("keyRights"),
  group_disabled: denied("group"),
  group_retired: denied("group"),
  model_switched_off: invalid("noChannel", 404, { code: "model_not_found" }),
  model_not_found: invalid("model", 404),
  model_not_in_group: invalid("model", 404, { code: "model_not_found" }),
  invalid_api_type: denied("model", {}, 400),
  invalid_channel_id: denied("noChannel", {}, 400),
  channel_disabled: denied("noChannel"),
  no_available_channel: busy("noChannel", { retry: "never" }),
  model_price_error: invalid("price"),

  insufficient_quota: unpaid("balance"),
  pre_consume_token_quota_failed: unpaid("keyLimit"),
  budget_exceeded: {
    ...unpaid("budget", { google: "BUDGET_EXCEEDED" }),
    anthropic: { status: 429, type: "rate_limit_error" },
  },
  quota_reserved: busy("held"),
  budget_reserved: limited("held"),

  rate_limit_exceeded: limited("rate"),
  token_rate_limit_exceeded: limited("rate"),
  too_many_abandoned_requests: limited("rate"),
  tokens_over_limit: { ...limited("size", { code: "request_too_large", retry: "never" }), type: "tokens" },
  concurrency_limit_exceeded: limited("atOnce"),
  channels_at_limit: limited("atOnce"),
  body_limit_exceeded: limited("atOnce"),
  too_many_pictures: limited("atOnce"),
  too_many_sessions: limited("atOnce"),
  too_many_videos: { ...limited("atOnce", { code: "too_many_files" }), type: OWN },
  pictures_of_process: busy("busy", { code: "too_many_pictures" }),

  request_too_large: invalid("size", 413),
  picture_too_large: invalid("size", 413, { code: "invalid_image_url" }),
  request_too_complex: invalid("size"),
  answer_too_large: invalid("size"),
  too_many_files: invalid("size"),
  sensitive_words_detected: denied("content", {}, 400),
  content_policy_violation: invalid("content"),
  answered_in_words: invalid("content"),

  invalid_request: invalid(),
  invalid_event: invalid(),
  invalid_json: invalid(),
  invalid_query: invalid(),
  invalid_documents: invalid(),
  invalid_form: invalid(),
  invalid_value: invalid(),
  invalid_image_url: invalid(),
  invalid_batch_file: invalid(),
  invalid_batch_request: invalid(),
  invalid_file_request: invalid(),
  session_model_fixed: invalid("request", 400, { code: "model_not_allowed" }),
  background_not_served: invalid("request", 400, { code: "invalid_api_type" }),
  stored_file_not_allowed: invalid(),
  unsupported_encoding: invalid("request", 415),
  continuation_refused: invalid(),

  previous_response_not_found: invalid("object"),
  item_not_found: invalid("object"),
  conversation_not_found: invalid("object"),
  file_not_found: invalid("object"),
  batch_not_found: invalid("object"),
  not_found: invalid("object", 404),
  stored_object_unavailable: invalid("object"),
  stored_object_gone: invalid("object", 404, { code: "stored_object_unavailable" }),
  stored_object_resting: invalid("object", 503, { code: "stored_object_unavailable" }),
  get_channel_info_failed: denied("object", {}, 400),
  task_channel_resting: busy("object", { code: "get_channel_info_failed", retry: "never" }),
  task_no_found: denied("object", {}, 404),
  task_no_found_here: denied("object", { code: "task_no_found" }, 400),
  task_not_exist: denied("object", {}, 400),
  task_not_found: invalid("object"),
  video_not_found: invalid("object", 404),
  video_expired: invalid("object", 404),
  video_part_not_found: invalid("object", 416),
  task_status_not_success: invalid("notYet"),
  video_not_ready: invalid("notYet", 409, { retry: "wait" }),
  response_not_finished: invalid("notYet", 409, { retry: "wait" }),
  batch_not_finished: invalid("notYet", 409),

  idempotency_invalid_key: invalid("repeat"),
  idempotency_request_running: invalid("repeat", 409, { retry: "wait" }),
  idempotency_key_reused: invalid("repeat", 422),
  idempotency_answer_not_kept: invalid("repeat", 409),
  idempotency_answer_lost: invalid("repeat", 409),
  idempotency_too_many_keys: invalid("repeat", 429),

  unknown_url: invalid("path", 404, { code: "" }),
  method_not_allowed: invalid("path", 405, { code: "" }),
  api_not_implemented: denied("path", {}, 501),
  upgrade_required: invalid("path", 426),
  navigation_refused: invalid("path", 403),

  request_timeout: invalid("slow", 408, { retry: "wait" }),
  message_timeout: invalid("slow", 408, { retry: "wait" }),
  overloaded: busy(),
  database_away: busy(),
  gateway_restarting: busy(),

  do_request_failed: failed(502),
  upstream_timeout: failed(504, { code: "do_request_failed" }),
  fetch_failed: { ...failed(502, { code: "do_request_failed" }), type: OWN },
  upstream_error: { ...failed(502), type: OWN },
  bad_response: { ...failed(502), type: OWN },
  bad_content_type: { ...failed(502), type: OWN },
  stream_response_error: failed(500),
  upstream_access_refused: failed(502, { retry: "never" }, "access"),
  get_channel_failed: failed(500, { retry: "never" }, "access"),
  process_ended: { ...failed(500, { retry: "never" }), type: OWN },
  internal_error: { ...failed(500, {}, "internal"), type: OWN },
} as const satisfies Record<string, RefusalRow>;

export type RefusalName = keyof typeof REFUSALS;

const ROWS: Readonly<Record<string, RefusalRow>> = REFUSALS;

export function refusalRowOf(name: RefusalName): RefusalRow {
  return ROWS[name] ?? REFUSALS.internal_error;
}

const byCode = new Map<string, RefusalRow>();
for (const [name, row] of Object.entries(ROWS)) byCode.set(`${row.status} ${row.code ?? name}`, row);

/** The row of an error that has only a status and a code; undefined = it is an upstream's own. */
export function refusalRowFor(status: number, code: string | number | null): RefusalRow | undefined {
  return byCode.get(`${status} ${code}`);
}

/** A row as the reply to a request whose attempts have failed. */
export function replyOf(name: RefusalName, message: string): { status: number; error: WireError } {
  const { status, type, code = name } = refusalRowOf(name);
  return { status, error: { message, type, param: null, code } };
}
