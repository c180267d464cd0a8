import { type Json, readObject, readText } from "../../canonical/json";
import type { ProviderError, WireError } from "../../canonical/wire-error";
import { reportsError } from "../common/reported-error";

/** https://docs.coze.cn/developer_guides/coze_error_codes; most errors come with status 200. */
const STATUSES: readonly (readonly [status: number, codes: readonly number[]])[] = [
  [400, [4000, 4001, 4002, 4003, 4006]],
  [401, [4100, 700012006, 700012014, 700012015]],
  [402, [4008, 4011, 4027, 4028]],
  [403, [4101, 4105]],
  [404, [4015, 4200]],
  [429, [4009, 4013]],
  [500, [5000]],
];

/** Null for every JSON that may be another provider's: only its own codes, and chats that failed, are surely Coze's. */
export function readProviderError(json: Json): ProviderError | null {
  const error = readFailure(json);
  if (!error || json.success !== undefined) return null;
  const status = STATUSES.find(([, codes]) => codes.some((code) => code === error.code))?.[0] ?? null;
  return status === null && json.last_error === undefined ? null : { error, status };
}

/** `{code, msg}` of an error event or body, or in `last_error` of a chat that failed. */
function readFailure(json: Json): WireError | null {
  const failed = readObject(json.last_error);
  const { code, msg } = json.status === "failed" && isCode(failed.code) ? failed : json;
  return isCode(code) && typeof msg === "string" && !json.error ? wireError(msg || `error ${code}`, code) : null;
}

function isCode(code: unknown): code is number {
  return typeof code === "number" && code !== 0;
}

function wireError(message: string, code: number | null): WireError {
  return { message, type: "upstream_error", param: null, code };
}

export function hasFailed(json: Json, event: string | null): boolean {
  if (event === "conversation.chat.failed" || event === "conversation.chat.requires_action") return true;
  return readFailure(json) !== null || reportsError(json, event, readText(json.id) !== "");
}

export function readError(json: Json, event: string | null): WireError {
  if (event === "conversation.chat.requires_action") return wireError("the bot waits for a tool of its own", null);
  return (
    readFailure(json) ??
    wireError(readText(json.msg) || readText(readObject(json.error).message) || "the bot failed", null)
  );
}
