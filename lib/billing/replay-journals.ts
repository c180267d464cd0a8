import type { JournalFolder } from "./journal-folder";
import { type JournalContent, listJournals, readJournal } from "./read-journal";
import type { SettlementRow } from "./settlement-row";
import { systemTimers, type Timers } from "./timers";

export type ReplaySettings = {
  folder: JournalFolder;
  /** This process, whose own journal is left alone. */
  nodeId: string;
  /** Text for claims; the same as in this process's journal. */
  owner: string;
  /** False = the journal's charges belong to another database. */
  isOurs: (owner: string) => boolean;
  /** Null = it cannot be told here. */
  isAlive: (owner: string) => boolean | null;
  /** Unregisters a dead process, after which nothing of it can be booked any more. */
  retire: (nodeId: string) => Promise<void>;
  isRegistered: (nodeId: string) => Promise<boolean>;
  /** Those of these requests that are in the log already. */
  findLogged: (requestIds: string[]) => Promise<Set<string>>;
  settle: (row: SettlementRow) => Promise<void>;
  timers?: Pick<Timers, "now">;
  onReplay?: (replay: Replay) => void;
};

export type Replay = { nodeId: string; settlements: number; notes: number; damaged: number };

/** A journal whose owner is elsewhere is taken when nobody has written to it for so long. */
const SILENT_MS = 30_000;
const CLAIM = ".claim";

/**
 * Charges what dead processes left in their journals. Every settlement is booked under its own key, so a replay that is
 * repeated, also by two processes at once, changes nothing. Resolves to the number of journals replayed.
 */
export type JournalReplayer = () => Promise<number>;

export function createJournalReplayer(settings: ReplaySettings): JournalReplayer {
  const { folder, nodeId: ownId, timers = systemTimers } = settings;
  let watched = new Map<string, { stamp: string; sinceMs: number }>();

  /** How long the files have not changed, as far as this process has seen. */
  function silenceOf(nodeId: string, files: string[], next: typeof watched): number {
    const stamp = files.map((file) => `${file}=${folder.stampOf(file)}`).join();
    const known = watched.get(nodeId);
    const kept = known?.stamp === stamp ? known : { stamp, sinceMs: timers.now() };
    next.set(nodeId, kept);
    return timers.now() - kept.sinceMs;
  }

  async function isDead({ nodeId, owner }: JournalContent, silenceMs: number): Promise<boolean> {
    const isAlive = settings.isAlive(owner);
    if (isAlive !== null) return !isAlive;
    return silenceMs >= SILENT_MS && !(await settings.isRegistered(nodeId));
  }

  return async () => {
    let replayed = 0;
    const next: typeof watched = new Map();
    for (const [nodeId, files] of listJournals(folder)) {
      if (nodeId === ownId) continue;
      const seen = readIfThere(folder, nodeId, files);
      if (
        !seen ||
        !settings.isOurs(seen.owner) ||
        !(await isDead(seen, silenceOf(nodeId, files, next))) ||
        !claim(settings, nodeId)
      )
        continue;
      try {
        // Read again: only what a dead process has written is complete, and a sibling may have been faster.
        const left = listJournals(folder).get(nodeId) ?? [];
        await replay(settings, readJournal(folder, nodeId, left));
        for (const file of left) folder.remove(file);
        replayed += 1;
      } finally {
        folder.remove(nodeId + CLAIM);
      }
    }
    watched = next;
    return replayed;
  };
}

/** Null = its owner or a sibling has just removed a file. */
function readIfThere(folder: JournalFolder, nodeId: string, files: string[]): JournalContent | null {
  try {
    return readJournal(folder, nodeId, files);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A claim of a process that died is void. */
function claim({ folder, owner, isAlive }: ReplaySettings, nodeId: string): boolean {
  const name = nodeId + CLAIM;
  if (folder.claim(name, owner)) return true;
  if (isAlive(folder.read(name).toString("utf8")) !== false) return false;
  folder.remove(name);
  return folder.claim(name, owner);
}

async function replay(settings: ReplaySettings, content: JournalContent): Promise<void> {
  const { nodeId, settlements, notes, damaged } = content;
  await settings.retire(nodeId);
  // The settlement of a running request has another time than the note, and thus another key.
  const logged = await settings.findLogged(notes.map((row) => row.requestId));
  const open = notes.filter((row) => !logged.has(row.requestId));
  await Promise.all([...settlements, ...open].map(settings.settle));
  settings.onReplay?.({ nodeId, settlements: settlements.length, notes: open.length, damaged });
}
