import type { Sql } from "@/db/client";
import { purgeCaptures } from "@/lib/capture/store-commands";
import { nowSeconds } from "@/lib/clock";

/** Deletes captured requests whose time is over. */
export async function purgeOldCaptures(sql: Sql): Promise<string> {
  return `${await purgeCaptures(sql, nowSeconds())} captures`;
}
