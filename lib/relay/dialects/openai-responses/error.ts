import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import type { WireError } from "../../canonical/wire-error";
import { isFilled, reportsError } from "../reported-error";

/** The error body; the request id is appended to the message. */
export function renderError({ message, type, param, code }: WireError, _status: number, requestId: string): Json {
  return { error: { message: `${message} (request id: ${requestId})`, type, param, code } };
}

export function renderCut(error: WireError, requestId: string): readonly Frame[] {
  return [errorFrame(error, requestId, 0)];
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
