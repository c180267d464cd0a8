import { LRUCache } from "lru-cache";

/** `lifeMs`: how long it is valid, counted from when it was asked for. */
export type FetchedToken = { value: string; lifeMs: number };
export type FetchToken = () => Promise<FetchedToken>;

type Settings = {
  /** Milliseconds that never go back. */
  now?: () => number;
  /** Told when a token could not be renewed, while the old one is still in use. */
  onRenewalFailed?: (error: unknown) => void;
};

type Entry = {
  /** Null = there is none, or it was refused. */
  token: string | null;
  fetchedAt: number;
  renewAt: number;
  expiresAt: number;
  pending: Promise<string> | null;
  /** The last failure, and until when nothing is asked for again because of it. */
  error: unknown;
  restsUntil: number;
};

const ENTRIES_MAX = 2_000;
/** A token is renewed so long before its end; one of a short life at half of it. */
const RENEW_BEFORE_MS = 300_000;
/** After a failure the endpoint is left alone so long. */
const FAILED_REST_MS = 3_000;
/** A younger token that an upstream refuses is not replaced: a new one would fare no better. */
const YOUNG_MS = 10_000;

/**
 * Access tokens by id, which names the key and the endpoint, so that a changed key has another token. Each is fetched
 * by one caller at a time; the others wait for it. It is renewed beside the requests that use it, and replaced only by
 * one that was got.
 */
export class TokenCache {
  private readonly entries = new LRUCache<string, Entry>({ max: ENTRIES_MAX });
  private readonly now: () => number;
  private readonly onRenewalFailed: (error: unknown) => void;

  constructor({ now = () => performance.now(), onRenewalFailed = () => {} }: Settings = {}) {
    this.now = now;
    this.onRenewalFailed = onRenewalFailed;
  }

  /** At once where a valid token is at hand. Throws or rejects with the error of `fetch`. */
  get(id: string, fetch: FetchToken): string | Promise<string> {
    const entry = this.entries.get(id) ?? this.open(id);
    const now = this.now();
    if (entry.token !== null && now < entry.expiresAt) {
      if (now >= entry.renewAt && !entry.pending && now >= entry.restsUntil) {
        this.fetchInto(entry, fetch).catch(this.onRenewalFailed);
      }
      return entry.token;
    }
    if (entry.pending) return entry.pending;
    if (now < entry.restsUntil) throw entry.error;
    return this.fetchInto(entry, fetch);
  }

  /** To be called when an upstream refused the token. True = another one can be had. */
  refused(id: string, token: string): boolean {
    const entry = this.entries.get(id);
    if (entry?.token !== token) return true;
    if (this.now() - entry.fetchedAt < YOUNG_MS) return false;
    entry.token = null;
    return true;
  }

  private open(id: string): Entry {
    const entry: Entry = {
      token: null,
      fetchedAt: 0,
      renewAt: 0,
      expiresAt: 0,
      pending: null,
      error: null,
      restsUntil: Number.NEGATIVE_INFINITY,
    };
    this.entries.set(id, entry);
    return entry;
  }

  private fetchInto(entry: Entry, fetch: FetchToken): Promise<string> {
    const askedAt = this.now();
    const pending = fetch().then(
      ({ value, lifeMs }) => {
        entry.pending = null;
        entry.token = value;
        entry.fetchedAt = this.now();
        entry.expiresAt = askedAt + lifeMs;
        entry.renewAt = entry.expiresAt - Math.min(RENEW_BEFORE_MS, lifeMs / 2);
        return value;
      },
      (error: unknown) => {
        entry.pending = null;
        entry.error = error;
        entry.restsUntil = this.now() + FAILED_REST_MS;
        throw error;
      },
    );
    entry.pending = pending;
    return pending;
  }
}
