import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { deleteOldUnknownKeys } from "@/lib/relay/admission/refusals/unknown-key-commands";

/** Deletes old counts of requests with unknown API keys. */
export async function forgetUnknownKeys(sql: Sql): Promise<string> {
  return `${await deleteOldUnknownKeys(sql, nowSeconds())} counts`;
}
