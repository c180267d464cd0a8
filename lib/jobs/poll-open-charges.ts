import type { Sql } from "@/db/client";
import { pollOpenCharges } from "@/lib/relay/side";

/** Asks upstreams about what they work on without us, and charges for what has ended. */
export async function pollOpen(sql: Sql): Promise<string> {
  return `${await pollOpenCharges(sql)} ended`;
}
