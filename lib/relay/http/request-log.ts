import type { RequestLines } from "@/lib/request-lines";
import { codeOf } from "../wire/canonical/wire-error";
import type { Settled } from "./attempts";
import type { Exchange } from "./exchange";
import type { OnEnd, RequestTarget } from "./on-end";

/** As pino counts them. */
const DEBUG = 20;
const INFO = 30;
const WARN = 40;
const ERROR = 50;

/** Lines about requests that did not end well: at once, and per second after that. A flood of refusals must not become one of lines. */
const BURST = 200;
const PER_SECOND = 50;

type Settings = {
  lines: RequestLines;
  /** The share of requests that ended well and get a line, from 0 to 1. */
  share: number;
  random?: () => number;
};

/** Writes one line for each request: info = it ended well, warn = a refusal or more than one attempt, error = an error of ours or an answer that was cut. */
export function createRequestLog({ lines, share, random = Math.random }: Settings): OnEnd {
  let left = BURST;
  let filledAt = performance.now();
  let unwritten = 0;
  function takeLine(): boolean {
    const now = performance.now();
    left = Math.min(BURST, left + ((now - filledAt) * PER_SECOND) / 1_000);
    filledAt = now;
    const isTaken = left >= 1;
    if (isTaken) left -= 1;
    else unwritten += 1;
    return isTaken;
  }

  return (exchange, endpoint) => {
    const status = statusOf(exchange);
    const level = levelOf(exchange, status);
    if (level < lines.level) return;
    if (level === INFO ? share < 1 && random() >= share : !takeLine()) return;
    const left = level === INFO ? 0 : unwritten;
    const fields = fieldsOf(exchange, endpoint, status, left);
    lines.write(`{"level":${level},"time":${Date.now()}${lines.base}${fields},"msg":"request"}\n`, level > INFO);
    if (level !== INFO) unwritten = 0;
  };
}

/** Null = nothing was sent, because the caller had left. */
function statusOf({ failure, response }: Exchange): number | null {
  return failure?.status ?? (response.headersSent ? response.statusCode : null);
}

function attemptsOf(exchange: Exchange): number {
  return exchange.settled?.delivery.attempts?.length ?? exchange.tried.length;
}

function levelOf(exchange: Exchange, status: number | null): number {
  const { hasBroken, owner, isCallersFault } = exchange;
  if (hasBroken || ((status ?? 0) >= 500 && !isCallersFault) || exchange.settled?.delivery.outcome === "cut")
    return ERROR;
  // Anybody can send unknown keys; they are counted elsewhere.
  if ((status ?? 0) >= 400) return owner ? WARN : DEBUG;
  return attemptsOf(exchange) > 1 ? WARN : INFO;
}

/**
 * Never texts, keys or queries. What is not known is left out. Written by hand and in few pieces, because each answer pays for it:
 * pino took a tenth of all memory that an answer allocates.
 */
function fieldsOf(exchange: Exchange, endpoint: RequestTarget, status: number | null, unwritten: number): string {
  const { id, owner, request, failure, headMs, overheadMs, model, tried, bodyBytes, settled } = exchange;
  const charged = settled?.settlement;
  const who = owner ? `,"user":${owner.user.id},"key":${owner.token.id}` : "";
  const operation = endpoint.operation ? endpoint.operation.id : endpoint.kind;
  const what = `${text("model", charged?.modelName ?? model)}${number("channel", charged?.channelId || tried.at(-1)?.id)}`;
  const outcome = `${number("status", status)}${failure ? text("code", codeOf(failure.error)) : ""}`;
  const bytesIn = number("bytesIn", bodyBytes ?? (Number(request.headers["content-length"]) || null));
  const bytesOut = number("bytesOut", request.socket ? request.socket.bytesWritten - exchange.sentBefore : null);
  const times = `${number("headMs", round(headMs))}${number("overheadMs", round(overheadMs))},"ms":${exchange.elapsedMs()}`;
  return `,"request":${JSON.stringify(id)}${who},"operation":"${operation}"${what},"attempts":${attemptsOf(exchange)}${outcome}${
    settled ? `,"outcome":"${settled.delivery.outcome}","stream":${settled.settlement.isStream}` : ""
  }${bytesIn}${bytesOut}${charged ? chargeOf(charged) : ""}${times}${unwritten > 0 ? `,"unwritten":${unwritten}` : ""}`;
}

function chargeOf({ usage, quota, firstTokenMs }: Settled["settlement"]): string {
  const tokens = `,"promptTokens":${usage.promptTokens},"completionTokens":${usage.completionTokens}`;
  return `${tokens},"quota":${quota}${number("firstTokenMs", firstTokenMs)}`;
}

function number(name: string, value: number | null | undefined): string {
  return value === null || value === undefined ? "" : `,"${name}":${value}`;
}

function text(name: string, value: string | null | undefined): string {
  return value ? `,"${name}":${JSON.stringify(value)}` : "";
}

function round(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}
