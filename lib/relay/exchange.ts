import type { IncomingMessage, ServerResponse } from "node:http";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Report } from "./answers/answer";
import { ArrayStream } from "./answers/array-stream";
import { renderEvents } from "./answers/server-sent-events";
import type { WireError } from "./canonical/wire-error";
import type { Capturing } from "./capture";
import type { CallerDialect } from "./dialects/dialect";
import type { RelayError } from "./relay-error";
import { createRequestId } from "./request-id";
import type { Caller } from "./stages/authenticate";
import type { CallerStream } from "./transport/caller-stream";
import type { UpstreamRequest } from "./upstreams/upstream-request";

/** A stream that has begun to reach the client. */
export type Delivering = {
  report(): Report;
  readonly firstTokenMs: number | null;
  readonly upstream: UpstreamRequest;
};

/** Keeps the bytes of an answer. `body`: null = they were too many. */
export type Kept = { add(part: Buffer): void; body(): Buffer | null };

/** How long the unread rest of a refused body is drained. */
const lingerMs = 5_000;

/** One client request and its response. */
export class Exchange {
  readonly id = createRequestId();
  readonly startedAt = performance.now();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clientIp: string;
  /** The dialect for error responses. */
  readonly caller: CallerDialect;
  /** The client disconnected before the response was complete. */
  isGone = false;
  /** Keeps what is sent, for a request with an Idempotency-Key or a stream that may be continued; null = nothing is kept. */
  recording: Kept | null = null;
  /**
   * Whose request it is, from the moment that is known: what it is refused for is then in the log. Null = nobody is known,
   * or the request has its row already.
   */
  accountable: Caller | null = null;
  /** The model that was asked for, as far as the request was read; "" = not known. */
  model = "";
  /** Set while the request and its answer are captured for its user (lib/capture). */
  capture: Capturing | null = null;
  /** The channels tried so far, in order. */
  tried: readonly SnapshotChannel[] = [];
  delivering: Delivering | null = null;
  /** Set when a stream to the client has begun, or is waited for. */
  stream: CallerStream | null = null;
  /** Set when a stream is sent as a JSON array. */
  readonly arrayStream: ArrayStream | null;
  private onGone: (() => void) | null = null;
  private staysWhenGone = false;

  constructor(request: IncomingMessage, response: ServerResponse, clientIp: string, caller: CallerDialect) {
    this.request = request;
    this.response = response;
    this.clientIp = clientIp;
    this.caller = caller;
    this.arrayStream = caller.isArrayStream?.(request.url ?? "") ? new ArrayStream() : null;
    response.on("close", () => {
      if (response.writableEnded || this.staysWhenGone) return;
      this.isGone = true;
      this.onGone?.();
    });
    // "close" reports a broken connection; without an error listener the error would end the process.
    response.on("error", ignore);
    request.on("error", ignore);
  }

  /** Calls the listener once when the client disconnects; null removes it. */
  whenGone(listener: (() => void) | null): void {
    this.onGone = listener;
    if (this.isGone) listener?.();
  }

  /** From now on the request goes on to its end although the client may leave. */
  stay(): void {
    this.staysWhenGone = !this.isGone;
  }

  elapsedMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  sendJson(status: number, body: Buffer): void {
    const { response } = this;
    if (this.isGone || response.headersSent) return;
    response.writeHead(status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": body.length,
      "x-oneapi-request-id": this.id,
      // A client that is still sending its body should stop.
      ...(this.request.complete ? {} : { connection: "close" }),
    });
    // After 408 nothing more is expected.
    if (this.request.complete || status === 408) {
      response.end(body);
      return;
    }
    response.write(body);
    this.endWhenRead();
  }

  /**
   * Ends the response when the rest of the body was read, or after a moment. Closing the connection with unread bytes in
   * it would reset it, and the client might never see the response that was sent.
   */
  private endWhenRead(): void {
    const { request, response } = this;
    const end = (): void => {
      clearTimeout(timer);
      response.end();
    };
    const timer = setTimeout(end, lingerMs);
    request.once("end", end);
    response.once("close", end);
    request.resume();
  }

  /** A stream that the client was told to wait for already has its status, so it gets the error as an event. */
  sendError(status: number, error: WireError, retryAfterMs: number | null = null): void {
    const { response } = this;
    this.capture?.failed(status, error);
    if (response.headersSent) {
      if (this.stream && !this.isGone) response.end(this.cutBytes(error));
      return;
    }
    if (retryAfterMs !== null) response.setHeader("retry-after", Math.ceil(retryAfterMs / 1_000));
    this.sendJson(status, Buffer.from(JSON.stringify(this.caller.renderError(error, status, this.id))));
  }

  /** The last bytes of a stream that is cut off between two events. */
  cutBytes(error: WireError): Buffer {
    const { caller, id, arrayStream } = this;
    if (!arrayStream && caller.writeCut) return Buffer.from(caller.writeCut(error, id));
    const events = renderEvents(caller.renderCut(error, id));
    return arrayStream ? arrayStream.end(events) : events;
  }

  refuse(error: RelayError): void {
    this.sendError(error.status, error.wire, error.retryAfter > 0 ? error.retryAfter * 1_000 : null);
  }
}

function ignore(): void {}
