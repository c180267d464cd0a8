import type { DatabaseHandle } from "@/db/client";
import type { Charge } from "./verdict";

/** Something that happens to the cluster, and how it is made whole again. */
export type Trial = { name: string; happen: () => Promise<void>; repair: () => Promise<void> };

/** More of the cluster than PostgreSQL: what Weir needs to know of it, and how it is killed. */
export type Addition = {
  env: Record<string, string>;
  trials: Trial[];
  /** Resolves when all that is on its way to it has arrived; Weir still runs. */
  settle: (database: DatabaseHandle) => Promise<void>;
  /** What was charged by its own rows; absent = the rows of PostgreSQL tell. */
  charges?: () => Promise<Charge[]>;
  /** What is not right at the end; [] = all is. */
  problems: (database: DatabaseHandle) => Promise<string[]>;
  stop: () => Promise<void>;
};
