import type { Sql } from "@/db/client";
import { sweepDeadNodes } from "@/lib/billing/sweep";
import { ensureLogPartitions } from "./ensure-log-partitions";

export type Job = {
  id: string;
  everyMs: number;
  /** Says in a few words what it did. Runs on one machine at a time. */
  run: (sql: Sql) => Promise<string>;
};

export const jobs: Job[] = [
  { id: "lease-sweep", everyMs: 5_000, run: async (sql) => `${await sweepDeadNodes(sql)} processes` },
  { id: "log-partitions", everyMs: 6 * 3_600_000, run: ensureLogPartitions },
];
