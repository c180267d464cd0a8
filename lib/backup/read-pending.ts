import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { openJournalFolder } from "@/lib/billing/journal-folder";
import { isSameDatabase } from "@/lib/billing/journal-owner";
import { type JournalContent, listJournals, readIfThere } from "@/lib/billing/read-journal";
import type { SettlementRow } from "@/lib/billing/settlement-row";
import { BackupError } from "./backup-error";

/** What the processes of this machine have still to charge. `notes`: what running requests have cost so far. */
export type Pending = { settlements: SettlementRow[]; notes: SettlementRow[]; damaged: number };

const TRIES = 50;
const RETRY_MS = 20;

/**
 * Reads all journals of the folder that belong to the database. Read them before the snapshot: what is booked in between is
 * in both, and nothing is in neither.
 */
export async function readPending(directory: string, database: string): Promise<Pending> {
  const pending: Pending = { settlements: [], notes: [], damaged: 0 };
  if (!existsSync(directory)) return pending;
  const folder = openJournalFolder(directory);
  for (const [nodeId, files] of listJournals(folder)) {
    const content = await readWhole(folder, nodeId, files);
    if (!content || !isSameDatabase(content.owner, database)) continue;
    pending.settlements.push(...content.settlements);
    pending.notes.push(...content.notes);
    // The last frame of a running process may be half written.
    pending.damaged += content.damaged.reduce((sum, { places }) => sum + places, 0);
  }
  return pending;
}

/** A file that its owner removes meanwhile is not needed any more, but the others are. Null = all are gone. */
async function readWhole(
  folder: ReturnType<typeof openJournalFolder>,
  nodeId: string,
  files: string[],
): Promise<JournalContent | null> {
  let names = files;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const content = readIfThere(folder, nodeId, names);
    if (content) return content;
    await delay(RETRY_MS);
    names = listJournals(folder).get(nodeId) ?? [];
    if (names.length === 0) return null;
  }
  throw new BackupError("The journal of charges changes faster than it can be read; no backup was made. Try again.");
}
