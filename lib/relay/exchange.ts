import type { IncomingMessage, ServerResponse } from "node:http";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Report } from "./answers/answer";
import type { WireError } from "./canonical/wire-error";
import type { CallerDialect } from "./dialects/dialect";
import type { RelayError } from "./relay-error";
import { createRequestId } from "./request-id";
import type { UpstreamRequest } from "./upstreams/prepare-request";

/** A stream that has begun to reach the client. */
export type Delivering = {
  report(): Report;
  readonly firstTokenMs: number | null;
  readonly upstream: UpstreamRequest;
};

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
  /** The channels tried so far, in order. */
  tried: readonly SnapshotChannel[] = [];
  delivering: Delivering | null = null;
  private onGone: (() => void) | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, clientIp: string, caller: CallerDialect) {
    this.request = request;
    this.response = response;
    this.clientIp = clientIp;
    this.caller = caller;
    response.on("close", () => {
      if (response.writableEnded) return;
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
      // Close the connection, or the unread rest of the body would be parsed as the next request.
      ...(this.request.complete ? {} : { connection: "close" }),
    });
    response.end(body);
    if (!this.request.complete) this.request.resume();
  }

  sendError(status: number, error: WireError): void {
    this.sendJson(status, Buffer.from(JSON.stringify(this.caller.renderError(error, status, this.id))));
  }

  refuse(error: RelayError): void {
    if (error.retryAfter > 0 && !this.response.headersSent) this.response.setHeader("retry-after", error.retryAfter);
    this.sendError(error.status, error.wire);
  }
}

function ignore(): void {}
