import { type Json, readObject, readText } from "../../canonical/json";
import type { WireError } from "../../canonical/wire-error";
import { isFailedEnd } from "../common/failed-end";
import { reportsError } from "../common/reported-error";

/** Whether a frame or a body that came with a success status reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  const isAnswer = json.output !== undefined || json.contentBlockIndex !== undefined;
  if (isFailedEnd(json.stopReason)) return true;
  return reportsError(json, event, isAnswer) || (!isAnswer && readText(json.__type) !== "");
}

export function readError(json: Json): WireError {
  const { message, type } = readObject(json.error);
  const text = [message, json.error, json.message, json.Message].map(readText).find((given) => given !== "");
  const name = readText(type) || readText(json.__type);
  return { message: text ?? "the upstream failed", type: name || "upstream_error", param: null, code: null };
}
