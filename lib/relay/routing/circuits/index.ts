import type { Sql } from "@/db/client";
import type { SnapshotStore } from "@/lib/snapshot/store";
import { Circuits } from "./circuits";
import { shareCircuits } from "./sharing";

export { Circuits, type Trial } from "./circuits";

/** The circuits of this process, shared with all others. `stop` stores what is not stored yet. */
export function createCircuits(sql: Sql, snapshot: SnapshotStore): { circuits: Circuits; stop: () => Promise<void> } {
  const sharing = shareCircuits({ sql, snapshot });
  const limits = () => {
    const { CircuitFailures: failures, CircuitRestMaxSeconds: seconds } = snapshot.current().options;
    return { failures, restMaxMs: seconds * 1_000 };
  };
  const circuits = new Circuits({ limits, sharing });
  sharing.follow(circuits);
  return { circuits, stop: () => sharing.stop() };
}
