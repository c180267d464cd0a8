import type { Dispatcher } from "undici";
import { type Answer, AnswerRefused, type Report } from "../../answers/answer";
import { isClosed, type LimitCause, TimeLimitReached } from "../../base/failure-cause";
import { openBody } from "../../base/large-body";
import { type DecodedAnswer, decodedFor } from "../../net/decoded-answer";
import { readHeader } from "../../net/read-header";
import { type Ticking, unwatch, watch } from "../../net/ticker";
import type { Drained, UpstreamDrain } from "../../net/upstream-drains";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import { CallerStream, STALLED_MS } from "../caller-stream";
import type { Delivering } from "../exchange";
import { type AttemptEnd, cutBy, failureOf, unreachableBy } from "./attempt-end";
import { firstLimit } from "./attempt-limits";
import type { AttemptSettings } from "./attempt-settings";
import type { Runner } from "./race";
import { bodyMs } from "./time-limits";

/** How long the end of the connection is waited for when the answer is complete. */
const lingerMs = 1_000;
/** An idle connection that is closed fails a request at once; later the upstream may have worked on it. */
const staleMs = 1_500;

/** Sends one request to one upstream and forwards the response to the client. Never rejects. */
export function runAttempt(settings: AttemptSettings): Promise<AttemptEnd> {
  return new Promise((resolve) => new Attempt(settings, resolve).start());
}

/**
 * Implements undici's old callbacks, which undici calls directly. The new ones (onRequestStart and so on) are wrappers
 * that create two objects and parse all headers per request, a twentieth of the cost of an upstream request.
 */
class Attempt implements Dispatcher.DispatchHandler, Delivering, Ticking, Runner {
  place = -1;
  readonly settings: AttemptSettings;
  private readonly resolve: (end: AttemptEnd) => void;
  private connection: Dispatcher | null = null;
  /** Set when the request is being sent. */
  private abort: ((error: Error) => void) | null = null;
  private readonly startedAt = performance.now();
  /** When the request was sent, and whether on a connection that had served another one. */
  private sentAt = 0;
  private isOnReused = false;
  /** The first byte of the response has arrived. */
  private isBegun = false;
  private resume: (() => void) | null = null;
  /** No more is taken from the upstream until the client has read, or until the budget has been extended. */
  private isPaused = false;
  private isWaiting = false;
  readonly answer: Answer;
  headersAt = 0;
  /** `answer.events` at the last tick, and when it last grew. */
  private eventsSeen = 0;
  private aliveAt = 0;
  /** Bytes of this answer were sent. */
  private hasSent = false;
  private isEnded = false;
  isOver = false;
  /** When a tick first found the attempt over. */
  private overAt = 0;
  private stalled: NodeJS.Timeout | undefined;
  /** Set while the answer is decompressed; null = it is plain. */
  private decoded: DecodedAnswer | null = null;
  /** The client has disconnected, and the rest of the stream is read without it. */
  private drain: UpstreamDrain | null = null;

  constructor(settings: AttemptSettings, resolve: (end: AttemptEnd) => void) {
    this.settings = settings;
    settings.exchange.others.enter(this.startedAt);
    this.resolve = resolve;
    this.answer = settings.request.openAnswer(settings.request.secrets);
  }

