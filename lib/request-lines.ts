import pino from "pino";
import { LOG_SETTINGS } from "./logger";

/** Where lines of requests go. */
export type RequestLines = {
  /** The least level that is written. */
  level: number;
  /** Of each line, after its level and time: `,"pid":7` or "". */
  base: string;
  /** `isUrgent`: at once, with all that wait. */
  write(line: string, isUrgent: boolean): void;
};

/** Up to 4 KiB a write to a pipe is one piece, so that lines of several processes never mix. */
const TOGETHER_BYTES = 4_096;
const LATEST_MS = 250;
/** UTF-8 has at most so many bytes for a unit of a string. */
const BYTES_PER_UNIT = 3;

type Sink = { write(bytes: Buffer): unknown };

/**
 * Lines of requests as `logger` would write them. They are written together, because a write costs more than the line: late by
 * at most 250 ms, and a process that is killed loses those.
 */
export function createRequestLines(): RequestLines {
  // Whatever it is given is written when it returns.
  const sink = pino.destination({ sync: true, contentMode: "buffer" });
  const lines = gatherLines({ write: (bytes) => sink.write(bytes as unknown as string) });
  setInterval(lines.flush, LATEST_MS).unref();
  process.once("exit", lines.flush);
  const level = pino.levels.values[LOG_SETTINGS.level] ?? 0;
  return { level, base: `,"pid":${process.pid}`, write: lines.write };
}

/** In one buffer that is used again and again: as strings they would be copied several times. */
export function gatherLines(sink: Sink): { write: RequestLines["write"]; flush: () => void } {
  let buffer = Buffer.allocUnsafeSlow(TOGETHER_BYTES);
  let used = 0;
  function flush(): void {
    if (used === 0) return;
    const bytes = buffer.subarray(0, used);
    used = 0;
    try {
      sink.write(bytes);
    } catch (error) {
      // It keeps what it could not write.
      buffer = Buffer.allocUnsafeSlow(TOGETHER_BYTES);
      throw error;
    }
  }
  return {
    write(line, isUrgent) {
      let bytes = line.length * BYTES_PER_UNIT;
      if (used + bytes > TOGETHER_BYTES) {
        bytes = Buffer.byteLength(line);
        if (used + bytes > TOGETHER_BYTES) flush();
      }
      if (bytes > TOGETHER_BYTES) sink.write(Buffer.from(line));
      else used += buffer.write(line, used);
      if (isUrgent) flush();
    },
    flush,
  };
}
