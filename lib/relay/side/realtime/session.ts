import type { WebSocket } from "ws";
import { logger } from "@/lib/logger";
import { replyOf } from "../../base/refusals/refusal-table";
import { databaseAway, RelayError } from "../../base/relay-error";
import type { AttemptEnd } from "../../http/attempt/attempt-end";
import type { Exchange } from "../../http/exchange";
import { type Ticking, unwatch, watch } from "../../net/ticker";
import { type Json, readObject, readText } from "../../wire/canonical/json";
import type { WireError } from "../../wire/canonical/wire-error";
import {
  type ClientRules,
  limitedResponse,
  limitedSession,
  parseEvent,
  readClientEvent,
  transcriptionModel,
} from "./client-events";
import { CLOSE, closeCodeOf, closeReason, errorEvent, sendableCode } from "./error-event";
import { typeAtStart } from "./event-type";
import type { Frame, Opened } from "./open-upstream";
import { PaidGate } from "./paid-gate";
import type { Piece } from "./running-response";
import { SESSION_ANSWER } from "./session-answer";
import type { PartOutcome, SessionBooks } from "./session-books";
import type { SessionHold } from "./session-hold";
import { readCostSettings } from "./settings-in-force";
import type { Tally } from "./tally";
import { TwoWay } from "./two-way";

export type SessionSettings = {
  exchange: Exchange;
  client: WebSocket;
  opened: Opened;
  books: SessionBooks;
  hold: SessionHold;
  tally: Tally;
  rules: ClientRules;
  /** Takes the secrets out of an upstream's words. */
  redact: (text: string) => string;
  /** Asked four times a second: why the caller may not go on; null = it may. */
  objection: () => RelayError | null;
  hasRoom: () => boolean;
  /** When it ends, of performance.now(). */
  endsAt: number;
  /** When it ends because the process stops, with something running in it or not; Infinity = the process goes on. */
  stopsAt: (isRunning: boolean) => number;
  /** How often each side has to give a sign of life. */
  pingMs: number;
};

/** What events hold besides the text or sound in them. */
const EVENT_BYTES = 200;
const NOTE_MS = 1_000;
/** Back pressure keeps what waits for a caller below this; only what it provokes itself is more: errors and pongs. */
const UNREAD_BYTES_MAX = 32 * 1_048_576;

/** Events that bring words. Those that bring sound are called audio. */
const WORDS = new Set([
  "response.output_text.delta",
  "response.text.delta",
  "response.output_audio_transcript.delta",
  "response.audio_transcript.delta",
  "response.function_call_arguments.delta",
  "response.mcp_call_arguments.delta",
]);
const SOUND = new Set(["response.output_audio.delta", "response.audio.delta"]);

/** How a session ended, and what its caller is told. */
type Ending = { outcome: PartOutcome; why: string; code: number; reason: string; error?: WireError };

/** A session that runs: frames pass as they are, and what they cost is charged as they report it. */
export class Session implements Ticking {
  place = -1;
  /** Why it ended. */
  why = "";
  readonly ended: Promise<AttemptEnd>;
  private readonly settings: SessionSettings;
  private readonly way: TwoWay;
  private readonly gate: PaidGate;
  private resolve: (end: AttemptEnd) => void = () => {};
  private isOver = false;
  private shorter: number | null = null;
  /** Sessions that begin together are not all noted in the same turn. */
  private notedAt = performance.now() - Math.random() * NOTE_MS;
  private pingAt: number;
  /** What has not answered the last ping. */
  private readonly isAwaited = { client: false, upstream: false };

