import { BYTES_PER_VALUE, measureJson } from "../json-bounds";
import type { BodyShare } from "../limits/body-budget";
import { RelayError } from "../relay-error";

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
