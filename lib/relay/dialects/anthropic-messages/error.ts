import { type Json, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import type { WireError } from "../../canonical/wire-error";
import { reportsError } from "../reported-error";

const TYPE_BY_STATUS: ReadonlyMap<number, string> = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [503, "overloaded_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);
const TYPES = new Set([...TYPE_BY_STATUS.values(), "api_error"]);

function typeOf(error: WireError, status: number): string {
  if (TYPES.has(error.type) && error.type !== "invalid_request_error") return error.type;
  return TYPE_BY_STATUS.get(status) ?? (status < 500 ? "invalid_request_error" : "api_error");
}

/** Upon this code, clients go on without a thread by themselves. */
export const THREAD_UNSUPPORTED = "thread_unsupported_request";

/** The error body; the request id is appended to the message. */
export function renderError(error: WireError, status: number, requestId: string): Json {
  const message = `${error.message} (request id: ${requestId})`;
  const details = error.code === THREAD_UNSUPPORTED ? { details: { error_code: THREAD_UNSUPPORTED } } : {};
  return { type: "error", error: { type: typeOf(error, status), message, ...details }, request_id: requestId };
}

/** An error in mid-stream. There is no HTTP status to derive a type from, so an unknown type becomes "api_error". */
export function renderCut(error: WireError, requestId: string): readonly Frame[] {
  const type = TYPES.has(error.type) ? error.type : "api_error";
  const data = { type: "error", error: { type, message: error.message }, request_id: requestId };
  return [{ event: "error", data: JSON.stringify(data) }];
}

/** Whether a frame or a body that came with a success status reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  return reportsError(json, event, readText(json.type) !== "" || Array.isArray(json.content));
}
