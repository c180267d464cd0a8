import { hostname } from "node:os";
import { join } from "node:path";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { notifyRoots } from "@/lib/notify/notify-commands";
import { createJournal, type Journal } from "./journal";
import { openJournalFolder } from "./journal-folder";
import { describeOwner, isOwnerAlive, isSameDatabase } from "./journal-owner";
import { findLogged, isRegistered, readDatabaseId } from "./journal-queries";
import { DAMAGED } from "./journal-records";
import type { DamagedFile } from "./read-journal";
import { createJournalReplayer, type Replay } from "./replay-journals";
import { retireNode } from "./retire-commands";
import type { Settler } from "./settle";

const REPLAY_MS = 5_000;

export type ProcessJournal = {
  journal: Journal;
  /** Charges what dead processes left behind, now and every few seconds. */
  replayInto(settler: Settler): void;
  /** Ends the replays. Call it before the settler drains. */
  stopReplays(): Promise<void>;
};

/** The journal of this process, beside those of the others of this machine. */
export async function openProcessJournal(sql: Sql, directory: string, nodeId: string): Promise<ProcessJournal> {
  const folder = openJournalFolder(directory);
  const database = await readDatabaseId(sql);
  const owner = describeOwner(database);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<unknown> | null = null;
  return {
    journal: createJournal({ folder, nodeId, owner, onError }),
    replayInto(settler) {
      const replayJournals = createJournalReplayer({
        folder,
        nodeId,
        owner,
        isOurs: (other) => isSameDatabase(other, database),
        isAlive: isOwnerAlive,
        retire: (node, settlements, notes) => retireNode(sql, node, settlements, notes),
        isRegistered: (node) => isRegistered(sql, node),
        findLogged: (rows) => findLogged(sql, rows),
        settle: (row) => settler.settleRow(row),
        onReplay,
        onDamage: (files, replay) => tellRoot(sql, directory, files, replay),
        onError,
      });
      const replay = (): void => {
        running ??= replayJournals()
          .catch(onError)
          .finally(() => {
            running = null;
          });
      };
      timer = setInterval(replay, REPLAY_MS);
      timer.unref();
      replay();
    },
    async stopReplays() {
      clearInterval(timer);
      await running;
    },
  };
}

function onError(error: unknown): void {
  logger.error({ err: error }, "the journal of charges met an error");
}

function onReplay(replay: Replay): void {
  logger.warn(replay, "charged what an ended process left in its journal");
}

/** A message for each file; repeated for a file that could not be moved, it is the same one. */
async function tellRoot(sql: Sql, directory: string, files: readonly DamagedFile[], replay: Replay): Promise<void> {
  for (const { name, places } of files) {
    const kept = join(directory, name + DAMAGED);
    logger.error(
      { kept, places },
      "a journal of charges is damaged; what could be read is booked, and the file is kept",
    );
    const params = { file: kept, machine: hostname(), places, charges: replay.settlements + replay.notes };
    await notifyRoots(sql, { event: "journal_damaged", params, dedupeKey: `journal:${name}` });
  }
}
