import type { Frame } from "../wire/canonical/machine";
import type { FrameReader, PassThrough } from "../wire/dialects/dialect";
import { AnswerCut } from "./answer";
import { emptyRefusal, reportedFailure } from "./refusal";
import { type Sample, SampledText } from "./sampled-text";
import type { TextLength, WrittenText } from "./text-length";
import { isUsual } from "./usual-events";
import { endOfWholeEvents, splitEvents } from "./whole-events";

const NEWLINE = 0x0a;

/** Limit for an event without an end; a longer one fails the response. */
const EVENT_BYTES_MAX = 10 * 1_048_576;
/** Limit for the stored bytes after the upstream's end marker. */
const HELD_BYTES_MAX = 65_536;
/** Limits for what is held back before the answer begins: then it goes to the client as it is. */
const LEADING_BYTES_MAX = 65_536;
const LEADING_EVENTS_MAX = 200;

export class LineTooLong extends Error {}

/** What some whole events consist of. */
type Sorted = { kept: Buffer; hasContent: boolean; badEvents: number; dataEvents: number; end: Buffer | null };

/**
 * Scans an event stream without parsing every event: forwards whole events, passes the few notable ones to the
 * dialect's reader, and holds back what comes before the answer's beginning and the end.
 */
export class StreamScanner {
  isDone = false;
  /** Events with data, but several that arrive together may count as one. */
  events = 0;
  badEvents = 0;
  /** The events that came last. */
  last: Buffer = Buffer.alloc(0);
  private readonly text: SampledText;
  /** The first content has arrived. */
  private hasBegun = false;
  private leading: Buffer[] = [];
  private leadingBytes = 0;
  private parts: Buffer[] = [];
  private partBytes = 0;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private readonly dialect: PassThrough;
  private readonly reader: FrameReader;

  constructor(dialect: PassThrough, reader: FrameReader, hasTools = false) {
    this.dialect = dialect;
    this.reader = reader;
    this.text = new SampledText(dialect.textKeys, hasTools ? dialect.callKey : undefined);
  }

  get written(): WrittenText {
    return this.text.written;
  }

  /** Takes received bytes; returns what can be sent now. Throws LineTooLong, and as `Answer.push` does. */
  push(chunk: Buffer): Buffer | null {
    if (this.isDone) {
      this.hold(chunk);
      return null;
    }
    const events = this.wholeEvents(chunk);
    if (events === null) return null;
    // One search in a latin1 string takes a fifth of the time of several searches in the bytes.
    const text = events.toString("latin1");
    if (!this.hasBegun || !isUsual(text, this.dialect)) return this.inspect(events);
    this.events += 1;
    this.last = events;
    this.text.add(events, text);
    return events;
  }

  /** Called at the clean end of the stream; returns what to send before the terminal frame. Throws as `Answer.end` does. */
  end(): Buffer | null {
    const rest = this.isDone || this.partBytes === 0 ? null : this.sort(this.takeParts(Buffer.from("\n\n")));
    if (rest?.end) {
      this.isDone = true;
      this.hold(rest.end);
    }
    // A line that breaks off is no clean end.
    const isWhole = this.isDone || (this.reader.finishReason() !== null && !rest?.badEvents);
    if (!isWhole && this.hasBegun) throw new AnswerCut("the upstream ended its response early");
    const last = isWhole && rest ? this.release(rest) : null;
    if (!isWhole || !this.hasBegun) throw emptyRefusal();
    this.isDone = true;
    return last;
  }

  /** The bytes that tell the client that the stream is complete. */
  get terminal(): Buffer {
    return Buffer.from(this.dialect.terminal(Buffer.concat(this.held).toString("utf8")));
  }

  /** The stored beginning of the stream, for counting tokens when no usage is reported. */
  sample(): Sample {
    return this.text.sample();
  }

  textLength(): TextLength {
    return this.text.length();
  }