  constructor(settings: SessionSettings) {
    this.settings = settings;
    this.way = new TwoWay(settings.client, settings.opened.socket);
    const { hold, tally } = settings;
    this.gate = new PaidGate({
      hold,
      tally,
      way: this.way,
      shorten: () => this.shorten(),
      onSpent: () => this.endSpent(),
    });
    this.pingAt = performance.now() + settings.pingMs;
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  start(): void {
    const { client, opened, exchange } = this.settings;
    const { socket: upstream, early } = opened;
    client.on("message", (data: Buffer, isBinary) => this.onFrame("client", { data, isBinary }));
    client.on("pong", () => this.heard("client"));
    upstream.on("message", (data: Buffer, isBinary) => this.onFrame("upstream", { data, isBinary }));
    upstream.on("pong", () => this.heard("upstream"));
    upstream.on("close", (code, reason) => this.onUpstreamClosed(code, reason));
    exchange.whenGone(() => this.end({ outcome: "gone", why: "client", code: CLOSE.normal, reason: "" }));
    if (this.isOver) return;
    watch(this);
    for (const frame of early) this.onFrame("upstream", frame);
    this.way.start();
  }

  /** An answer that was waited for lets it go on or not. */
  recheck(isAnswered = false): void {
    if (!this.isOver) this.gate.recheck(isAnswered);
  }

  /** Ends it with an error event. */
  fail(error: RelayError, outcome: PartOutcome = "gone"): void {
    const { wire } = error;
    const { exchange } = this.settings;
    this.end({
      outcome,
      why: wire.code === null ? wire.type : String(wire.code),
      ...closing(exchange.told(error).error, closeCodeOf(error)),
    });
  }

  onTick(now: number): void {
    try {
      this.look(now);
    } catch (error) {
      this.broke(error);
    }
  }

  /** A bug ends its session, and no other. */
  private broke(error: unknown): void {
    logger.error({ err: error, request: this.settings.exchange.id }, "a session failed");
    this.fail(INTERNAL);
  }

  private look(now: number): void {
    const { objection, hasRoom, endsAt, stopsAt, books, tally } = this.settings;
    if (this.isOver) return;
    const refusal = hasRoom() ? objection() : databaseAway();
    if (refusal) return void this.fail(refusal);
    this.checkUnread();
    if (this.isOver) return;
    if (now >= endsAt) return void this.endWith("time_limit", "the session has reached its time limit", CLOSE.normal);
    if (now >= stopsAt(tally.isRunning))
      return void this.endWith("shutdown", "the gateway is being restarted, please connect again", CLOSE.restart);
    if (now - this.notedAt >= NOTE_MS) {
      this.notedAt = now;
      books.note();
    }
    if (now >= this.pingAt) this.ping(now);
  }

  private onFrame(from: "client" | "upstream", frame: Frame): void {
    this.isAwaited[from] = false;
    if (this.gate.isBlocked) this.gate.queue(() => this.take(from, frame));
    else this.take(from, frame);
  }

  private take(from: "client" | "upstream", frame: Frame): void {
    if (this.isOver) return;
    try {
      if (from === "client") this.onClient(frame);
      else this.onUpstream(frame);
    } catch (error) {
      this.broke(error);
    }
  }

  private onClient({ data, isBinary }: Frame): void {
    if (isBinary) return void this.endWith("binary", "events are text, not binary", 1_003);
    let sent: Buffer;
    try {
      sent = readClientEvent(data, this.settings.rules);
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
      this.tell(error.wire);
      this.checkUnread();
      return;
    }
    // What it may lead to is counted by now.
    if (this.gate.pays(0)) this.passSent(sent);
    else this.gate.later(0, () => this.passSent(sent));
  }

  private passSent(data: Buffer): void {
    const { tally } = this.settings;
    tally.passed();
    const limited = limitedResponse(data, tally.settings.limitName, this.shorter);
    this.shorter = null;
    this.way.send("upstream", { data: limited, isBinary: false });
  }

  /** A balance that does not pay for all that a response may think gets one that may write less. */
  private shorten(): boolean {
    const { tally } = this.settings;
    const shorter = tally.shorten();
    if (!shorter) return false;
    if (shorter.isOfSession) {
      tally.settings.sent({ ...readCostSettings({}), outputMax: shorter.limit });
      this.way.send("upstream", { data: limitedSession(tally.settings.limitName, shorter.limit), isBinary: false });
    } else this.shorter = shorter.limit;
    return true;
  }

  private onUpstream(frame: Frame): void {
    const { tally } = this.settings;
    const { data } = frame;
    const type = frame.isBinary ? "" : (typeAtStart(data) ?? readText(parseEvent(data)?.type));
    if (SOUND.has(type) || WORDS.has(type)) {
      const cost = tally.costOfPiece(sizeOf(type, data));
      if (this.gate.pays(cost)) this.passPiece(type, frame);
      else this.gate.later(cost, () => this.passPiece(type, frame));
      return;
    }
    const cost = type === "response.created" ? tally.costOfBegin() : 0;
    if (cost === 0 || this.gate.pays(cost)) this.passRare(type, frame);
    else this.gate.later(cost, () => this.passRare(type, frame));
  }

  /** What comes after it waits until what it leads to is paid for. */
  private passRare(type: string, frame: Frame): void {
    const passed = this.onRare(type, frame.data);
    this.way.send("client", passed === frame.data ? frame : { data: passed, isBinary: false });
    if (!this.isOver && !this.gate.pays(0)) this.gate.later(0, () => {});
  }

  /** A piece of an answer that is paid for. */
  private passPiece(type: string, frame: Frame): void {
    const { books, tally, exchange } = this.settings;
    tally.delivered(sizeOf(type, frame.data));
    books.firstTokenMs ??= exchange.elapsedMs();
    this.way.send("client", frame);
  }

  /** What says more than that something was written. Returns what is passed on. */
  private onRare(type: string, data: Buffer): Buffer {
    const { books, tally } = this.settings;
    switch (type) {
      case "response.created":
        books.began(parseEvent(data) ?? {});
        break;
      case "response.done":
        books.ended(parseEvent(data) ?? {});
        break;
      case "conversation.item.input_audio_transcription.completed":
        books.transcribed(parseEvent(data) ?? {});
        break;
      case "conversation.item.input_audio_transcription.failed":
        tally.transcriptionEnded();
        break;
      case "input_audio_buffer.speech_started":
        tally.speechBegan(parseEvent(data)?.audio_start_ms);
        break;
      case "input_audio_buffer.committed":
        tally.committed();
        break;
      case "input_audio_buffer.cleared":
        tally.cleared();
        break;
      case "session.created":
      case "session.updated":
      case "transcription_session.updated":
        this.onSettings(readObject(parseEvent(data)?.session), type !== "session.created");
        break;
      case "error":
        tally.refused(readObject(parseEvent(data)?.error));
        return this.redacted(data);
      default:
    }
    return data;
  }

  private onSettings(session: Json, isAnswer: boolean): void {
    const { tally, books } = this.settings;
    tally.settings.told(readCostSettings(session), isAnswer);
    const model = transcriptionModel(session);
    if (model !== "") books.transcribesWith(model);
  }

  private redacted(data: Buffer): Buffer {
    const text = data.toString("utf8");
    const clean = this.settings.redact(text);
    return clean === text ? data : Buffer.from(clean);
  }

  private onUpstreamClosed(code: number, reason: Buffer): void {
    const isClean = code === CLOSE.normal || code === CLOSE.away || code === 1_005;
    const outcome = isClean && !this.settings.tally.isRunning ? "answered" : "cut";
    const text = this.settings.redact(reason.toString("utf8"));
    const error = isClean ? {} : { error: BROKEN };
    this.end({ outcome, why: "upstream", code: sendableCode(code), reason: text, ...error });
  }

  private endSpent(): void {
    const { refusal } = this.settings.hold;
    this.fail(refusal ?? SPENT, "spent");
  }

  private endWith(code: string, message: string, close: number): void {
    this.end({
      outcome: "gone",
      why: code,
      ...closing({ message, type: "invalid_request_error", param: null, code }, close),
    });
  }

  private tell(error: WireError): void {
    this.way.send("client", { data: Buffer.from(errorEvent(error)), isBinary: false });
  }

  /** A caller that sends and never reads is disconnected. */
  private checkUnread(): void {
    const { client } = this.settings;
    if (this.isOver || client.bufferedAmount <= UNREAD_BYTES_MAX) return;
    client.terminate();
    this.end({ outcome: "gone", why: "unread", code: CLOSE.policy, reason: "" });
  }

  private heard(side: "client" | "upstream"): void {
    this.isAwaited[side] = false;
  }

  private ping(now: number): void {
    const { client, opened, pingMs } = this.settings;
    this.pingAt = now + pingMs;
    const isLost = (side: "client" | "upstream"): boolean => this.isAwaited[side] && !this.way.isPaused(side);
    if (isLost("client")) {
      client.terminate();
      return void this.end({ outcome: "gone", why: "silence", code: CLOSE.away, reason: "" });
    }
    if (isLost("upstream")) return void this.end({ outcome: "cut", why: "upstream", ...closing(SILENT, CLOSE.failed) });
    for (const socket of [client, opened.socket]) if (socket.readyState === socket.OPEN) socket.ping();
    this.isAwaited.client = this.isAwaited.upstream = true;
  }

  private end({ outcome, why, code, reason, error }: Ending): void {
    if (this.isOver) return;
    const { client, opened, books, exchange, tally } = this.settings;
    if (error) this.tell(error);
    this.isOver = true;
    this.why = why;
    unwatch(this);
    exchange.whenGone(null);
    this.way.release();
    client.close(code, closeReason(reason));
    opened.socket.close(CLOSE.normal);
    const part = tally.isRunning ? outcome : "answered";
    // What the caller has broken off was worked on, and what the gateway has was not asked to end.
    const isCaused = (outcome === "gone" && why !== "shutdown") || outcome === "spent";
    books
      .close(part, isCaused)
      .catch((failure: unknown) => logger.error({ err: failure, request: exchange.id }, "a session was not charged"))
      .finally(() => this.resolve(endOf(outcome, part, books.firstTokenMs)));
  }
}

function sizeOf(type: string, { length }: Buffer): Piece {
  const isSound = SOUND.has(type);
  return { isSound, bytes: Math.max(isSound ? 0 : 1, length - EVENT_BYTES) };
}

const INTERNAL = new RelayError("internal_error", {});

const SPENT = new RelayError("insufficient_quota", { text: "balanceUsedUp" });

const BROKEN = replyOf("stream_response_error", "the upstream closed the session").error;

const SILENT = replyOf("stream_response_error", "the upstream no longer answers").error;

function closing(error: WireError, code: number): Pick<Ending, "error" | "code" | "reason"> {
  return { error, code, reason: error.message };
}

/** For the attempts in the log, and the circuit of the channel. */
function endOf(outcome: PartOutcome, part: PartOutcome, firstTokenMs: number | null): AttemptEnd {
  const answer = SESSION_ANSWER;
  if (outcome === "cut")
    return { kind: "cut", answer, firstTokenMs: firstTokenMs ?? 0, cause: "cut", isForbidden: false, reported: null };
  if (outcome === "spent") return { kind: "spent", answer, firstTokenMs };
  if (part === "gone") {
    const report = answer.report();
    return { kind: "gone", wasSent: true, hasBegun: true, unseenMs: 0, report, drained: null, firstTokenMs };
  }
  return { kind: "answered", answer, firstTokenMs };
}
