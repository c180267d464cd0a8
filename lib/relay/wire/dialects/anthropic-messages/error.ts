import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { type WireError, withRequestId } from "../../canonical/wire-error";
import { ANTHROPIC_TYPES, saysTooLong, wordsOf } from "../common/error-words";
import { isFailedEnd } from "../common/failed-end";
import { reportsError } from "../common/reported-error";

function typeOf({ type }: WireError, status: number): string {
  if (ANTHROPIC_TYPES.has(type) && type !== "invalid_request_error") return type;
  return wordsOf(status).anthropic;
}

/** Upon this code, clients go on without a thread by themselves. */
export const THREAD_UNSUPPORTED = "thread_unsupported_request";

/** The error body; the request id is appended to the message. */
export function renderError(error: WireError, status: number, requestId: string): Json {
  const said = saysTooLong(error, /prompt is too long/i, "prompt is too long");
  const message = withRequestId(said, requestId);
  const details = error.code === THREAD_UNSUPPORTED ? { details: { error_code: THREAD_UNSUPPORTED } } : {};
  return { type: "error", error: { type: typeOf(error, status), message, ...details }, request_id: requestId };
}

/** An error in mid-stream. Without a status to derive a type from, an unknown type becomes "api_error". */
export function renderCut(error: WireError, requestId: string, status = 500): readonly Frame[] {
  const type = ANTHROPIC_TYPES.has(error.type) ? error.type : wordsOf(status).anthropic;
  const data = { type: "error", error: { type, message: error.message }, request_id: requestId };
  return [{ event: "error", data: JSON.stringify(data) }];
}

/** Whether a frame or a body that came with a success status reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  if (isFailedEnd(json.stop_reason) || isFailedEnd(readObject(json.delta).stop_reason)) return true;
  return reportsError(json, event, readText(json.type) !== "" || Array.isArray(json.content));
}
