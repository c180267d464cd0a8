import { type Json, readObject, readText } from "../../canonical/json";

/** Where upstreams word an error that they do not put under "error". */
const MESSAGE_KEYS = ["message", "msg", "err", "err_msg", "error_msg", "error_message", "detail"];
const CODE_KEYS = ["code", "status", "status_code", "error_code"];
/** Deeper values count as filled. */
const DEPTH_MAX = 4;

/**
 * Whether JSON that came with a success status reports a failure, in any shape that upstreams are known to use.
 * `hasAnswer`: it also holds what this dialect's answers consist of, so only a plain error counts.
 */
export function reportsError(json: Json, event: string | null, hasAnswer: boolean): boolean {
  if (event === "error" || json.type === "error" || json.object === "error" || isFilled(json.error)) return true;
  // MiniMax's answers all have a code, which is 0 where nothing failed.
  if (isFilled(readObject(json.base_resp).status_code)) return true;
  if (hasAnswer) return false;
  if (json.success === false || CODE_KEYS.some((key) => isFailureStatus(json[key]))) return true;
  return MESSAGE_KEYS.some((key) => readText(json[key]) !== "");
}

/** A status of HTTP's that stands for a failure, as a number or in digits. */
export function isFailureStatus(value: unknown): boolean {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599;
}

/** Whether anything is in it: null, false, 0, "" and what consists of them are nothing. */
export function isFilled(value: unknown, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return Boolean(value);
  return Object.values(value).some((inner) => depth === DEPTH_MAX || isFilled(inner, depth + 1));
}
