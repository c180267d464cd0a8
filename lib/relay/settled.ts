import type { Settlement } from "@/lib/billing/settle";
import type { Exchange } from "./exchange";
import type { Ended } from "./stages/settle";

/** What was booked of a request, and how it was answered. */
export type Settled = { settlement: Settlement; ended: Ended };

export function keepSettled(exchange: Exchange, settled: Settled): void {
  exchange.settled = settled;
}

/** Null = nothing was booked. The exchange itself does not know the type, so that imports have one direction. */
export function settledOf({ settled }: Exchange): Settled | null {
  return settled as Settled | null;
}
