import type { Logger } from "pino";
import { codeOf } from "./canonical/wire-error";
import type { Endpoint } from "./endpoints";
import type { Exchange } from "./exchange";
import type { OnEnd } from "./on-end";

type Level = "debug" | "info" | "warn" | "error";

/** Lines about requests that did not end well: at once, and per second after that. A flood of refusals must not become one of lines. */
const BURST = 200;
const PER_SECOND = 50;

type Settings = {
  logger: Pick<Logger, "isLevelEnabled" | Level>;
  /** The share of requests that ended well and get a line, from 0 to 1. */
  share: number;
  random?: () => number;
};

/** Writes one line for each request: info = it ended well, warn = a refusal or more than one attempt, error = an error of ours or an answer that was cut. */
export function createRequestLog({ logger, share, random = Math.random }: Settings): OnEnd {
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
    if (!logger.isLevelEnabled(level)) return;
    if (level === "info" ? share < 1 && random() >= share : !takeLine()) return;
    logger[level](lineOf(exchange, endpoint, status, level === "info" ? 0 : unwritten), "request");
    if (level !== "info") unwritten = 0;
  };
}

/** Null = nothing was sent, because the caller had left. */
function statusOf({ failure, response }: Exchange): number | null {
  return failure?.status ?? (response.headersSent ? response.statusCode : null);
}

function attemptsOf(exchange: Exchange): number {
  return exchange.settled?.delivery.attempts?.length ?? exchange.tried.length;
}

function levelOf(exchange: Exchange, status: number | null): Level {
  const { hasBroken, owner, isCallersFault } = exchange;
  if (hasBroken || ((status ?? 0) >= 500 && !isCallersFault) || exchange.settled?.delivery.outcome === "cut")
    return "error";
  // Anybody can send unknown keys; they are counted elsewhere.
  if ((status ?? 0) >= 400) return owner ? "warn" : "debug";
  return attemptsOf(exchange) > 1 ? "warn" : "info";
}

/** Never texts, keys or queries. What is not known is left out. */
function lineOf(exchange: Exchange, endpoint: Endpoint, status: number | null, unwritten: number) {
  const { id, owner, request, failure, headMs, overheadMs, model, tried, bodyBytes, settled } = exchange;
  const charged = settled?.settlement;
  return {
    request: id,
    user: owner?.user.id,
    key: owner?.token.id,
    operation: endpoint.kind === "operation" ? endpoint.operation.id : endpoint.kind,
    model: charged?.modelName ?? (model || undefined),
    channel: charged?.channelId || tried.at(-1)?.id,
    attempts: attemptsOf(exchange),
    status: status ?? undefined,
    code: failure ? codeOf(failure.error) : undefined,
    outcome: settled?.delivery.outcome,
    stream: charged?.isStream,
    bytesIn: bodyBytes ?? (Number(request.headers["content-length"]) || undefined),
    bytesOut: request.socket ? request.socket.bytesWritten - exchange.sentBefore : undefined,
    promptTokens: charged?.usage.promptTokens,
    completionTokens: charged?.usage.completionTokens,
    quota: charged?.quota,
    firstTokenMs: charged?.firstTokenMs ?? undefined,
    headMs: headMs === null ? undefined : round(headMs),
    overheadMs: overheadMs === null ? undefined : round(overheadMs),
    ms: exchange.elapsedMs(),
    unwritten: unwritten || undefined,
  };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
