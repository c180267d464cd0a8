import { isFilledObject, type Json, readArray, readObject, readText } from "../../canonical/json";
import type { WireError } from "../../canonical/wire-error";
import { type ProviderError, statusOfCode } from "../../canonical/wire-error";
import { reportsError } from "../common/reported-error";

/** https://cloud.tencent.com/document/product/1729/101845; errors come with status 200. */
const STATUSES = [
  ["AuthFailure", 401],
  ["UnauthorizedOperation", 403],
  ["FailedOperation.ServiceNotActivated", 403],
  ["FailedOperation.ServiceStop", 403],
  ["FailedOperation.UserUnAuthError", 403],
  ["FailedOperation.PartnerAccountUnSupport", 403],
  ["FailedOperation.FreeResourcePackExhausted", 402],
  ["FailedOperation.ResourcePackExhausted", 402],
  ["FailedOperation.ServiceStopArrears", 402],
  ["ResourceInsufficient.ChargeResourceExhaust", 402],
  ["ResourceUnavailable.InArrears", 402],
  ["ResourceUnavailable.LowBalance", 402],
  ["ResourceUnavailable.NotExist", 403],
  ["ResourceUnavailable.StopUsing", 403],
  ["RequestLimitExceeded", 429],
  ["LimitExceeded", 429],
  ["FailedOperation.EngineServerLimitExceeded", 429],
  ["FailedOperation.EngineRequestTimeout", 504],
  ["FailedOperation", 500],
  ["InternalError", 500],
  ["InvalidParameter", 400],
  ["InvalidParameterValue", 400],
  ["MissingParameter", 400],
  ["UnknownParameter", 400],
  ["UnsupportedOperation", 400],
  ["OperationDenied", 400],
  ["InvalidAction", 400],
  ["InvalidRequest", 400],
  ["RequestSizeLimitExceeded", 413],
  ["ServiceUnavailable", 503],
] as const;

/** Content that the provider does not allow, in the word that others have for it. */
const DENIED = /^OperationDenied\.\w*IllegalDetected$/;

/** What goes wrong while the model writes: "4001" = it took too long, "4000" = everything else. */
const TIMED_OUT = 4001;

/** A body `{Response: {Error: {Code, Message}}}`, or an event with `ErrorMsg: {Msg, Code}`. */
export function readProviderError(json: Json): ProviderError | null {
  const { Error: refused, ErrorMsg: failed } = innerOf(json);
  const { Code: code, Message: message } = readObject(refused);
  if (typeof code === "string" && typeof message === "string") {
    const named = DENIED.test(code) ? "content_filter" : code;
    return { error: wireError(message || code, named), status: statusOfCode(code, STATUSES) };
  }
  const { Code: number, Msg: text } = readObject(failed);
  if (typeof text !== "string" && typeof number !== "number") return null;
  const told = readText(text) || "the upstream failed";
  return {
    error: wireError(told, typeof number === "number" ? number : null),
    status: number === TIMED_OUT ? 504 : 500,
  };
}

function wireError(message: string, code: WireError["code"]): WireError {
  return { message, type: "upstream_error", param: null, code };
}

/** Events of a stream come without the wrapping of whole answers. */
export function innerOf(json: Json): Json {
  return isFilledObject(json.Response) ? readObject(json.Response) : json;
}

export function hasFailed(json: Json, event: string | null): boolean {
  return readProviderError(json) !== null || reportsError(json, event, readArray(innerOf(json).Choices).length > 0);
}

export function readError(json: Json): WireError {
  return readProviderError(json)?.error ?? wireError(readText(json.message) || "the upstream failed", null);
}
