import type { SnapshotChannel, SnapshotKey } from "@/lib/snapshot/build";

/** The part of a channel that key rotation needs. */
export type KeyHolder = Pick<SnapshotChannel, "id"> & { readonly keys: readonly SnapshotKey[] | null } & {
  readonly setting: Pick<SnapshotChannel["setting"], "keyMode">;
};

/**
 * Picks the next key of a channel that has several, and skips keys that failed recently. One instance per process: the
 * load over several processes evens out by itself.
 */
export function createKeyRotation(now: () => number = Date.now) {
  const turns = new Map<number, number>();
  const restUntil = new Map<number, number>();

  function isAwake(keyId: number): boolean {
    const end = restUntil.get(keyId);
    if (end === undefined) return true;
    if (end > now()) return false;
    restUntil.delete(keyId);
    return true;
  }

  return {
    /**
     * The key for the next attempt; a resting key only when all keys rest. Null = the channel has a single key.
     * `preference` chooses among the keys that do not rest; null = whose turn it is.
     */
    next(channel: KeyHolder, random: () => number, preference: KeyPreference | null = null): SnapshotKey | null {
      const { keys } = channel;
      if (keys === null || keys.length === 0) return null;
      const awake = preference && keys.filter(({ id }) => isAwake(id));
      const preferred = awake && preference.chooseKey(channel.id, awake);
      if (preferred) return preferred;
      const isDrawn = channel.setting.keyMode === "random";
      const first = (isDrawn ? Math.floor(random() * keys.length) : (turns.get(channel.id) ?? 0)) % keys.length;
      let at = first;
      for (let steps = 0; steps < keys.length; steps++) {
        const place = (first + steps) % keys.length;
        const key = keys[place];
        if (key && isAwake(key.id)) {
          at = place;
          break;
        }
      }
      turns.set(channel.id, (at + 1) % keys.length);
      return keys[at] ?? null;
    },
    /** Skips a key for a while; a rest that is longer already stays. */
    rest(keyId: number, forMs: number): void {
      if (forMs > 0) restUntil.set(keyId, Math.max(now() + forMs, restUntil.get(keyId) ?? 0));
    },
    hasAwake({ keys }: KeyHolder): boolean {
      return keys?.some(({ id }) => isAwake(id)) ?? false;
    },
  };
}

type KeyPreference = { chooseKey(channelId: number, keys: readonly SnapshotKey[]): SnapshotKey | null };

export type KeyRotation = ReturnType<typeof createKeyRotation>;
