import type { BodyShare } from "../../base/body-budget";
import { BYTES_PER_VALUE, measureJson } from "../../base/json-bounds";
import { RelayError } from "../../base/relay-error";

/** Counts the values of JSON, and refuses what would take far more time and memory than its length, before it is parsed. Throws 400, 429 or 503. */
export function checkJson(body: Buffer, share: BodyShare): number {
  const bounds = measureJson(body);
  if ("values" in bounds) {
    share.add(bounds.values * BYTES_PER_VALUE);
    return bounds.values;
  }
  const what = bounds.exceeds === "depth" ? "is nested too deeply" : "has too many values";
  throw new RelayError("request_too_complex", `the request body ${what}`);
}
