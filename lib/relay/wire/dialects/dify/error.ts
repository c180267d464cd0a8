import { type Json, readObject, readText } from "../../canonical/json";
import type { ProviderError, WireError } from "../../canonical/wire-error";
import { isFailureStatus, reportsError } from "../common/reported-error";

const FAILED = "the application failed";

/** An error event or body, `{code, message, status}`, or the end of a workflow that failed. */
export function readProviderError(json: Json): ProviderError | null {
  if (json.error) return null;
  if (isFailedWorkflow(json)) return { error: wireError(readText(readObject(json.data).error), ""), status: null };
  const { code, message, status } = json;
  if (typeof code !== "string" || typeof message !== "string" || !isFailureStatus(status)) return null;
  return { error: wireError(message, code), status: Number(status) };
}

function wireError(message: string, code: string): WireError {
  return { message: message || FAILED, type: "upstream_error", param: null, code: code || null };
}

/** Its nodes may fail and be dealt with; a workflow that fails gives no answer. */
function isFailedWorkflow({ event, data }: Json): boolean {
  return event === "workflow_finished" && readObject(data).status === "failed";
}

export function hasFailed(json: Json, event: string | null): boolean {
  if (json.event === "error" || readProviderError(json)) return true;
  return reportsError(json, event, typeof json.event === "string" || typeof json.answer === "string");
}

export function readError(json: Json): WireError {
  const { message, code } = json.error ? readObject(json.error) : json;
  return readProviderError(json)?.error ?? wireError(readText(message) || readText(json.error), readText(code));
}
