import type { IncomingMessage, ServerResponse } from "node:http";
import type { WireError } from "./canonical/wire-error";
import type { CallerDialect } from "./dialects/dialect";
import type { RelayError } from "./relay-error";
import { createRequestId } from "./request-id";

/** One request of a caller and the answer to it. */
export class Exchange {
  readonly id = createRequestId();
  readonly startedAt = performance.now();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clientIp: string;
  /** How the caller reads errors. */
  readonly caller: CallerDialect;
  /** The caller disconnected before the answer was whole. */
  isGone = false;
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
    // A broken connection shows as "close"; without a listener its error would end the process.
    response.on("error", ignore);
    request.on("error", ignore);
  }

  /** Calls back once when the caller disconnects; null = no longer. */
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
      // What is left of a body that was not read would otherwise be taken for the next request.
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
