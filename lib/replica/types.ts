import type { ReplicaState } from "./watched-replica";

/** What people see of the replica of one console process. */
export type ReplicaView = ReplicaState & { limitSeconds: number; reads: { replica: number; primary: number } };
