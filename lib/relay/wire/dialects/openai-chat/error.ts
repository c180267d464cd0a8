import { type Json, readArray, readObject } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { type WireError, withRequestId } from "../../canonical/wire-error";
import { isFailedEnd } from "../common/failed-end";
import { isFilled, reportsError } from "../common/reported-error";

/** The error body; the request id is appended to the message. */
export function renderError({ message, type, param, code }: WireError, _status: number, requestId: string): Json {
  return { error: { message: withRequestId(message, requestId), type, param, code } };
}

export function renderCut(error: WireError, requestId: string): readonly Frame[] {
  return [{ event: null, data: JSON.stringify(renderError(error, 0, requestId)) }];
}

/** Whether a frame or a body that came with a success status reports a failure. */
export function hasFailed(json: Json, event: string | null): boolean {
  const choices = readArray(json.choices);
  // OpenRouter says so within a choice, others with the reason alone.
  for (const choice of choices) {
    const { finish_reason: reason, error } = readObject(choice);
    if (isFailedEnd(reason) || isFilled(error)) return true;
  }
  // A frame may have nothing but usage.
  return reportsError(json, event, choices.length > 0 || isFilled(json.usage));
}
