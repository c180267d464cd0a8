import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { type ErrorTerms, type WireError, withRequestId } from "../../canonical/wire-error";
import { saysTooLong, wordsOf } from "../common/error-words";
import { isFailedEnd, isUnknownEnd } from "../common/failed-end";
import { isFailureStatus, isFilled, reportsError } from "../common/reported-error";
import { partsOf } from "./fields";

/** The error body; the request id is appended to the message. */
export function renderError(error: WireError, status: number, requestId: string, terms?: ErrorTerms): Json {
  const said = saysTooLong(error, /token count .{0,40}exceeds/i, "The input token count exceeds the model's limit");
  const details = terms ? detailsOf(terms) : [];
  const told = { code: status, message: withRequestId(said, requestId), status: wordsOf(status).google };
  return { error: details.length === 0 ? told : { ...told, details } };
}

const TYPES = "type.googleapis.com/google.rpc";

/** Google's clients look here for the reason, and for the time to wait; without a time they do not try again for long. */
function detailsOf({ reason, help, retryAfterMs }: ErrorTerms): Json[] {
  const wait = `${Math.ceil(retryAfterMs / 1_000)}s`;
  return [
    ...(reason === "" ? [] : [{ "@type": `${TYPES}.ErrorInfo`, reason, domain: "weir" }]),
    ...(help === ""
      ? []
      : [{ "@type": `${TYPES}.Help`, links: [{ description: "What this error means", url: help }] }]),
    ...(retryAfterMs > 0 ? [{ "@type": `${TYPES}.RetryInfo`, retryDelay: wait }] : []),
  ];
}

/** An error in mid-stream has no HTTP status, so that one of its own is told. */
function statusOf({ code }: WireError, status = 500): number {
  return isFailureStatus(code) ? Number(code) : (wordsOf(status).googleStatus ?? status);
}

export function renderCut(error: WireError, requestId: string, status?: number): readonly Frame[] {
  return [{ event: null, data: writeCut(error, requestId, status) }];
}

/** Google writes an error into a stream without "data:"; its clients look for it there, and overlook it in an event. */
export function writeCut(error: WireError, requestId: string, status?: number): string {
  return JSON.stringify(renderError(error, statusOf(error, status), requestId));
}

/** Whether a frame or a body that came with a success status reports a failure. A call that the model wrote wrongly is one. */
export function reportsFailure(json: Json, event: string | null): boolean {
  const { candidates, promptFeedback, usageMetadata } = json;
  const isAnswer = Array.isArray(candidates) || promptFeedback !== undefined || usageMetadata !== undefined;
  if (reportsError(json, event, isAnswer)) return true;
  return readArray(candidates).some((candidate) => isFailedEnd(readObject(candidate).finishReason));
}

/** A candidate that ends for an unknown reason without anything in it. */
function isNothing(candidate: Json): boolean {
  return isUnknownEnd(candidate) && !partsOf(candidate.content).some((part) => isFilled(part));
}

/** The same; also when every candidate is empty and ended for an unknown reason. */
export function hasFailed(json: Json, event: string | null): boolean {
  const candidates = readArray(json.candidates).map(readObject);
  return reportsFailure(json, event) || (candidates.length > 0 && candidates.every(isNothing));
}

/** The same for other dialects, which have no word for an unknown reason: an answer that ends for one has failed, whatever it held. */
export function hasFailedElsewhere(json: Json, event: string | null): boolean {
  return hasFailed(json, event) || readArray(json.candidates).map(readObject).some(endsUnknown);
}

function endsUnknown(candidate: Json): boolean {
  const hasCall = partsOf(candidate.content).some((part) => part.functionCall !== undefined);
  return !hasCall && isUnknownEnd(candidate);
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
