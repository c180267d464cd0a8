import { openedReplica, type ReplicaView } from "@/lib/replica/replica-database";
import { counter, type Family, gauge, one } from "./family";

/** For /metrics; nothing where there is no replica, or nobody has read it yet. */
export function readReplicaFigures(): Family[] {
  const replica = openedReplica();
  if (!replica) return [];
  return replicaFigures({ ...replica.watched.state(), reads: replica.reads });
}

export function replicaFigures({ status, lagMs, lagBytes, reads }: Omit<ReplicaView, "limitSeconds">): Family[] {
  const known = (value: number | null) => (value === null ? [] : one(value));
  return [
    gauge("weir_replica_readable", "Whether pages read the replica", one(status === "fresh" ? 1 : 0), "min"),
    gauge(
      "weir_replica_lag_seconds",
      "For how long the replica has lacked something",
      known(lagMs === null ? null : lagMs / 1_000),
      "max",
    ),
    gauge("weir_replica_lag_bytes", "How much of the primary's log the replica lacks", known(lagBytes), "max"),
    counter("weir_replica_reads_total", "Reads of pages by the server that answered them", [
      { labels: { server: "replica" }, value: reads.replica },
      { labels: { server: "primary" }, value: reads.primary },
    ]),
  ];
}
