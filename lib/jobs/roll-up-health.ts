import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { rollUpChannelHealth } from "@/lib/health/rollup-commands";

/** Sums the finished hours of the usage log by channel. */
export async function rollUpHealth(sql: Sql): Promise<string> {
  return `${await rollUpChannelHealth(sql, nowSeconds())} hours`;
}
