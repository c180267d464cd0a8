import { type Json, readObject, readText } from "../../canonical/json";
import type { WireError } from "../../canonical/wire-error";
import { isFilled, reportsError } from "../common/reported-error";
import { isFailure } from "./finish-reason";

/** Whether a frame, or a body that came with a success status, reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  const delta = readObject(json.delta);
  if (isFilled(delta.error) || isFailure(delta.finish_reason) || isFailure(json.finish_reason)) return true;
  const isAnswer = typeof json.message === "object" || typeof json.type === "string";
  return reportsError(json, event, isAnswer);
}

export function readError(json: Json): WireError {
  const delta = readObject(json.delta);
  const { message, type } = readObject(json.error);
  const words = [message, json.error, delta.error, json.message].map(readText);
  const reason = readText(delta.finish_reason) || readText(json.finish_reason);
  return {
    message: words.find((text) => text !== "") ?? "the upstream failed",
    type: readText(type) || "upstream_error",
    param: null,
    code: reason || null,
  };
}
