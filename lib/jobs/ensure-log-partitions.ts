import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ensurePartitions } from "@/lib/usage-log/partitions";

/** Makes the usage log's monthly partitions ahead of time, and empties the default partition. */
export async function ensureLogPartitions(sql: Sql): Promise<string> {
  const { made, moved, waiting } = await ensurePartitions(sql, nowSeconds());
  return [
    `${made} made`,
    ...(moved > 0 ? [`${moved} rows moved`] : []),
    ...(waiting > 0 ? [`${waiting} waiting for a lock`] : []),
  ].join(", ");
}
