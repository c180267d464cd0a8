import type { JournalFolder } from "./journal-folder";
import { DAMAGED } from "./journal-records";
import { type DamagedFile, ifThere, type JournalContent, listJournals, readIfThere, readOwner } from "./read-journal";
import type { SettlementRow } from "./settlement-row";
import { isDatabaseTrouble, isTransient, sqlStateOf } from "./sqlstate";
import { systemTimers, type Timers, within } from "./timers";

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
  /** Books both against the leases of the dead process and unregisters it; resolves to the number of notes booked. */
  retire: (nodeId: string, settlements: SettlementRow[], notes: SettlementRow[]) => Promise<number>;
  isRegistered: (nodeId: string) => Promise<boolean>;
  /** Those of these requests that are in the log already. */
  findLogged: (rows: SettlementRow[]) => Promise<Set<string>>;
  /** Books one row alone. */
  settle: (row: SettlementRow) => Promise<void>;
  /** Tells root of files that will be kept; repeated until it succeeds. */
  onDamage?: (files: readonly DamagedFile[], replay: Replay) => Promise<void>;
  timers?: Timers;
  onReplay?: (replay: Replay) => void;
  /** A journal that cannot be replayed now; the others go on. */
  onError?: (error: unknown) => void;
};

export type Replay = { nodeId: string; settlements: number; notes: number; damaged: number };

/** A journal whose owner is elsewhere is taken when nobody has written to it for so long. */
const SILENT_MS = 30_000;
const STATEMENT_MS = 15_000;
/** A claim that nobody here can tell the process of is void after so long; a second replay beside the first changes nothing. */
const CLAIM_MS = 120_000;
const CLAIM = ".claim";

/**
 * Charges what dead processes left in their journals. Every settlement is booked under its own key, so a replay that is
 * repeated, also by two processes at once, changes nothing. Resolves to the number of journals replayed.
 */
export type JournalReplayer = () => Promise<number>;

export function createJournalReplayer(settings: ReplaySettings): JournalReplayer {
  const { folder, nodeId: ownId, timers = systemTimers } = settings;
  let watched = new Map<string, { stamp: string; sinceMs: number }>();

  /** How long the files have not changed, as far as this process has seen; 0 = one of them is gone. */
  function silenceOf(key: string, files: string[], next: typeof watched): number {
    const stamp = ifThere(() => files.map((file) => `${file}=${folder.stampOf(file)}`).join());
    if (stamp === null) return 0;
    const known = watched.get(key);
    const kept = known?.stamp === stamp ? known : { stamp, sinceMs: timers.now() };
    next.set(key, kept);
    return timers.now() - kept.sinceMs;
  }

  async function isDead(nodeId: string, owner: string, silenceMs: number): Promise<boolean> {
    const isAlive = settings.isAlive(owner);
    if (isAlive !== null) return !isAlive;
    return silenceMs >= SILENT_MS && !(await settings.isRegistered(nodeId));
  }

  /** False = its process runs, another one replays it, or its charges belong to another database. */
  async function replayOne(nodeId: string, files: string[], next: typeof watched): Promise<boolean> {
    const owner = readOwner(folder, nodeId, files);
    if (owner === null || !settings.isOurs(owner)) return false;
    if (!(await isDead(nodeId, owner, silenceOf(nodeId, files, next)))) return false;
    const name = nodeId + CLAIM;
    if (!claim(settings, name, () => silenceOf(name, [name], next))) return false;
    try {
      // Read again: only what a dead process has written is complete, and a sibling may have been faster.
      const left = listJournals(folder).get(nodeId) ?? [];
      const content = readIfThere(folder, nodeId, left);
      if (!content) return false;
      await replay(settings, content);
      const damaged = new Set(content.damaged.map((file) => file.name));
      for (const file of left) {
        if (damaged.has(file)) folder.rename(file, file + DAMAGED);
        else folder.remove(file);
      }
      return true;
    } finally {
      folder.remove(name);
    }
  }

  return async () => {
    let replayed = 0;
    const next: typeof watched = new Map();
    for (const [nodeId, files] of listJournals(folder)) {
      if (nodeId === ownId) continue;
      try {
        if (await replayOne(nodeId, files, next)) replayed += 1;
      } catch (error) {
        if (isDatabaseTrouble(error)) throw error;
        settings.onError?.(error);
      }
    }
    watched = next;
    return replayed;
  };
}

/** A claim of a process that died is void. */
function claim({ folder, owner, isAlive }: ReplaySettings, name: string, silenceMs: () => number): boolean {
  if (folder.claim(name, owner)) return true;
  const claimant = ifThere(() => folder.read(name).toString("utf8"));
  // Given back at this moment: the next look finds out.
  if (claimant === null) return false;
  const isClaimantAlive = isAlive(claimant);
  if (isClaimantAlive ?? silenceMs() < CLAIM_MS) return false;
  folder.remove(name);
  return folder.claim(name, owner);
}

async function replay(settings: ReplaySettings, content: JournalContent): Promise<void> {
  const { timers = systemTimers } = settings;
  const { nodeId, settlements, notes, damaged } = content;
  let booked: number;
  try {
    booked = await within(timers, STATEMENT_MS, settings.retire(nodeId, settlements, notes));
  } catch (error) {
    if (isTransient(sqlStateOf(error))) throw error;
    booked = await replayAlone(settings, content);
  }
  const places = damaged.reduce((sum, file) => sum + file.places, 0);
  const done: Replay = { nodeId, settlements: settlements.length, notes: booked, damaged: places };
  settings.onReplay?.(done);
  if (damaged.length > 0) await settings.onDamage?.(damaged, done);
}

/** The database refuses something of it: what is refused is kept apart, and the others are booked. */
async function replayAlone(settings: ReplaySettings, { nodeId, settlements, notes }: JournalContent): Promise<number> {
  const { timers = systemTimers, retire, findLogged } = settings;
  await within(timers, STATEMENT_MS, retire(nodeId, [], []));
  const logged = await within(timers, STATEMENT_MS, findLogged(notes));
  const open = notes.filter((row) => !logged.has(row.requestId));
  await Promise.all([...settlements, ...open].map(settings.settle));
  return open.length;
}
