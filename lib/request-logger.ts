import pino from "pino";
import { LOG_SETTINGS } from "./log-settings";

/** Below 4 KiB a write to a pipe is one piece, so that lines of several processes never mix. */
const TOGETHER_BYTES = 3_000;
const MOST_BYTES = 4_096;
const LATEST_MS = 250;

/**
 * The same log as `logger`, for the line of each request: lines are written together, because a write costs more than the
 * line. They are late by at most 250 ms; a process that is killed loses those.
 */
export function createRequestLogger(): pino.Logger {
  const lines = pino.destination({ sync: true, minLength: TOGETHER_BYTES, maxWrite: MOST_BYTES });
  setInterval(() => lines.flush(), LATEST_MS).unref();
  process.once("exit", () => lines.flushSync());
  return pino(LOG_SETTINGS, lines);
}
