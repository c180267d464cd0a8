import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { rollUpModelHealth } from "@/lib/health/model-rollup-commands";
import { rollUpChannelHealth } from "@/lib/health/rollup-commands";

/** Sums the finished hours of the usage log by channel and by model. */
export async function rollUpHealth(sql: Sql): Promise<string> {
  const now = nowSeconds();
  return `${(await rollUpChannelHealth(sql, now)) + (await rollUpModelHealth(sql, now))} hours`;
}
