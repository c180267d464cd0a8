import type { Dispatcher } from "undici";
import type { Exchange } from "../exchange";
import type { UpstreamRequest } from "../upstreams/prepare-request";
import { ChunkWriter } from "./chunk-writer";
import type { Connections } from "./connections";
import { FrameScanner } from "./frame-scanner";

/** How an attempt ended. In all but the first two nothing more will be sent for it. */
export type AttemptEnd =
  /** The whole body is here and not sent yet. */
  | { kind: "whole"; contentType: string; body: Buffer }
  /** Everything was sent but the terminal frame. */
  | { kind: "streamed"; scanner: FrameScanner; firstTokenMs: number }
  | { kind: "refused"; status: number; body: Buffer; retryAfter: string | undefined }
  /** Nothing was sent to the caller. */
  | { kind: "unreachable"; error: Error }
  /** The upstream broke off after bytes were sent. */
  | { kind: "cut"; scanner: FrameScanner; firstTokenMs: number; error: Error }
  /** `wasSent`: the upstream had got the request. */
  | { kind: "gone"; wasSent: boolean; scanner: FrameScanner | null; firstTokenMs: number | null };

export type AttemptSettings = {
  pool: Connections;
  request: UpstreamRequest;
  exchange: Exchange;
  isStream: boolean;
};

const WHOLE_BYTES_MAX = 64 * 1_048_576;
const ERROR_BYTES_MAX = 1_048_576;
/**
 * Until the answer starts, and between two parts of it; a whole answer starts when it is finished. One limit for both,
 * because a connection whose limit changes makes a new timer each time.
 */
const silenceMs = { stream: 120_000, whole: 600_000 };
/** A caller that takes nothing for so long is taken for gone. */
const stalledMs = 300_000;

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache",
  connection: "keep-alive",
  "x-accel-buffering": "no",
};

type Stream = { scanner: FrameScanner; writer: ChunkWriter };

/**
 * Sends one request to one upstream and passes what comes back on to the caller. Never rejects. When the upstream closed an
 * idle connection at the moment it was used, nothing was read, and it is asked again at once.
 */
export function runAttempt(settings: AttemptSettings): Promise<AttemptEnd> {
  return new Promise((resolve) => {
    new Attempt(settings, (end) => {
      if (isStaleConnection(end)) new Attempt(settings, resolve).start();
      else resolve(end);
    }).start();
  });
}

type SocketInfo = { bytesRead?: number };

function isStaleConnection(end: AttemptEnd): boolean {
  if (end.kind !== "unreachable" || !("code" in end.error) || end.error.code !== "UND_ERR_SOCKET") return false;
  const socket = "socket" in end.error ? (end.error.socket as SocketInfo | null) : null;
  return (socket?.bytesRead ?? 0) > 0;
}

/**
 * Its callbacks are those that undici calls itself. The newer ones (onRequestStart and so on) are wrapped around these:
 * two objects and all headers parsed for each request, a twentieth of what an upstream request costs.
 */
class Attempt implements Dispatcher.DispatchHandler {
  private readonly settings: AttemptSettings;
  private readonly resolve: (end: AttemptEnd) => void;
  private connection: Dispatcher | null = null;
  /** There once the request is on its way. */
  private abort: ((error: Error) => void) | null = null;
  private resume: (() => void) | null = null;
  private isPaused = false;
  private mode: "whole" | "refused" = "whole";
  private status = 0;
  private headers: Buffer[] = [];
  private parts: Buffer[] = [];
  private bytes = 0;
  /** There once the answer is known to be a stream. */
  private stream: Stream | null = null;
  private firstTokenMs: number | null = null;
  private isOver = false;
  private stalled: NodeJS.Timeout | undefined;

  constructor(settings: AttemptSettings, resolve: (end: AttemptEnd) => void) {
    this.settings = settings;
    this.resolve = resolve;
  }

  start(): void {
    const { pool, request, exchange, isStream } = this.settings;
    const limitMs = isStream ? silenceMs.stream : silenceMs.whole;
    exchange.whenGone(this.onGone);
    if (this.isOver) return;
    try {
      this.connection = pool.take();
      this.connection.dispatch(
        {
          // A proxy has to be told; a connection knows.
          origin: request.origin,
          path: request.path,
          method: "POST",
          headers: request.headers,
          body: request.body,
          headersTimeout: limitMs,
          bodyTimeout: limitMs,
        },
        this,
      );
    } catch (error) {
      this.letGo(false);
      this.finish({ kind: "unreachable", error: error as Error });
    }
  }

  onConnect(abort: (error?: Error) => void): void {
    this.abort = abort;
    if (this.isOver) abort(new Error("the caller is gone"));
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    // An interim answer; the real one follows.
    if (status < 200) return true;
    this.status = status;
    this.headers = headers;
    this.resume = resume;
    if (status > 299) this.mode = "refused";
    else if (readHeader(headers, "content-type")?.includes("text/event-stream")) this.stream = this.startStream();
    return true;
  }

  private startStream(): Stream {
    const { request, exchange } = this.settings;
    return { scanner: new FrameScanner(request.withholdUsage), writer: new ChunkWriter(exchange.response) };
  }

  /** False = nothing more until `resume`. */
  onData(chunk: Buffer): boolean {
    if (this.isOver) return true;
    if (this.stream) this.onStreamData(chunk, this.stream);
    else this.collect(chunk);
    return !this.isPaused;
  }

