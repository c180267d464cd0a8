import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";

const KEYS_MAX = 1_000;

/** Remembers what was read of each key, so that a request does not read it again. An error is not remembered. */
export function memoOfKeys<Read extends object>(read: (key: string) => Read): (key: string) => Read {
  const known = new LRUCache<string, Read>({ max: KEYS_MAX });
  return (key) => {
    const present = known.get(key);
    if (present) return present;
    const made = read(key);
    known.set(key, made);
    return made;
  };
}

/** The name of the token of a key at an endpoint. */
export function tokenId(key: string, endpoint: string): string {
  return createHash("sha256").update(endpoint).update("\0").update(key).digest("base64");
}

/** The parts of a key like `id|secret`; null = there are not so many, or one is empty. */
export function partsOfKey(key: string, count: number): string[] | null {
  const parts = key.split("|").map((part) => part.trim());
  return parts.length === count && !parts.includes("") ? parts : null;
}
