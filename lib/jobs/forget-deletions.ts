import type { Sql } from "@/db/client";
import { forgetOldDeletions } from "@/lib/channel/bulk-undo-commands";

/** Lets go of deleted channels that can no longer be brought back. */
export async function forgetDeletions(sql: Sql): Promise<string> {
  return `${await forgetOldDeletions(sql)} forgotten`;
}
