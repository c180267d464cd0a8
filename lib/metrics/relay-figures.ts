import type { LeaseBook } from "@/lib/billing/lease";
import type { Settler } from "@/lib/billing/settle";
import type { Relay } from "@/lib/relay";
import type { SnapshotStore } from "@/lib/snapshot/store";
import { type Family, gauge, one } from "./family";

export type RelayParts = {
  relay: Pick<Relay, "figures">;
  settler: Pick<Settler, "queued" | "oldestMs" | "hasRoom">;
  leaseBook: Pick<LeaseBook, "held" | "isFenced">;
  snapshot: Pick<SnapshotStore, "ageMs">;
  journalBytes: () => number;
};

/** What a relay and its billing are doing at the moment. Reads memory only. */
export function readRelay({ relay, settler, leaseBook, snapshot, journalBytes }: RelayParts): Family[] {
  const { inHand, streams, circuits } = relay.figures();
  const { leases, quota } = leaseBook.held();
  return [
    gauge("weir_requests_in_flight", "Requests that are being handled", one(inHand)),
    gauge("weir_streams_in_flight", "Streamed answers among them that have reserved quota", one(streams)),
    gauge(
      "weir_open_circuits",
      "Channels and models that are avoided, as each process sees them",
      [
        { labels: { state: "resting" }, value: circuits.resting },
        { labels: { state: "probing" }, value: circuits.probing },
      ],
      "max",
    ),
    gauge("weir_settler_queue", "Charges that wait for their commit", one(settler.queued())),
    gauge(
      "weir_settler_oldest_seconds",
      "How long the oldest charge has waited for its commit",
      one(settler.oldestMs() / 1_000),
      "max",
    ),
    gauge("weir_leases", "Parts of balances that processes hold", one(leases)),
    gauge("weir_leased_quota", "Quota of users in them", one(quota)),
    gauge("weir_journal_bytes", "Journals of charges on the disk", one(journalBytes())),
    gauge(
      "weir_snapshot_age_seconds",
      "How old the settings are that the oldest process works with",
      one(snapshot.ageMs() / 1_000),
      "max",
    ),
    gauge(
      "weir_fenced_processes",
      "Processes that admit nothing, for want of a heartbeat",
      one(leaseBook.isFenced() ? 1 : 0),
    ),
    gauge(
      "weir_full_processes",
      "Processes that admit nothing, because charges cannot be stored",
      one(settler.hasRoom() ? 0 : 1),
    ),
  ];
}
