import pino from "pino";
import { LOG_SETTINGS } from "./logger";

/** Where lines of requests go. */
export type RequestLines = {
  /** The least level that is written. */
  level: number;
  /** Of each line, after its level and time: `,"pid":7` or "". */
  base: string;
  write(line: string): void;
};

/** Below 4 KiB a write to a pipe is one piece, so that lines of several processes never mix. */
const TOGETHER_BYTES = 3_000;
const MOST_BYTES = 4_096;
const LATEST_MS = 250;

/**
 * Lines of requests as `logger` would write them. They are written together, because a write costs more than the line: late by
 * at most 250 ms, and a process that is killed loses those.
 */
export function createRequestLines(): RequestLines {
  const lines = pino.destination({ sync: true, minLength: TOGETHER_BYTES, maxWrite: MOST_BYTES });
  setInterval(() => lines.flush(), LATEST_MS).unref();
  process.once("exit", () => lines.flushSync());
  const level = pino.levels.values[LOG_SETTINGS.level] ?? 0;
  return { level, base: `,"pid":${process.pid}`, write: (line) => void lines.write(line) };
}
