import { type Json, readText } from "../../canonical/json";
import type { ProviderError, WireError } from "../../canonical/wire-error";
import { isFailureStatus, reportsError } from "../common/reported-error";

/** `{success, errCode, message}` */
export function readProviderError(json: Json): ProviderError | null {
  const { errCode: code, message } = json;
  if (typeof code !== "number" || code === 0 || typeof message !== "string") return null;
  const error = { message: message || `error ${code}`, type: "upstream_error", param: null, code };
  return { error, status: isFailureStatus(code) ? code : null };
}

export function hasFailed(json: Json, event: string | null): boolean {
  if (readProviderError(json) || json.success === false) return true;
  return reportsError(json, event, typeof json.answer === "string" || typeof json.content === "string");
}

export function readError(json: Json): WireError {
  const message = readText(json.message) || readText(json.error) || "the library failed";
  return readProviderError(json)?.error ?? { message, type: "upstream_error", param: null, code: null };
}
