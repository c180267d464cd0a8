import type { FinishReason } from "../../canonical/finish-reason";
import { type Json, readObject, readText } from "../../canonical/json";
import type { LineReader, PassThrough, PassThroughOptions } from "../dialect";
import { parseJsonObject } from "../json-text";
import { cutShort } from "./cut-short";
import { readFinishReason } from "./finish-reason";
import { mergeUsage } from "./usage";

const DATA = "data:";
const STOP_EVENT = /^event: *message_stop$/;
const WHOLE_STOP = /^(?:event: *message_stop\r?\n)?data:.*"message_stop".*\r?\n\r?\n$/;
const STOP_FRAME = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';

/** How to scan responses that are passed through unchanged. */
export const passThrough: PassThrough = {
  notableLines: /"usage" *: *\{|"stop_reason" *: *"|message_stop/,
  lineReader,
  leadingError: /^\s*(?:event: *error\s+)?data:\s*\{\s*"(?:type"\s*:\s*"error"|error"\s*:\s*[{"])/,
  errorBody: /^\s*\{\s*"(?:type"\s*:\s*"error"|error"\s*:\s*[{"])/,
  usageKey: '"usage"',
  finishReasonKey: '"stop_reason"',
  readFinishReason,
  // The upstream's own stop event may be incomplete.
  terminal: (held) => (WHOLE_STOP.test(held) ? held : STOP_FRAME),
  textKeys: ['text"', 'thinking"', 'partial_json"'],
  cutShort,
};

function lineReader({ readUsage }: PassThroughOptions): LineReader {
  let begun: Json = {};
  // Stays null until message_delta: the usage in message_start does not include the response yet.
  let usage: Json | null = null;
  let finishReason: FinishReason | null = null;
  return {
    read(line) {
      if (STOP_EVENT.test(line)) return "end";
      const frame = line.startsWith(DATA) ? parseJsonObject(line.slice(DATA.length)) : null;
      if (frame?.type === "message_stop") return "end";
      if (frame?.type === "message_start") begun = readObject(readObject(frame.message).usage);
      if (frame?.type !== "message_delta") return "pass";
      usage = mergeUsage(usage ?? begun, readObject(frame.usage));
      const raw = readText(readObject(frame.delta).stop_reason);
      if (raw !== "") finishReason = readFinishReason(raw);
      return "pass";
    },
    usage: () => (usage ? readUsage(usage) : null),
    finishReason: () => finishReason,
  };
}
