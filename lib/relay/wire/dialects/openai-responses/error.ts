import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { type WireError, withRequestId } from "../../canonical/wire-error";
import { isFilled, reportsError } from "../common/reported-error";
import type { SentSoFar } from "../dialect";

/** The error body; the request id is appended to the message. */
export function renderError({ message, type, param, code }: WireError, _status: number, requestId: string): Json {
  return { error: { message: withRequestId(message, requestId), type, param, code } };
}

/**
 * An error, for which OpenAI's clients throw, and then the event that ends a response that failed, for which others wait:
 * https://platform.openai.com/docs/api-reference/responses-streaming/response/failed (November 2026).
 */
export function renderCut(error: WireError, requestId: string, status = 500, sent?: SentSoFar): readonly Frame[] {
  const sequence = nextSequence(sent?.last ?? "");
  const code = typeof error.code === "string" ? error.code : status === 429 ? "rate_limit_exceeded" : "server_error";
  const message = withRequestId(error.message, requestId);
  const response = {
    ...{ id: sent?.answerId || `resp_weir_${requestId}`, object: "response", status: "failed" },
    ...{ error: { code, message }, incomplete_details: null, output: [], usage: null },
  };
  const failed = { type: "response.failed", sequence_number: sequence + 1, response };
  return [errorFrame(error, requestId, sequence), { event: failed.type, data: JSON.stringify(failed) }];
}

/** The number after that of the last event. */
function nextSequence(last: string): number {
  const at = last.lastIndexOf('"sequence_number"');
  const number = at === -1 ? null : /^"sequence_number" *: *(\d+)/.exec(last.slice(at, at + 40));
  return number ? Number(number[1]) + 1 : 0;
}

/** The id in the event that begins a stream. */
export function answerIdIn(first: string): string {
  return /"response" *: *\{[^{}]*?"id" *: *"(resp_[^"\\]{1,512})"/.exec(first)?.[1] ?? "";
}

/**
 * An error in mid-stream. The schema has its fields at the top; OpenAI sends them in an object, and its clients throw
 * for that.
 */
export function errorFrame(given: WireError, requestId: string, sequence: number): Frame {
  const { error } = renderError(given, 0, requestId);
  const { message, param, code } = readObject(error);
  const data = { type: "error", sequence_number: sequence, code, message, param, error };
  return { event: "error", data: JSON.stringify(data) };
}

/** Whether a frame or a body that came with a success status reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  const response = readObject(json.response);
  if (json.type === "response.failed" || event === "response.failed") return true;
  if (hasStopped(json.status) || hasStopped(response.status) || isFilled(response.error)) return true;
  const isOwn = readText(json.type) !== "" || readText(json.object) === "response" || Array.isArray(json.output);
  return reportsError(json, event, isOwn);
}

function hasStopped(status: unknown): boolean {
  return status === "failed" || status === "cancelled";
}

export function readError(json: Json): WireError {
  const own = json.error ?? readObject(json.response).error;
  const { message, type, param, code } = own === undefined || own === null ? { ...json, type: "" } : readObject(own);
  return {
    message: readText(message) || readText(own) || "the upstream failed",
    type: readText(type) || "upstream_error",
    param: readText(param) || null,
    code: typeof code === "number" ? code : readText(code) || null,
  };
}
