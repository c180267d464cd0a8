import type { Sql } from "@/db/client";
import { forgetOldDeletions } from "@/lib/channel/bulk-undo-commands";

/** Removes the stored copies of deleted channels whose undo period is over. */
export async function forgetDeletions(sql: Sql): Promise<string> {
  return `${await forgetOldDeletions(sql)} forgotten`;
}
