import { ArrayStream } from "../answers/array-stream";
import { ChunkWriter } from "../net/chunk-writer";
import type { SentSoFar } from "../wire/dialects/dialect";
import type { Exchange } from "./exchange";

/** A client that reads nothing for this long is disconnected. */
export const STALLED_MS = 300_000;

const EVENT_TYPES = /^(text\/event-stream|application\/(x-)?ndjson)/;

/** The client's side of a streamed response; one per request. Sends the headers with the first bytes. */
export class CallerStream {
  private readonly exchange: Exchange;
  private readonly writer: ChunkWriter;
  /** Milliseconds from the request to the first bytes of an answer; null = none sent yet. */
  firstTokenMs: number | null = null;
  /** What was written last; null = nothing yet. */
  private last: Buffer | null = null;
  private lastSeen: Buffer | null = null;
  /** The id that the client has of the answer, for callers whose errors in mid-stream name it. */
  private answerId = "";
  /** What was begun is a stream of events, or of their counterpart in an array. */
  isEvents = true;
  private quietSince = performance.now();

  constructor(exchange: Exchange) {
    this.exchange = exchange;
    this.writer = new ChunkWriter(exchange.response);
  }

  /** False = the buffer is full: wait for `onceDrained` before writing more. */
  write(bytes: Buffer, contentType: string): boolean {
    if (this.firstTokenMs === null) {
      this.firstTokenMs = this.exchange.elapsedMs();
      this.begin(contentType);
      this.answerId = this.exchange.clientDialect.answerIdIn?.(bytes.toString("latin1")) ?? "";
    }
    this.last = bytes;
    this.exchange.recording?.add(bytes);
    this.exchange.capture?.add(bytes);
    const { arrayStream } = this.exchange;
    if (!arrayStream) return this.writer.write(bytes);
    const items = arrayStream.push(bytes);
    return items.length === 0 || this.writer.write(items);
  }

  /** Tells the client that we wait when nothing was written for `everyMs`. Call it from time to time. */
  keepAlive(now: number, everyMs: number): void {
    if (this.last !== this.lastSeen) {
      this.lastSeen = this.last;
      this.quietSince = now;
    } else if (now - this.quietSince >= everyMs && (this.last === null || isBetweenEvents(this.last))) {
      this.begin("text/event-stream");
      this.writer.write(Buffer.from(this.exchange.clientDialect.keepAlive));
      this.quietSince = now;
    }
  }

  /** What the client has, for an error that follows it. */
  sent(): SentSoFar {
    return { answerId: this.answerId, last: this.last?.toString("latin1") ?? "" };
  }

  private begin(contentType: string): void {
    const { exchange } = this;
    if (exchange.response.headersSent) return;
    this.isEvents = exchange.arrayStream !== null || EVENT_TYPES.test(contentType);
    // A second object spread into this one would make V8 take five microseconds more.
    exchange.response.writeHead(200, {
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      connection: exchange.response.shouldKeepAlive ? "keep-alive" : "close",
      ...exchange.head(exchange.arrayStream ? ArrayStream.contentType : contentType),
    });
  }

  onceDrained(listener: () => void): void {
    this.writer.onceDrained(listener);
  }

  forget(listener: () => void): void {
    this.writer.forget(listener);
  }
}

const LF = 0x0a;
const CR = 0x0d;

/** Whether the bytes end with a blank line. */
function isBetweenEvents(bytes: Buffer): boolean {
  const before = bytes[bytes.length - 2];
  return bytes[bytes.length - 1] === LF && (before === LF || (before === CR && bytes[bytes.length - 3] === LF));
}
