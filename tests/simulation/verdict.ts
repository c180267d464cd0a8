import type { LogRow } from "./model-database";
import { LONGEST_WRITE_MS } from "./model-folder";

type Cost = { cost: number; at: number };

/** What happened to one request. */
export type RequestStory = {
  id: string;
  userId: number;
  tokenId: number | null;
  /** What the journal was told while it ran. */
  notes: Cost[];
  hasAnswer: boolean;
  /** Its real cost, when it ended. */
  settled?: Cost;
  /** `settle` resolved. */
  isBooked: boolean;
  /** It failed, and costs nothing. */
  forgottenAt?: number;
  /** Its process died, by whatever. */
  crashedAt?: number;
  /** A full disk or a lost power: the journal may lack its last lines. */
  isExcused?: boolean;
  isOnDeadProcess?: () => boolean;
};

/** A journal has a line at the latest after its delay, the write that runs then, and its own write. */
const JOURNAL_MS = 20 + 3 + 2 * LONGEST_WRITE_MS;

/** Every request must be charged exactly once, with what is known of it. */
export function violationsOf(
  stories: readonly RequestStory[],
  logs: readonly LogRow[],
  lost: ReadonlySet<string>,
): string[] {
  const rows = new Map<string, LogRow[]>();
  for (const row of logs) rows.set(row.requestId, [...(rows.get(row.requestId) ?? []), row]);
  return stories.flatMap((story) => {
    const [row, ...more] = rows.get(story.id) ?? [];
    if (more.length > 0) return [`${story.id} is charged ${more.length + 1} times`];
    const allowed = allowedCosts(story);
    // What a fail-over has lost is free, or a journal charges what it last knew.
    if (lost.has(story.id)) for (const cost of [null, ...story.notes.map((note) => note.cost)]) allowed.add(cost);
    return allowed.has(row?.quota ?? null)
      ? []
      : [`${story.id} is charged ${row?.quota}, not ${[...allowed].join(" or ")}`];
  });
}

/** Null = no charge. */
function allowedCosts(story: RequestStory): Set<number | null> {
  const { settled, notes, crashedAt, isBooked, isExcused, forgottenAt } = story;
  if (settled && (crashedAt === undefined || isBooked)) return new Set([settled.cost]);
  if (crashedAt === undefined) return new Set([null]);
  const known = notes.filter(({ at }) => at <= crashedAt);
  const allowed = new Set<number | null>();
  const end = settled ?? (forgottenAt === undefined ? null : { cost: null, at: forgottenAt });
  if (end) {
    allowed.add(end.cost);
    if (crashedAt - end.at > JOURNAL_MS && !isExcused) return allowed;
  }
  // The last note may have come too late for the journal, but not the one before it.
  const inTime = known.filter(({ at }) => crashedAt - at > JOURNAL_MS);
  for (const { cost } of [...known.slice(inTime.length), ...inTime.slice(-1)]) allowed.add(cost);
  if (inTime.length === 0 || isExcused) allowed.add(null);
  if (isExcused) for (const { cost } of known) allowed.add(cost);
  return allowed;
}
