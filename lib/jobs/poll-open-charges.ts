import { databaseOf, type Sql } from "@/db/client";
import { loadOptions } from "@/lib/option/queries";
import { pollOpenCharges } from "@/lib/relay/stored/poll-open";

/** Asks upstreams about what they work on without us, and charges for what has ended. */
export async function pollOpen(sql: Sql): Promise<string> {
  return `${await pollOpenCharges(sql, await loadOptions(databaseOf(sql)))} ended`;
}
