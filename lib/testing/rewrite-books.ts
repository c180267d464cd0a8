import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";

/**
 * Carries out a statement without the triggers that keep the ledger and the log as they are, as a superuser of the database
 * can; also for tests that begin with an empty log.
 */
export async function rewriteBooks(sql: Sql, change: string | ((tx: TransactionSql) => unknown)): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    if (typeof change === "string") await tx.unsafe(change);
    else await change(tx);
  });
}
