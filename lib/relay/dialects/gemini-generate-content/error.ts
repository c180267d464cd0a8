import { type Json, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import type { WireError } from "../../canonical/wire-error";
import { saysTooLong, wordsOf } from "../error-words";
import { isFailureStatus, reportsError } from "../reported-error";

/** The error body; the request id is appended to the message. */
export function renderError(error: WireError, status: number, requestId: string): Json {
  const said = saysTooLong(error, /token count .{0,40}exceeds/i, "The input token count exceeds the model's limit");
  return { error: { code: status, message: `${said} (request id: ${requestId})`, status: wordsOf(status).google } };
}

/** An error in mid-stream has no HTTP status, so that one of its own is told. */
function statusOf({ code }: WireError): number {
  return isFailureStatus(code) ? Number(code) : 500;
}

export function renderCut(error: WireError, requestId: string): readonly Frame[] {
  return [{ event: null, data: JSON.stringify(renderError(error, statusOf(error), requestId)) }];
}

/** Google writes an error into a stream without "data:"; its clients look for it there, and overlook it in an event. */
export function writeCut(error: WireError, requestId: string): string {
  return JSON.stringify(renderError(error, statusOf(error), requestId));
}

/** Whether a frame or a body that came with a success status reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  const { candidates, promptFeedback, usageMetadata } = json;
  const isAnswer = Array.isArray(candidates) || promptFeedback !== undefined || usageMetadata !== undefined;
  return reportsError(json, event, isAnswer);
}

export function readError(json: Json): WireError {
  const { message, status, code } = readObject(json.error);
  return {
    message: readText(message) || readText(json.error) || readText(json.message) || "the upstream failed",
    type: readText(status) || "upstream_error",
    param: null,
    code: typeof code === "number" ? code : readText(code) || null,
  };
}
