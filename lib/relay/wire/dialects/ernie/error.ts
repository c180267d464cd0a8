import { type Json, readText } from "../../canonical/json";
import type { ProviderError, WireError } from "../../canonical/wire-error";
import { reportsError } from "../common/reported-error";

/** https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh; errors come with status 200. */
const STATUSES: readonly (readonly [status: number, codes: readonly number[]])[] = [
  [401, [13, 14, 100, 110, 111]],
  [403, [6]],
  [404, [3]],
  [429, [4, 17, 18, 19, 336501, 336502, 336503, 336504, 336505]],
  [503, [2, 336100]],
  [500, [1, 336000, 336200]],
  [400, [336001, 336002, 336003, 336004, 336005, 336006, 336007, 336101, 336102, 336103, 336104, 336105]],
];

/** A prompt that is too long for the model, in the word that OpenAI has for it. */
const TOO_LONG = new Map([
  [336007, "context_length_exceeded"],
  [336103, "context_length_exceeded"],
]);

/** An error event or body: `{error_code, error_msg}`. */
export function readProviderError({ error_code: code, error_msg: message, error }: Json): ProviderError | null {
  if (typeof code !== "number" || code === 0 || typeof message !== "string" || error) return null;
  const status = STATUSES.find(([, codes]) => codes.includes(code))?.[0] ?? null;
  return {
    error: {
      message: message || `error ${code}`,
      type: "upstream_error",
      param: null,
      code: TOO_LONG.get(code) ?? code,
    },
    status,
  };
}

export function hasFailed(json: Json, event: string | null): boolean {
  return readProviderError(json) !== null || reportsError(json, event, typeof json.result === "string");
}

export function readError(json: Json): WireError {
  return (
    readProviderError(json)?.error ?? {
      message: readText(json.error_msg) || "the upstream failed",
      type: "upstream_error",
      param: null,
      code: null,
    }
  );
}
