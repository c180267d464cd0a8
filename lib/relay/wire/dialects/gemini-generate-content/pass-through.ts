import type { FinishReason } from "../../canonical/event";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { isFailedEnd, isUnknownEnd } from "../common/failed-end";
import { parseJsonObject } from "../common/json-text";
import { isFilled } from "../common/reported-error";
import type { FrameReader, PassThrough, PassThroughOptions } from "../dialect";
import { cutShort } from "./cut-short";
import { hasFailed } from "./error";
import { partsOf } from "./fields";
import { finishReasonOf, finishWordOf, readFinishReason } from "./finish-reason";
import { countQueries } from "./grounding";
import { withSearches } from "./usage";

/** How to scan responses that are passed through unchanged. */
export const passThrough: PassThrough = {
  // Usage is in every frame; that of the last one counts.
  notableText: /"error"|"finishReason" *: *"|"blockReason"|"functionCall"/,
  frameKey: '"candidates"',
  frameReader,
  hasRunningUsage: true,
  answerKey: '"candidates"',
  hasAnswer: (json) =>
    blockReasonOf(json) !== "" || readArray(json.candidates).some((candidate) => isFilled(candidate)),
  hasFailed: (json) => hasFailed(json, null),
  usageKey: '"usageMetadata"',
  finishReasonKey: '"finishReason"',
  readFinishReason,
  // The last frame is followed by nothing but the end of the body.
  terminal: () => "",
  textKeys: ['text"', 'args"', 'code"', 'output"'],
  callKey: '"name"',
  cutShort,
};

/** Why Google did not pass the prompt on to the model; "" = it did. */
export function blockReasonOf({ promptFeedback }: Json): string {
  return readText(readObject(promptFeedback).blockReason);
}

function frameReader({ readUsage }: PassThroughOptions): FrameReader {
  let usage: Json | null = null;
  let raw = "";
  let hasCalls = false;
  let finishReason: FinishReason | null = null;
  let searches = 0;
  let hasBegun = false;
  return {
    read({ event, data }) {
      if (data.trim() === "") return "empty";
      const frame = parseJsonObject(data);
      if (!frame) return event === "error" ? "error" : "bad";
      if (hasFailed(frame, event) && !(hasBegun && isUnknownToUs(frame))) return "error";
      // The last frame of a blocked answer may have zeros; the counts before it stay.
      if (isFilled(frame.usageMetadata)) usage = readObject(frame.usageMetadata);
      else if (frame.usageMetadata !== undefined) usage ??= readObject(frame.usageMetadata);
      const candidates = readArray(frame.candidates).map(readObject);
      for (const candidate of candidates) {
        hasCalls ||= partsOf(candidate.content).some((part) => part.functionCall !== undefined);
        raw = finishWordOf(candidate) || raw;
        if (candidate.groundingMetadata !== undefined) searches = countQueries(candidate);
      }
      const blocked = blockReasonOf(frame);
      if (blocked !== "") finishReason = { unified: "content-filter", raw: blocked };
      else if (raw !== "") finishReason = finishReasonOf(raw, hasCalls);
      const isContent = blocked !== "" || candidates.some(hasContent);
      hasBegun ||= isContent;
      return isContent ? "content" : "empty";
    },
    usage: () => (usage ? withSearches(readUsage(usage), searches) : null),
    finishReason: () => finishReason,
  };
}

/** An answer whose end has a reason that Google's own callers may know. */
function isUnknownToUs(frame: Json): boolean {
  const candidates = readArray(frame.candidates).map(readObject);
  return candidates.some(isUnknownEnd) && !candidates.some(({ finishReason }) => isFailedEnd(finishReason));
}

function hasContent(candidate: Json): boolean {
  return finishWordOf(candidate) !== "" || partsOf(candidate.content).some((part) => isFilled(part));
}
