import { type Json, readObject, readText } from "../../canonical/json";
import type { WireError } from "../../canonical/wire-error";
import { reportsError } from "../common/reported-error";

/** Whether a line, or a body that came with a success status, reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  return reportsError(json, event, typeof json.message === "object" || json.done === true);
}

export function readError({ error, message }: Json): WireError {
  const words = [error, readObject(error).message, message].map(readText);
  const found = words.find((text) => text !== "") ?? "the upstream failed";
  return { message: found, type: "upstream_error", param: null, code: null };
}
