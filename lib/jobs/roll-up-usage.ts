import type { Sql } from "@/db/client";
import { rollUpUsage } from "@/lib/statistics/rollup-commands";

/** Sums the finished hours of metered consumption. */
export async function sumUsage(sql: Sql): Promise<string> {
  return `${await rollUpUsage(sql)} hours`;
}
