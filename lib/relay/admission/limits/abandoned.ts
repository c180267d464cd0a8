import type { OptionValues } from "@/lib/option/registry";
import { RelayError } from "../../base/relay-error";
import { type Delivery, isAbandoned } from "../../http/delivery";

type Terms = Pick<OptionValues, "AbandonedRequestsMax">;

const WINDOW_MS = 600_000;
/** An answer that its caller takes makes up for this much of one that it has left. */
const TAKEN_MAKES_UP = 0.25;
/** Users beyond are looked through for those that have left nothing for long. */
const SWEEP_AT = 1_000;

/**
 * Counts the answers that users leave before their end so that the upstream has to be aborted: nobody knows what those cost, so
 * whoever leaves too many waits. A count falls by the limit in ten minutes, and with each answer that is taken.
 */
export class AbandonedRequests {
  private readonly counts = new Map<number, { left: number; at: number }>();
  private readonly nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** Throws RelayError with 429 for a user who has left too many. */
  admit(userId: number, { AbandonedRequestsMax: max }: Terms): void {
    if (this.counts.size === 0 || max === 0) return;
    const left = this.leftBy(userId, max);
    if (Math.ceil(left) < max) return;
    throw tooMany(Math.ceil(((left - max + 1) / max) * (WINDOW_MS / 1_000)));
  }

  ended(userId: number, delivery: Delivery, { AbandonedRequestsMax: max }: Terms): void {
    const isLeft = delivery.outcome === "gone" && !delivery.isCutOff && isAbandoned(delivery) && !isUpstreams(delivery);
    if (max === 0 || (!isLeft && this.counts.size === 0)) return;
    const before = this.leftBy(userId, max);
    const left = isLeft ? before + 1 : delivery.outcome === "answered" ? before - TAKEN_MAKES_UP : before;
    if (left <= 0) this.counts.delete(userId);
    else this.counts.set(userId, { left, at: this.nowMs() });
    if (isLeft && this.counts.size > SWEEP_AT) for (const id of this.counts.keys()) this.leftBy(id, max);
  }

  private leftBy(userId: number, max: number): number {
    const count = this.counts.get(userId);
    if (!count) return 0;
    const left = count.left - ((this.nowMs() - count.at) / WINDOW_MS) * max;
    if (left <= 0) this.counts.delete(userId);
    return Math.max(0, left);
  }
}

/** The upstream did not answer in time, or broke off by itself. */
function isUpstreams({ isOurWait, drained }: Delivery & { outcome: "gone" }): boolean {
  return isOurWait || drained?.failed !== undefined;
}

function tooMany(retryAfter: number): RelayError {
  return new RelayError("too_many_abandoned_requests", { wait: retryAfter }, { retryAfter });
}
