import { isFilledObject, type Json, readArray, readObject, readText } from "../../canonical/json";
import type { WireError } from "../../canonical/wire-error";
import { type ProviderError, statusOfCode } from "../../canonical/wire-error";
import { isFailedEnd } from "../common/failed-end";
import { reportsError } from "../common/reported-error";

/** https://help.aliyun.com/zh/model-studio/developer-reference/error-code */
const STATUSES = [
  ["InvalidApiKey", 401],
  ["AccessDenied", 403],
  ["Model.AccessDenied", 403],
  ["Workspace.AccessDenied", 403],
  ["ModelNotFound", 404],
  ["RequestTimeOut", 408],
  ["BadRequest.TooLarge", 413],
  ["Throttling", 429],
  ["LimitRequests", 429],
  ["InvalidParameter", 400],
  ["InvalidURL", 400],
  ["BadRequest", 400],
  ["DataInspectionFailed", 400],
  ["Arrearage", 400],
  ["UnsupportedOperation", 400],
  ["ModelServingError", 503],
  ["ModelUnavailable", 503],
  ["InternalError", 500],
  ["SystemError", 500],
] as const;

/** An error event or body: `{code, message, request_id}`. */
export function readProviderError(json: Json): ProviderError | null {
  const { code, message, request_id: requestId, output, error } = json;
  if (typeof code !== "string" || code === "" || typeof message !== "string" || typeof requestId !== "string")
    return null;
  if (isFilledObject(output) || isFilledObject(error)) return null;
  return {
    error: { message: message || code, type: "upstream_error", param: null, code },
    status: statusOfCode(code, STATUSES),
  };
}

export function hasFailed(json: Json, event: string | null): boolean {
  const choices = readArray(readObject(json.output).choices);
  if (choices.some((choice) => isFailedEnd(readObject(choice).finish_reason))) return true;
  return readProviderError(json) !== null || reportsError(json, event, isFilledObject(json.output));
}

export function readError(json: Json): WireError {
  return (
    readProviderError(json)?.error ?? {
      message: readText(json.message) || "the upstream failed",
      type: "upstream_error",
      param: null,
      code: readText(json.code) || null,
    }
  );
}
