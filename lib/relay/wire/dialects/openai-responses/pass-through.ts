import type { FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Usage } from "../../canonical/usage";
import { parseJsonObject } from "../common/json-text";
import { isFilled } from "../common/reported-error";
import type { FrameKind, FrameReader, PassThrough, PassThroughOptions } from "../dialect";
import { cutShort } from "./cut-short";
import { hasFailed } from "./error";
import { CALL_TYPES, finishReasonOf, readFinishReason } from "./finish-reason";
import { partText, typeOf } from "./items";
import { keptObjects } from "./stored";
import { withSearches } from "./usage";
import { countSearches } from "./web-search";

/** The events that end a stream, with the status of their response. */
const ENDS: ReadonlyMap<string, string> = new Map([
  ["response.completed", "completed"],
  ["response.incomplete", "incomplete"],
]);

/** How to scan responses that are passed through unchanged. */
export const passThrough: PassThrough = {
  // Only the first events and the last one have the response in them.
  notableText: /"error"|"response" *: *\{|\[DONE\]/,
  frameKey: '"type"',
  frameReader,
  answerKey: '"output"',
  hasAnswer: ({ output, status }) =>
    readArray(output).some((item) => isFilled(item)) || (Array.isArray(output) && status === "incomplete"),
  hasFailed: (json) => hasFailed(json, null),
  usageKey: '"usage"',
  finishReasonKey: '"status"',
  readFinishReason,
  // The last event repeats the answer, so that nobody but the upstream can write it.
  terminal(held) {
    if (/\n\r?\n$/.test(held)) return held;
    return /^[\s\S]*?\n\r?\n/.exec(held)?.[0] ?? `${held.trimEnd()}\n\n`;
  },
  textKeys: ['delta"'],
  bodyTextKeys: ['"text"', '"refusal"', '"arguments"', '"input"'],
  // A name stands in the declarations too, which these answers repeat.
  callKey: '"call_id"',
  cutShort,
  keptObjects,
};

function frameReader({ readUsage }: PassThroughOptions): FrameReader {
  let usage: Usage | null = null;
  let finishReason: FinishReason | null = null;
  let hasCalls = false;
  let answer: Json | null = null;
  return {
    read({ event, data }): FrameKind {
      const text = data.trim();
      if (text === "" || text === "[DONE]") return "empty";
      const frame = parseJsonObject(text);
      if (!frame) return event === "error" ? "error" : "bad";
      if (hasFailed(frame, event)) return "error";
      const type = readText(frame.type) || (event ?? "");
      hasCalls ||= CALL_TYPES.has(readObject(frame.item).type);
      const status = ENDS.get(type);
      if (status === undefined) return hasContent(frame, type) ? "content" : "empty";
      const response = readObject(frame.response);
      answer = response;
      usage = withSearches(readUsage(response.usage), countSearches(response.output));
      finishReason = finishReasonOf(response, status, hasCalls);
      return "end";
    },
    usage: () => usage,
    finishReason: () => finishReason,
    answer: () => answer,
  };
}

function hasContent(frame: Json, type: string): boolean {
  if (type.endsWith(".delta")) return isFilled(frame.delta);
  if (type === "response.output_item.added" || type === "response.output_item.done") {
    return isWritten(readObject(frame.item), type.endsWith(".done"));
  }
  // What tools that run at the upstream do, and the sources of a text.
  return /_call\.|\.annotation\./.test(type);
}

/** Whether an item holds anything. A thought counts when it is over, also one that nobody may read. */
function isWritten(item: Json, isOver: boolean): boolean {
  const type = typeOf(item);
  if (type === "message") return readArray(item.content).some((part) => partText(readObject(part)) !== "");
  return type === "reasoning" ? isOver : type !== "";
}