  start(): void {
    const { pool, request, exchange, isFresh, lane } = this.settings;
    if (lane) lane.start(this, this.onGone);
    else exchange.whenGone(this.onGone);
    if (this.isOver) return;
    watch(this);
    try {
      this.connection = isFresh ? pool.open() : pool.take();
      this.connection.dispatch(
        {
          // A proxy agent needs the origin; a direct connection ignores it.
          origin: request.origin,
          path: request.path,
          method: request.method ?? "POST",
          headers: request.headers,
          body: request.method === "GET" ? null : openBody(request.body),
          // `onTick` has the limits.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        this,
      );
    } catch (error) {
      this.letGo(false);
      this.fail(error as Error);
    }
  }

  onConnect(abort: (error?: Error) => void): void {
    this.abort = abort;
    this.sentAt = performance.now();
    this.isOnReused = this.connection !== null && this.settings.pool.isReused(this.connection);
    if (this.isOver) abort(new Error("the client disconnected"));
  }

  onResponseStarted(): void {
    this.isBegun = true;
  }

  onHeaders(status: number, headers: Buffer[], resume: () => void): boolean {
    // An informational (1xx) response; the final one follows.
    if (status < 200) return true;
    this.resume = resume;
    this.headersAt = performance.now();
    const contentType = readHeader(headers, "content-type");
    const retryAfter = status > 299 ? readHeader(headers, "retry-after") : undefined;
    this.decoded = decodedFor(readHeader(headers, "content-encoding"), this);
    this.answer.start({ status, contentType, retryAfter });
    return true;
  }

  /** False pauses the upstream until `resume`. */
  onData(chunk: Buffer): boolean {
    return this.decoded ? this.decoded.take(chunk) && !this.isPaused : this.take(chunk);
  }

  goOn(): void {
    if (!this.isPaused && !this.isWaiting) this.resume?.();
  }

  take(chunk: Buffer): boolean {
    if (this.isOver) return true;
    if (this.drain?.take(chunk.length) === false) {
      this.abandon(new Error("too much is left to drain"));
      return true;
    }
    let ready: Buffer | null;
    try {
      ready = this.answer.push(chunk);
    } catch (error) {
      this.stop(error as Error);
      return true;
    }
    if (ready) this.send(ready);
    if (this.answer.isDone) {
      this.complete();
      return true;
    }
    if (this.answer.writtenTokens > this.settings.budget.checkAt) this.checkBudget();
    return !this.isPaused && !this.isWaiting;
  }

  private checkBudget(): void {
    const verdict = this.settings.budget.check(this.answer.writtenTokens, this.onBudget, this.answer);
    if (verdict === "end") this.spend();
    this.isWaiting = verdict === "wait";
  }

  private readonly onBudget = (verdict: "go" | "end"): void => {
    this.isWaiting = false;
    if (this.isOver) return;
    if (verdict === "end") this.spend();
    // An answer of which nothing was sent yet goes on.
    if (!this.isOver) this.goOn();
  };

  private spend(): void {
    const { firstTokenMs, answer } = this;
    // Nothing was sent yet, or the end has arrived already: there is nothing to stop.
    if ((firstTokenMs === null && !answer.isCollected && !this.drain) || answer.isDone) return;
    if (!this.hasSent) this.settings.lane?.lead();
    this.finish({ kind: "spent", answer, firstTokenMs });
    this.abort?.(new Error("the balance is used up"));
  }

  onComplete(): void {
    this.letGo(true);
    if (this.decoded && !this.isOver) this.decoded.end();
    else if (!this.isOver) this.complete();
  }

  complete(): void {
    this.isEnded = true;
    let rest: Buffer | null;
    try {
      rest = this.answer.end();
    } catch (error) {
      this.stop(error as Error);
      return;
    }
    if (rest) this.send(rest);
    if (this.isOver) return;
    if (!this.hasSent) this.settings.lane?.lead();
    this.finish({ kind: "answered", answer: this.answer, firstTokenMs: this.firstTokenMs });
    if (this.settings.pool.isSingleUse && this.connection) this.abort?.(new Error("the answer is complete"));
  }

  get firstTokenMs(): number | null {
    return this.hasSent ? (this.settings.exchange.stream?.firstTokenMs ?? null) : null;
  }

  onTick(now: number): void {
    if (this.isOver) {
      this.leave(now);
      return;
    }
    // The limits that end a request whose caller stays end its drain, too, unless something had reached the caller.
    const limit = this.drain && this.hasSent ? null : this.limitReached(now);
    if (limit !== null) this.fail(new TimeLimitReached(limit));
    else if (this.drain) {
      if (this.drain.isLate(now)) this.abandon(new Error("the upstream takes too long to drain"));
    } else if (this.settings.isStream && !this.isPaused) {
      const { exchange, keepAliveMs } = this.settings;
      exchange.stream ??= new CallerStream(exchange);
      exchange.stream.keepAlive(now, keepAliveMs);
    }
  }

  private limitReached(now: number): LimitCause | null {
    const { limits, begunAt } = this.settings;
    if (this.hasSent) {
      if (now - begunAt > limits.stream) return "timeout_whole";
      return this.isSilent(now) ? "idle" : null;
    }
    if (now - begunAt > limits.whole) return "timeout_whole";
    if (this.sentAt === 0) return now - this.startedAt > limits.connect ? "timeout_connect" : null;
    return firstLimit(this, now);
  }

  /** Since the request was sent, less the time that a large body takes. */
  sentFor(now: number): number {
    return now - this.sentAt - bodyMs(this.upstream.body.length);
  }

  /** Whether the upstream has sent no event for too long, while we would have taken one. */
  isSilent(now: number): boolean {
    const { events } = this.answer;
    if (events !== this.eventsSeen || this.isPaused || this.isWaiting) {
      this.eventsSeen = events;
      this.aliveAt = now;
      return false;
    }
    return now - this.aliveAt > this.settings.limits.idle;
  }

  /** Closes the connection of a complete answer that the upstream keeps open. */
  private leave(now: number): void {
    if (this.overAt === 0) this.overAt = now;
    if (now - this.overAt < lingerMs) return;
    unwatch(this);
    this.abort?.(new Error("the upstream did not end its answer"));
  }

  get upstream(): UpstreamRequest {
    return this.settings.request;
  }

  report(): Report {
    return this.drain?.delivered ?? this.answer.report();
  }

  onError(error: Error): void {
    this.letGo(false);
    this.fail(error);
  }

  /** Returns the connection for reuse, or drops it after an error. */
  private letGo(isSound: boolean): void {
    const { connection, settings } = this;
    if (this.isOver) unwatch(this);
    if (!connection) return;
    this.connection = null;
    if (isSound) settings.pool.giveBack(connection);
    else settings.pool.drop(connection);
  }

  private fail(error: Error): void {
    if (this.isOver) return;
    this.giveUp(error);
    const { firstTokenMs, answer } = this;
    if (firstTokenMs === null) this.finish(unreachableBy(error, this.isStale(error)));
    // Everything needed had arrived; only the end of the connection was not clean.
    else if (answer.isDone && !this.isEnded) this.complete();
    else this.finish(cutBy(error, answer, firstTokenMs, this.settings.request.secrets));
  }

  private isStale(error: Error): boolean {
    return this.isOnReused && !this.isBegun && isClosed(error) && performance.now() - this.sentAt < staleMs;
  }

  /** Aborts the request, also one that waits for its connection. */
  private giveUp(error: Error): void {
    const { connection, abort } = this;
    if (abort) abort(error);
    else if (connection) {
      this.connection = null;
      this.settings.pool.abandon(connection);
    }
  }

  /** Handles an error of `answer`: the response is a failure or cannot be read further. */
  stop(error: Error): void {
    if (!(error instanceof AnswerRefused)) {
      this.fail(error);
      return;
    }
    this.finish({ kind: "refused", failure: this.settings.request.secrets.failure(error.failure) });
    this.abort?.(new Error("the upstream answered with an error"));
  }

  private send(bytes: Buffer): void {
    const { exchange } = this.settings;
    if (this.drain) return;
    exchange.stream ??= new CallerStream(exchange);
    if (!this.hasSent) {
      this.settings.lane?.lead();
      this.hasSent = true;
      exchange.others.leave(performance.now());
      exchange.delivering = this;
      this.settings.asker.streams();
      this.settings.onFirst?.();
    }
    if (!exchange.stream.write(bytes, this.answer.contentType)) this.pause();
    if (exchange.isGone && this.settings.outlivesCaller) this.onGone();
  }

  private pause(): void {
    if (this.isPaused) return;
    this.isPaused = true;
    const { exchange } = this.settings;
    this.stalled = setTimeout(() => exchange.response.destroy(), STALLED_MS);
    exchange.stream?.onceDrained(this.onDrain);
  }

  private readonly onDrain = (): void => {
    clearTimeout(this.stalled);
    this.isPaused = false;
    this.goOn();
  };

  private readonly onGone = (): void => {
    const { firstTokenMs } = this;
    // Before its id is known, nobody could charge for it.
    if (this.settings.outlivesCaller && this.wasSent && firstTokenMs === null) return;
    if (this.wasSent && this.beginDrain()) return;
    this.abandon(new Error("the client disconnected"));
  };

  /** Aborts an upstream whose caller has left. */
  private abandon(error: Error): void {
    this.finish(this.gone(this.hasSent ? this.report() : null, null));
    this.giveUp(error);
  }

  private gone(report: Report | null, drained: Drained | null): AttemptEnd {
    const { wasSent, firstTokenMs } = this;
    const shownAt = firstTokenMs === null ? performance.now() : this.settings.exchange.startedAt + firstTokenMs;
    const unseenMs = wasSent ? Math.max(0, shownAt - this.sentAt) : 0;
    return { kind: "gone", wasSent, hasBegun: this.headersAt > 0, unseenMs, report, drained, firstTokenMs };
  }

  get wasSent(): boolean {
    return this.abort !== null;
  }

  cancel(): void {
    this.finish({ kind: "outrun" });
    this.giveUp(new Error("another channel was first"));
  }

  private beginDrain(): boolean {
    const { drains, exchange, asker, isStream } = this.settings;
    const userId = exchange.owner?.user.id ?? 0;
    this.drain = drains.begin(this.answer, { userId, isShown: this.hasSent, isStream });
    if (!this.drain) return false;
    // Nobody else is asked any more.
    this.settings.hasOther = () => false;
    exchange.stream?.forget(this.onDrain);
    asker.leavePlaces();
    if (this.isPaused) this.onDrain();
    return true;
  }

  private finish(end: AttemptEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    if (!this.hasSent) this.settings.exchange.others.leave(performance.now());
    // Else the connection may stay open although the answer is complete.
    if (!this.connection || end.kind !== "answered") unwatch(this);
    clearTimeout(this.stalled);
    this.decoded?.close();
    const { exchange, lane } = this.settings;
    exchange.stream?.forget(this.onDrain);
    if (lane) lane.stop();
    else exchange.whenGone(null);
    const { drain } = this;
    this.resolve(drain ? this.gone(drain.delivered, drain.end(end.kind === "answered", failureOf(end))) : end);
  }
}
