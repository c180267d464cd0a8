import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { deleteOldModelHealth, rollUpModelHealth } from "@/lib/health/model-rollup-commands";
import { deleteOldChannelHealth, rollUpChannelHealth } from "@/lib/health/rollup-commands";

/** Sums the finished hours of the usage log by channel and by model, and deletes sums that are too old. */
export async function rollUpHealth(sql: Sql): Promise<string> {
  const now = nowSeconds();
  const hours = (await rollUpChannelHealth(sql, now)) + (await rollUpModelHealth(sql, now));
  const deleted = (await deleteOldChannelHealth(sql, now)) + (await deleteOldModelHealth(sql, now));
  return deleted === 0 ? `${hours} hours` : `${hours} hours, ${deleted} old rows deleted`;
}
