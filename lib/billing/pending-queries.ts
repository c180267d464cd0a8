import { existsSync } from "node:fs";
import type { Sql } from "@/db/client";
import { openJournalFolder } from "./journal-folder";
import { isOwnerAlive, isSameDatabase } from "./journal-owner";
import { findLogged, readDatabaseId } from "./journal-queries";
import {
  type DamagedFile,
  type JournalContent,
  listJournals,
  listKept,
  readIfThere,
  readJournal,
} from "./read-journal";

export type PendingCharge = { requestId: string; userId: number; quota: number };

export type PendingCharges = {
  /** In journals of this machine and not in the log: of running streams, of commits that wait, of dead processes. */
  journal: PendingCharge[];
  /** Files that were damaged, until somebody removes them; and those of processes that still run. */
  damaged: DamagedFile[];
  /** Files that belong to another database, so that nobody here books them. */
  foreign: string[];
  /** Refused by the database and kept for root. */
  refused: PendingCharge[];
};

/** The charges that are known but not booked; the balances do not contain them. */
export async function listPending(sql: Sql, journalDirectory: string): Promise<PendingCharges> {
  const refused = await sql<PendingCharge[]>`
    select request_id as "requestId", user_id as "userId", quota from refused_settlements order by request_id`;
  if (!existsSync(journalDirectory)) return { journal: [], damaged: [], foreign: [], refused: [...refused] };
  const database = await readDatabaseId(sql);
  const folder = openJournalFolder(journalDirectory);
  const contents = [...listJournals(folder)].flatMap(([nodeId, files]) => readIfThere(folder, nodeId, files) ?? []);
  const ours = contents.filter(({ owner }) => isSameDatabase(owner, database));
  const rows = ours.flatMap(({ settlements, notes }) => [...settlements, ...notes]);
  const logged = await findLogged(sql, rows);
  const journal = rows
    .filter((row) => !logged.has(row.requestId))
    .map(({ requestId, userId, quota }) => ({ requestId, userId, quota }));
  const kept = listKept(folder).flatMap((name) => readJournal(folder, "", [name]).damaged);
  const foreign = contents.filter((content) => !ours.includes(content)).flatMap(({ files }) => files);
  return { journal, damaged: [...kept, ...ours.flatMap(damagedOf)], foreign, refused: [...refused] };
}

/** A process that runs may be in the middle of a record. */
function damagedOf({ owner, damaged }: JournalContent): DamagedFile[] {
  return isOwnerAlive(owner) === false ? damaged : damaged.filter(({ isOnlyEnd }) => !isOnlyEnd);
}