  onComplete(): void {
    this.letGo(true);
    if (this.isOver) return;
    if (this.stream) this.onStreamEnd(this.stream);
    else this.onWholeEnd();
  }

  private onWholeEnd(): void {
    const body = this.parts.length === 1 && this.parts[0] ? this.parts[0] : Buffer.concat(this.parts);
    const contentType = readHeader(this.headers, "content-type") ?? "application/json";
    if (this.mode === "whole") this.finish({ kind: "whole", contentType, body });
    else
      this.finish({ kind: "refused", status: this.status, body, retryAfter: readHeader(this.headers, "retry-after") });
  }

  onError(error: Error): void {
    this.letGo(false);
    this.fail(error);
  }

  /** Gives the connection back, or away when something went wrong on it. */
  private letGo(isSound: boolean): void {
    const { connection, settings } = this;
    if (!connection) return;
    this.connection = null;
    if (isSound) settings.pool.giveBack(connection);
    else settings.pool.drop(connection);
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.abort?.(error);
    const { firstTokenMs, stream } = this;
    if (firstTokenMs === null || !stream) this.finish({ kind: "unreachable", error });
    // Everything that counts was there; only the connection's end was not clean.
    else if (stream.scanner.isDone) this.onStreamEnd(stream);
    else this.finish({ kind: "cut", scanner: stream.scanner, firstTokenMs, error });
  }

  private collect(chunk: Buffer): void {
    this.bytes += chunk.length;
    const bytesMax = this.mode === "refused" ? ERROR_BYTES_MAX : WHOLE_BYTES_MAX;
    if (this.bytes > bytesMax) this.fail(new Error("the upstream's answer is too large"));
    else this.parts.push(chunk);
  }

  private onStreamData(chunk: Buffer, stream: Stream): void {
    try {
      const ready = stream.scanner.push(chunk);
      if (ready) this.send(ready, stream);
    } catch (error) {
      this.fail(error as Error);
    }
  }

  private onStreamEnd(stream: Stream): void {
    const { scanner } = stream;
    const rest = scanner.end();
    if (rest) this.send(rest, stream);
    if (this.isOver) return;
    const { firstTokenMs } = this;
    if (firstTokenMs === null) {
      this.finish({ kind: "unreachable", error: new Error("the upstream's answer was empty") });
    } else this.finish({ kind: "streamed", scanner, firstTokenMs });
  }

  private send(bytes: Buffer, { writer }: Stream): void {
    const { exchange, request } = this.settings;
    if (this.firstTokenMs === null) {
      const refused = readLeadingError(bytes);
      if (refused) {
        this.finish({ kind: "refused", status: 500, body: refused, retryAfter: undefined });
        this.abort?.(new Error("the upstream answered with an error"));
        return;
      }
      this.firstTokenMs = exchange.elapsedMs();
      exchange.response.writeHead(200, { ...STREAM_HEADERS, "x-oneapi-request-id": exchange.id });
    }
    const { reshape } = request;
    if (!writer.write(reshape ? reshape.lines(bytes) : bytes)) this.pause(writer);
  }

  private pause(writer: ChunkWriter): void {
    if (this.isPaused) return;
    this.isPaused = true;
    this.stalled = setTimeout(() => this.settings.exchange.response.destroy(), stalledMs);
    writer.onceDrained(this.onDrain);
  }

  private readonly onDrain = (): void => {
    clearTimeout(this.stalled);
    this.isPaused = false;
    this.resume?.();
  };

  private readonly onGone = (): void => {
    const { firstTokenMs } = this;
    const scanner = firstTokenMs === null ? null : (this.stream?.scanner ?? null);
    this.finish({ kind: "gone", wasSent: this.abort !== null, scanner, firstTokenMs });
    this.abort?.(new Error("the caller is gone"));
  };

  private finish(end: AttemptEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.stalled);
    this.stream?.writer.forget(this.onDrain);
    this.settings.exchange.whenGone(null);
    this.resolve(end);
  }
}

/** Makes a capital a small letter, and leaves what else may be in a header's name as it is. */
const LOWER_CASE = 0x20;

/** The first header of this name, which is in lower case. */
function readHeader(headers: readonly Buffer[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    const key = headers[i];
    if (key && isNamed(key, name)) return headers[i + 1]?.toString("latin1");
  }
  return undefined;
}

function isNamed(key: Buffer, name: string): boolean {
  if (key.length !== name.length) return false;
  for (let i = 0; i < name.length; i++) {
    if (((key[i] ?? 0) | LOWER_CASE) !== name.charCodeAt(i)) return false;
  }
  return true;
}

const ERROR_KEY = Buffer.from('"error"');
const LEADING_BYTES = 64;

/** Some upstreams answer 200 and say in the first frame that they failed. Returns that frame's JSON. */
function readLeadingError(bytes: Buffer): Buffer | null {
  const at = bytes.subarray(0, LEADING_BYTES).indexOf(ERROR_KEY);
  if (
    at === -1 ||
    !bytes
      .subarray(0, at)
      .toString("latin1")
      .match(/^\s*data:\s*\{\s*$/)
  )
    return null;
  const line = bytes.subarray(bytes.indexOf("{"));
  return line.subarray(0, line.indexOf(0x0a) + 1 || line.length);
}
