import { LRUCache } from "lru-cache";
import type { FoundToken, TokenRow, UserRow } from "./queries";

/** A token with its text lists (models, operations, addresses) parsed for lookups. */
export type CachedToken = TokenRow & {
  readonly models: ReadonlySet<string>;
  /** What it may be used for; empty = everything. */
  readonly operations: ReadonlySet<string>;
  readonly addresses: readonly string[];
  readonly blockedAddresses: readonly string[];
};
export type KeyOwner = { readonly token: CachedToken; readonly user: UserRow };
/** Asked for the hashes that one given text can have, the first of them that there is. */
export type LoadOwner = (keyHashes: readonly string[]) => Promise<FoundToken | null>;

const keysMax = 50_000;
const unknownMax = 20_000;
/** A key that is created meanwhile is announced, and so forgotten here. */
const unknownMs = 30_000;
/** Look-ups at once. More are refused, so that guessed keys cannot queue up in front of everybody. */
const loadingMax = 200;

/** Too many keys are being looked up to look up another one. */
export class KeyLookupsBusy extends Error {}
const refreshMs = 60_000;

/** A token as it was read, with its lists parsed. */
export function parseOwner({ token, user }: FoundToken): KeyOwner {
  const split = (text: string): string[] => text.split(/[\s,]+/).filter((item) => item !== "");
  const addresses = split(token.allowIps);
  const blockedAddresses = split(token.denyIps);
  const models = new Set(split(token.modelLimits));
  const operations = new Set(split(token.operationLimits));
  return { token: { ...token, models, operations, addresses, blockedAddresses }, user };
}

/** Two texts may begin with the same key of Weir's own, but the hash of a whole text is of one. */
const textOf = (hashes: readonly string[]): string => hashes.at(-1) ?? "";

/** An LRU cache of keys by hash, with indexes by token id and user id so that an entry can be dropped by either. */
function createKnownKeys() {
  const hashesByUser = new Map<number, Set<string>>();
  const hashByToken = new Map<number, string>();
  const entries = new LRUCache<string, { owner: KeyOwner; readAt: number }>({
    max: keysMax,
    dispose: ({ owner }, hash) => {
      hashByToken.delete(owner.token.id);
      const hashes = hashesByUser.get(owner.user.id);
      hashes?.delete(hash);
      if (hashes?.size === 0) hashesByUser.delete(owner.user.id);
    },
  });
  return {
    get: (hash: string) => entries.get(hash),
    remember(hash: string, owner: KeyOwner): void {
      entries.set(hash, { owner, readAt: performance.now() });
      hashByToken.set(owner.token.id, hash);
      const hashes = hashesByUser.get(owner.user.id);
      if (hashes) hashes.add(hash);
      else hashesByUser.set(owner.user.id, new Set([hash]));
    },
    forget: (hash: string) => entries.delete(hash),
    forgetToken(id: number): void {
      const hash = hashByToken.get(id);
      if (hash !== undefined) entries.delete(hash);
    },
    forgetUser(id: number): void {
      for (const hash of [...(hashesByUser.get(id) ?? [])]) entries.delete(hash);
    },
  };
}

/**
 * Cache of key hash → token and owner. An entry stays until a notification about its token or owner drops it. As a
 * safety net, each entry is also reread every minute; this runs in the background, so known keys keep working while the
 * database is down.
 */
export function createKeyCache(load: LoadOwner) {
  const known = createKnownKeys();
  const unknown = new LRUCache<string, true>({ max: unknownMax, ttl: unknownMs });
  const loading = new Map<string, Promise<KeyOwner | null>>();
  let generation = 0;
  /** What was read before this is read again before it is used, where the database can be asked. */
  let staleBefore = 0;

  async function read(hashes: readonly string[]): Promise<KeyOwner | null> {
    const startedIn = generation;
    const row = await load(hashes);
    const owner = row && parseOwner(row);
    // A notification arrived during the read, so the row may be outdated: use it for this request, but do not cache it.
    if (startedIn !== generation) return owner;
    if (row && owner) known.remember(row.keyHash, owner);
    else {
      for (const hash of hashes) known.forget(hash);
      unknown.set(textOf(hashes), true);
    }
    return owner;
  }

  function readOnce(...hashes: string[]): Promise<KeyOwner | null> {
    const text = textOf(hashes);
    const present = loading.get(text);
    if (present) return present;
    if (loading.size >= loadingMax) return Promise.reject(new KeyLookupsBusy());
    const reading = read(hashes).finally(() => loading.delete(text));
    loading.set(text, reading);
    return reading;
  }

  function fromMemory(hash: string, entry: { owner: KeyOwner; readAt: number }): KeyOwner | Promise<KeyOwner | null> {
    if (entry.readAt < staleBefore) return readOnce(hash).catch(() => entry.owner);
    if (performance.now() - entry.readAt > refreshMs) {
      entry.readAt = performance.now();
      readOnce(hash).catch(() => {});
    }
    return entry.owner;
  }

  return {
    /**
     * Returns synchronously when the key is cached, otherwise a promise. `hash`: null = no key of Weir's own can look like this.
     * `imported` is only asked when the key is not in memory as one of Weir's own.
     */
    find(hash: string | null, imported?: () => string | null): KeyOwner | null | Promise<KeyOwner | null> {
      const entry = hash === null ? undefined : known.get(hash);
      if (hash !== null && entry) return fromMemory(hash, entry);
      const other = imported?.() ?? null;
      if (other === null) return hash === null || unknown.has(hash) ? null : readOnce(hash);
      const found = known.get(other);
      if (found) return fromMemory(other, found);
      return unknown.has(other) ? null : readOnce(...(hash === null ? [] : [hash]), other);
    },
    forgetToken(id: number): void {
      generation += 1;
      loading.clear();
      unknown.clear();
      known.forgetToken(id);
    },
    forgetUser(id: number): void {
      generation += 1;
      loading.clear();
      known.forgetUser(id);
    },
    /** Changes may have been missed. Known keys go on if the database is away again at once. */
    doubtAll(): void {
      generation += 1;
      loading.clear();
      staleBefore = performance.now();
      unknown.clear();
    },
  };
}
