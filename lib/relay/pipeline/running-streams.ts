import type { Settler } from "@/lib/billing/settle";
import { NO_USAGE } from "@/lib/billing/types";
import type { LostDelivery } from "../http/delivery";
import type { Exchange } from "../http/exchange";
import { buildSettlement, type ReservedRequest } from "./settle";

export type RunningStreams = {
  /** Every second, what the stream has delivered goes into the journal. One that runs goes on as this one. */
  start(stream: ReservedRequest): void;
  /** The settlement has taken over, or there is nothing to charge. */
  end(exchange: Exchange, isSettled: boolean): void;
  /** How many run. */
  count(): number;
  stop(): void;
};

const TICK_MS = 50;
/** A stream belongs to one of these slots and is looked at once in a round of a second, so that the work is spread. */
const SLOTS = 20;

/** So that kill -9 charges what was delivered, except for the last second. */
export function createRunningStreams(settler: Pick<Settler, "note" | "forget">): RunningStreams {
  const slots = Array.from({ length: SLOTS }, () => new Map<Exchange, ReservedRequest>());
  /** The slot of each running stream. */
  const running = new Map<Exchange, Map<Exchange, ReservedRequest>>();
  const noted = new Set<Exchange>();
  let at = 0;
  let timer: NodeJS.Timeout | null = null;

  function onTick(): void {
    at = (at + 1) % SLOTS;
    for (const [exchange, stream] of slots[at] ?? []) {
      const settlement = settlementSoFar(stream);
      if (!settlement) continue;
      settler.note(settlement);
      noted.add(exchange);
    }
  }

  function stop(): void {
    if (timer) clearInterval(timer);
    timer = null;
  }

  return {
    start(stream) {
      const slot = running.get(stream.exchange) ?? slots[at];
      if (!slot) return;
      slot.set(stream.exchange, stream);
      running.set(stream.exchange, slot);
      timer ??= setInterval(onTick, TICK_MS).unref();
    },
    end(exchange, isSettled) {
      if (!running.get(exchange)?.delete(exchange)) return;
      running.delete(exchange);
      if (noted.delete(exchange) && !isSettled) settler.forget(exchange.id);
      if (running.size === 0) stop();
    },
    count: () => running.size,
    stop,
  };
}

/** Null = nothing has reached the client. */
function settlementSoFar(stream: ReservedRequest) {
  const { exchange, intake } = stream;
  const { delivering, tried } = exchange;
  if (!delivering || delivering.firstTokenMs === null) return null;
  const report = delivering.report();
  const delivery: LostDelivery = {
    outcome: "lost",
    used: [...tried],
    attempts: null,
    upstream: delivering.upstream,
    report,
    firstTokenMs: delivering.firstTokenMs,
  };
  const usage = { ...NO_USAGE, ...intake.measureSoFar(report), estimated: true };
  return buildSettlement(stream, { delivery, usage });
}
