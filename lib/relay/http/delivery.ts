import type { BilledUsage } from "@/lib/billing/types";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Report } from "../answers/answer";
import type { RequestFault } from "../base/request-faults";
import type { Drained } from "../net/upstream-drains";
import type { UpstreamRequest } from "../providers/requests/upstream-request";
import type { WireError } from "../wire/canonical/wire-error";
import type { Attempt } from "./attempts";

/**
 * The result of a request at the upstreams. For "answered", `ending` holds the bytes still to send, as `contentType`;
 * with `firstTokenMs` null they are the whole response.
 */
export type Delivery = {
  /** The channels that were tried, in order. */
  used: SnapshotChannel[];
  /** All attempts when there was more than one or none succeeded; null = the first one succeeded. */
  attempts: Attempt[] | null;
  upstream: UpstreamRequest | null;
  /** It was put together from the answers of several upstreams. */
  isContinued?: boolean;
  /** What the last of them delivered by itself, where that is not the usage of the whole. */
  own?: BilledUsage;
} & (
  | { outcome: "answered"; report: Report; ending: Buffer; contentType: string; firstTokenMs: number | null }
  /** `isForbidden`: because the content is not allowed. `told`: what the caller is told of it; absent = only that it is cut. */
  | { outcome: "cut"; report: Report; firstTokenMs: number; isForbidden: boolean; told?: Told }
  /** The balance paid for no more of the answer. */
  | { outcome: "spent"; report: Report; ending: Buffer; contentType: string; firstTokenMs: number | null }
  /**
   * `isOurWait`: the client left after a wait that it does not pay for. `isCutOff`: it was sent away, because the process
   * stops. `unseenMs`: how long the upstream worked before something reached the client, or until it was aborted. `report`:
   * what was delivered to it. `drained`: null = the upstream was aborted at once.
   */
  | {
      outcome: "gone";
      wasSent: boolean;
      isOurWait: boolean;
      isCutOff?: boolean;
      unseenMs: number;
      report: Report | null;
      drained: Drained | null;
      firstTokenMs: number | null;
    }
  | { outcome: "failed"; reply: { status: number; error: WireError }; retryAfterMs: number | null; spent: Spent }
);

/** A stream that broke off after something of it had reached the client. */
export type CutDelivery = Delivery & { outcome: "cut" };

export type Delivered = Exclude<Delivery, { outcome: "cut" | "failed" }>;

/** An error as the caller gets it. */
export type Told = { status: number; error: WireError };

/** What a failed model leaves to those that are asked after it. */
export type Spent = {
  begunAt: number;
  waitLeftMs: number;
  used: SnapshotChannel[];
  attempts: Attempt[] | null;
  /** Why other models are of no use, or only larger ones ("context"); null = they may be. */
  refusal: RequestFault | "request" | "time" | null;
  /** Upstream models that the request is too long for. */
  tooShort: ReadonlySet<string>;
};

/** What is known of a stream while it runs, in case this process ends before the stream does. */
export type LostDelivery = Pick<Delivery, "used" | "attempts" | "upstream"> & {
  outcome: "lost";
  report: Report;
  firstTokenMs: number;
};

/** Nobody knows what the upstream was made to do: it was aborted, or lost, before the end of its answer. */
export function isAbandoned(delivery: Delivery | LostDelivery): boolean {
  if (delivery.outcome === "spent") return !delivery.report.isComplete;
  return delivery.outcome === "gone" && delivery.wasSent && !delivery.drained?.isWhole && !isRefusedInDrain(delivery);
}

/** The upstream said no after the client had left, so that it did nothing. */
function isRefusedInDrain({ drained }: Delivery & { outcome: "gone" }): boolean {
  return typeof drained?.failed?.status === "number";
}
