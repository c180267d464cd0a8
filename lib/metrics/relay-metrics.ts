import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Family } from "./family";
import { FlushTotals } from "./flush-totals";
import { readRefunds } from "./refunds";
import { type RelayParts, readRelay } from "./relay-figures";
import { RequestTotals } from "./request-totals";

/** The metrics of one relay and its billing. */
export class RelayMetrics {
  readonly flushes = new FlushTotals();
  private requests: RequestTotals | null = null;

  /** What the relay is to call at the end of each request, so that requests are counted. */
  countRequests(snapshot: Pick<SnapshotStore, "current">): RequestTotals["ended"] {
    this.requests = new RequestTotals(snapshot);
    return this.requests.ended;
  }

  read(parts: RelayParts): Family[] {
    return [...(this.requests?.read() ?? []), ...this.flushes.read(), ...readRefunds(), ...readRelay(parts)];
  }
}
