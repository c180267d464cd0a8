import type { IncomingMessage, ServerResponse } from "node:http";
import type { KeyUse as Caller } from "@/lib/snapshot/key-use";
import type { SnapshotChannel, SnapshotStore } from "@/lib/snapshot/store";
import type { Report } from "../answers/answer";
import { ArrayStream } from "../answers/array-stream";
import { renderEvents } from "../answers/server-sent-events";
import type { BodyShare } from "../base/body-budget";
import { type Told, tellRefusal } from "../base/refusals/tell-refusal";
import type { RelayError } from "../base/relay-error";
import { createRequestId } from "../base/request-id";
import type { UpstreamRequest } from "../providers/requests/upstream-request";
import type { WireError } from "../wire/canonical/wire-error";
import type { ClientDialect } from "../wire/dialects/dialect";
import type { Settled } from "./attempts";
import { NO_PAGE, safeContentType } from "./browsers";
import type { CallerStream } from "./caller-stream";
import type { Capturing } from "./capture";
import type { Held } from "./in-hand";
import { OthersTime } from "./others-time";
import type { RequestTrace } from "./tracing/request-trace";

/** A stream that has begun to reach the client. */
export type Delivering = {
  report(): Report;
  readonly firstTokenMs: number | null;
  readonly upstream: UpstreamRequest;
};

export type AnswerHead = Readonly<Record<string, string>>;

/** Keeps the bytes of an answer. `body`: null = they were too many. */
export type Kept = { add(part: Buffer): void; body(): Buffer | null };

/** How long the unread rest of a refused body is drained. */
const lingerMs = 5_000;

/** One client request and its response. */
export class Exchange implements Held {
  place = -1;
  readonly id = createRequestId();
  readonly startedAt = performance.now();
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clientIp: string;
  /** The dialect for error responses. */
  readonly clientDialect: ClientDialect;
  /** The client disconnected before the response was complete. */
  isGone = false;
  /** The answer was ended because the process stops; then the client counts as disconnected too. */
  isCutOff = false;
  /** Keeps what is sent, for a request with an Idempotency-Key or a stream that may be continued; null = nothing is kept. */
  recording: Kept | null = null;
  /**
   * Whose request it is, from the moment that is known: what it is refused for is then in the log. Null = nobody is known,
   * or the request has its row already.
   */
  refusalCaller: Caller | null = null;
  /** Whose request it is; null = nobody is known. */
  owner: Caller | null = null;
  /** Its part of the memory for bodies; null = it was not opened. */
  share: BodyShare | null = null;
  /** Pictures that were fetched for it; null = none. */
  pictures: Map<string, Promise<string>> | null = null;
  /** The model that was asked for, as far as the request was read; "" = not known. */
  model = "";
  /** Set while the request and its answer are captured for its user (lib/capture). */
  capture: Capturing | null = null;
  /** The channel whose account refused the request; others that refuse it too are not blamed. Null = none has. */
  refusedBy: number | null = null;
  /** The channels tried so far, in order. */
  tried: readonly SnapshotChannel[] = [];
  /** What the time of this request went to that is not Weir's own. */
  readonly others = new OthersTime();
  /** Bytes that its connection had sent before. */
  readonly sentBefore: number;
  /** Milliseconds from the request to the head of its answer, and Weir's own part of them; null = none was sent. */
  headMs: number | null = null;
  overheadMs: number | null = null;
  /** Bytes of the request's body, as they arrived; null = not known. */
  bodyBytes: number | null = null;
  /** Values in the JSON of the body; undefined = they were not counted. */
  bodyValues: number | undefined = undefined;
  /** Its charge and how it was answered; null = it has none. */
  settled: Settled | null = null;
  /** The error that the caller got, and its status, which a stream that had begun does not show; null = none. */
  failure: { status: number; error: WireError } | null = null;
  /** The failure is a refusal for what the caller asked for, whatever its status. */
  isCallersFault = false;
  /** Null = it has none. */
  trace: RequestTrace | null = null;
  /** It ended with an error that nobody foresaw. */
  hasBroken = false;
  /** Knows where the console is; null = nobody does. */
  site: Pick<SnapshotStore, "current"> | null = null;
  delivering: Delivering | null = null;
  /** Set when a stream to the client has begun, or is waited for. */
  stream: CallerStream | null = null;
  /** Set when a stream is sent as a JSON array. */
  readonly arrayStream: ArrayStream | null;
  private onGone: (() => void) | null = null;
  private staysWhenGone = false;

