import { existsSync } from "node:fs";
import type { Sql } from "@/db/client";
import { openJournalFolder } from "./journal-folder";
import { findLogged } from "./journal-queries";
import { listJournals, readIfThere } from "./read-journal";

export type PendingCharge = { requestId: string; userId: number; quota: number };

export type PendingCharges = {
  /** In journals of this machine and not in the log: of running streams, of commits that wait, of dead processes. */
  journal: PendingCharge[];
  /** Lines of journals that could not be read. */
  damaged: number;
  /** Refused by the database and kept for root. */
  refused: PendingCharge[];
};

/** The charges that are known but not booked; the balances do not contain them. */
export async function listPending(sql: Sql, journalDirectory: string): Promise<PendingCharges> {
  const refused = await sql<PendingCharge[]>`
    select request_id as "requestId", user_id as "userId", quota from refused_settlements order by request_id`;
  if (!existsSync(journalDirectory)) return { journal: [], damaged: 0, refused: [...refused] };
  const folder = openJournalFolder(journalDirectory);
  const contents = [...listJournals(folder)].flatMap(([nodeId, files]) => readIfThere(folder, nodeId, files) ?? []);
  const rows = contents.flatMap(({ settlements, notes }) => [...settlements, ...notes]);
  const logged = await findLogged(sql, rows);
  const journal = rows
    .filter((row) => !logged.has(row.requestId))
    .map(({ requestId, userId, quota }) => ({ requestId, userId, quota }));
  return { journal, damaged: contents.reduce((sum, { damaged }) => sum + damaged, 0), refused: [...refused] };
}