  /** The service tier that the stored beginning names; "" = none. */
  tier(): string {
    return this.text.tier();
  }

  /** Returns the whole events; the beginning of an unfinished one is kept for the next call. */
  private wholeEvents(chunk: Buffer): Buffer | null {
    const { length } = chunk;
    // Usually a chunk ends with a complete event.
    if (this.partBytes === 0 && chunk[length - 1] === NEWLINE && chunk[length - 2] === NEWLINE) return chunk;
    const end = endOfWholeEvents(chunk, this.parts.at(-1)?.at(-1) ?? NEWLINE);
    const events = end === 0 ? null : this.takeParts(end === length ? chunk : chunk.subarray(0, end));
    if (end < length) this.keep(chunk.subarray(end));
    return events;
  }

  private takeParts(last: Buffer): Buffer {
    const { parts } = this;
    this.parts = [];
    this.partBytes = 0;
    return parts.length === 0 ? last : Buffer.concat([...parts, last]);
  }

  private keep(part: Buffer): void {
    this.parts.push(part);
    this.partBytes += part.length;
    if (this.partBytes > EVENT_BYTES_MAX) throw new LineTooLong("an event of the stream is longer than 10 MB");
  }

  private hold(bytes: Buffer): void {
    // The event that ends the stream may repeat the whole answer.
    if (this.heldBytes > 0 && this.heldBytes + bytes.length > HELD_BYTES_MAX) return;
    this.held.push(bytes);
    this.heldBytes += bytes.length;
  }

  /** Reads event by event. Needed only until the answer begins, and for the rare chunks with something notable. */
  private inspect(events: Buffer): Buffer | null {
    const sorted = this.sort(events);
    const ready = this.release(sorted);
    if (sorted.end) {
      this.isDone = true;
      this.hold(sorted.end);
      if (this.partBytes > 0) this.hold(this.takeParts(Buffer.alloc(0)));
    }
    return ready;
  }

  private sort(bytes: Buffer): Sorted {
    const kept: Buffer[] = [];
    const sorted: Sorted = { kept: bytes, hasContent: false, badEvents: 0, dataEvents: 0, end: null };
    for (const { start, end, frame } of splitEvents(bytes)) {
      const kind = frame === null ? "empty" : this.reader.read(frame);
      if (frame && frame.data !== "") sorted.dataEvents += 1;
      if (kind === "error") throw this.failure(frame);
      if (kind === "end") {
        sorted.end = bytes.subarray(start);
        break;
      }
      if (kind === "bad") sorted.badEvents += 1;
      if (kind === "content") sorted.hasContent = true;
      const mended = frame === null ? null : (this.reader.mended?.() ?? null);
      if (mended !== null) kept.push(eventOf(frame?.event ?? null, mended));
      else if (kind === "content" || kind === "empty") kept.push(bytes.subarray(start, end));
    }
    return { ...sorted, kept: Buffer.concat(kept) };
  }

  /** Notes what has arrived; returns what the client gets of it now. */
  private release({ kept, hasContent, badEvents, dataEvents }: Sorted): Buffer | null {
    this.badEvents += badEvents;
    this.events += dataEvents;
    if (dataEvents > 0) {
      this.last = kept;
      this.text.add(kept, kept.toString("latin1"));
    }
    if (this.hasBegun) return kept.length > 0 ? kept : null;
    this.leading.push(kept);
    this.leadingBytes += kept.length;
    if (!hasContent && this.leadingBytes <= LEADING_BYTES_MAX && this.events <= LEADING_EVENTS_MAX) return null;
    this.hasBegun = true;
    const ready = Buffer.concat(this.leading);
    this.leading = [];
    return ready;
  }

  private failure(frame: Frame | null): Error {
    return reportedFailure(frame?.data ?? "", this.hasBegun);
  }
}

function eventOf(name: string | null, data: string): Buffer {
  return Buffer.from(`${name === null ? "" : `event: ${name}\n`}data: ${data}\n\n`);
}