  constructor(request: IncomingMessage, response: ServerResponse, clientIp: string, clientDialect: ClientDialect) {
    this.request = request;
    this.sentBefore = request.socket?.bytesWritten ?? 0;
    this.response = response;
    this.clientIp = clientIp;
    this.clientDialect = clientDialect;
    this.arrayStream = clientDialect.isArrayStream?.(request.url ?? "") ? new ArrayStream() : null;
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

  keepsConnection(isKept: boolean): void {
    this.response.shouldKeepAlive = isKept;
  }

  cutOff(error: RelayError): void {
    const { response, stream } = this;
    if (this.isGone || response.writableEnded) return;
    this.isCutOff = true;
    if (!response.headersSent) this.refuse(error);
    else if (stream?.isEvents) this.sendCut(this.told(error).error, error.status);
    // Bytes that are no events have no words for an error: only a broken connection tells that they are not whole.
    else response.destroy();
    this.isGone = true;
    if (!this.staysWhenGone) this.onGone?.();
  }

  elapsedMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  /** The headers that every answer has, with its content type where that is safe. To be called as the answer's head is sent. */
  head(contentType: string): AnswerHead {
    const now = performance.now();
    this.headMs = now - this.startedAt;
    this.overheadMs = Math.max(0, this.headMs - this.others.until(now));
    return {
      "content-type": safeContentType(contentType),
      ...NO_PAGE,
      ...this.idHeaders(this.id),
      "x-weir-overhead-ms": this.overheadMs.toFixed(1),
    };
  }

  /** The id of a request, also where the clients of this dialect look for it. */
  idHeaders(id: string): AnswerHead {
    return { "x-oneapi-request-id": id, [this.clientDialect.requestIdHeader]: id };
  }

  sendJson(status: number, body: Buffer): void {
    const { response } = this;
    if (this.isGone || response.headersSent) return;
    response.writeHead(status, {
      "content-length": body.length,
      ...this.head("application/json; charset=utf-8"),
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
  refuse(refused: RelayError): void {
    this.isCallersFault = refused.isCallers;
    const { response } = this;
    const { status, error, headers, terms, id } = this.told(refused);
    this.capture?.failed(status, refused.wire);
    this.failure = { status, error: refused.wire };
    if (response.headersSent) {
      if (this.stream && !this.isGone) response.end(this.cutBytes(error, status));
      return;
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    this.sendJson(status, Buffer.from(JSON.stringify(this.clientDialect.renderError(error, status, id, terms))));
  }

  /** A refusal as this caller is told of it. */
  told(refused: RelayError): Told {
    const { id, clientDialect, request } = this;
    const { headers } = request;
    const serverAddress = this.site?.current().options.ServerAddress ?? "";
    return tellRefusal(refused, { headers, dialect: clientDialect.dialect, id, serverAddress });
  }

  /** The last bytes of a stream that is cut off between two events. */
  cutBytes(error: WireError, status: number): Buffer {
    const { clientDialect, id, arrayStream, stream } = this;
    if (!arrayStream && clientDialect.writeCut) return Buffer.from(clientDialect.writeCut(error, id, status));
    const events = renderEvents(clientDialect.renderCut(error, id, status, stream?.sent()));
    return arrayStream ? arrayStream.end(events) : events;
  }

  /** Tells the client that its stream was cut. */
  sendCut(error: WireError, status: number): void {
    this.failure = { status, error };
    // The blank line ends an event that was cut after its data.
    this.response.end(Buffer.concat([BLANK, this.cutBytes(error, status)]));
  }
}

const BLANK = Buffer.from("\n");

function ignore(): void {}
