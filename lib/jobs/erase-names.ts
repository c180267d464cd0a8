import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { eraseStoredNames } from "@/lib/log-store/erase-names-commands";
import { logStore } from "@/lib/log-store/store";
import { eraseLateNames, listErasedNames, noteNamesErased } from "@/lib/user/erase-names-commands";

/** A request that ran when its account was erased is booked by then, and shipped to the log store. */
const LATE_SECONDS = 3_600;

/** Takes the names of erased accounts out of a log store, and out of rows that were booked after the account was erased. */
export async function eraseNames(sql: Sql): Promise<string> {
  const store = logStore();
  const due = await listErasedNames(sql, nowSeconds() - LATE_SECONDS);
  for (const name of due) {
    await eraseLateNames(sql, name);
    if (store !== null) await eraseStoredNames(store, name);
    await noteNamesErased(sql, name);
  }
  return `${due.length} accounts`;
}
