import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { consoleReplica } from "./replica-database";
import type { ReplicaView } from "./types";

/** The replica as this process sees it (super administrators); null = there is none. */
export function viewReplica(ctx: ServiceContext): ReplicaView | null {
  requireRole(ctx, ROLE.root);
  const replica = consoleReplica();
  if (!replica) return null;
  return { ...replica.watched.state(), limitSeconds: replica.limitSeconds, reads: { ...replica.reads } };
}
