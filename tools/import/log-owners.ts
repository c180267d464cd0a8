import { LRUCache } from "lru-cache";
import { findImportedTokens, findImportedUsers } from "./log-commands";
import type { StepContext } from "./step";
import type { Kind } from "./types";

/** Few users and keys have most of a log. */
const KEPT_MAX = 50_000;

/** Of a row of the log, by what it refers to there. */
type Owned = { oldUser: number; oldToken: number; oldChannel: number };
type User = { id: number; username: string };
type Token = { id: number; userId: number };
export type Owners = {
  users: ReadonlyMap<number, User>;
  tokens: ReadonlyMap<number, Token>;
  channels: ReadonlyMap<number, number>;
};

/** What the log has referred to so far. Nothing of it changes while the log is read: it was imported before. */
export type KnownOwners = ReturnType<typeof createKnownOwners>;

export function createKnownOwners() {
  return {
    users: new LRUCache<number, User>({ max: KEPT_MAX }),
    tokens: new LRUCache<number, Token>({ max: KEPT_MAX }),
    channels: new LRUCache<number, number>({ max: KEPT_MAX }),
  };
}

export async function findOwners(rows: readonly Owned[], at: StepContext): Promise<Owners> {
  const { known } = at;
  const ids = (kind: Kind) => (wanted: number[]) => at.lookups.newIds(kind, wanted);
  return {
    users: await completed(
      known.users,
      rows.map(({ oldUser }) => oldUser),
      (wanted) => usersOf(wanted, at),
    ),
    tokens: await completed(
      known.tokens,
      rows.map(({ oldToken }) => oldToken),
      (wanted) => tokensOf(wanted, at),
    ),
    channels: await completed(
      known.channels,
      rows.map(({ oldChannel }) => oldChannel),
      ids("channels"),
    ),
  };
}

/** A dry run writes no names. */
async function usersOf(
  wanted: number[],
  { ctx, lookups, settings, sourceId }: StepContext,
): Promise<Map<number, User>> {
  if (!settings.dryRun) {
    const found = await findImportedUsers(ctx.db, sourceId, wanted);
    return new Map(found.map(({ old, id, username }) => [old, { id, username }]));
  }
  const found = await lookups.newIds("users", wanted);
  return new Map([...found].map(([old, id]) => [old, { id, username: "" }]));
}

async function tokensOf(wanted: number[], { ctx, sourceId }: StepContext): Promise<Map<number, Token>> {
  const found = await findImportedTokens(ctx.db, sourceId, wanted);
  return new Map(found.map(({ old, id, userId }) => [old, { id, userId }]));
}

/** Of the ids, which are 0 for none, those that are known; `find` is asked for the ones that are not in memory. */
async function completed<Value extends object | number>(
  memory: LRUCache<number, Value>,
  ids: readonly number[],
  find: (ids: number[]) => Promise<ReadonlyMap<number, Value>>,
): Promise<Map<number, Value>> {
  const found = new Map<number, Value>();
  const missing: number[] = [];
  for (const id of new Set(ids)) {
    const value = memory.get(id);
    if (value !== undefined) found.set(id, value);
    else if (id > 0) missing.push(id);
  }
  if (missing.length === 0) return found;
  for (const [id, value] of await find(missing)) {
    found.set(id, value);
    memory.set(id, value);
  }
  return found;
}
