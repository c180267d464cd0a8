import type { SnapshotChannel, SnapshotKey } from "@/lib/snapshot/build";

/** As much of a channel as taking turns needs. */
export type KeyHolder = Pick<SnapshotChannel, "id"> & { readonly keys: readonly SnapshotKey[] | null } & {
  readonly setting: Pick<SnapshotChannel["setting"], "keyMode">;
};

/**
 * Whose turn it is among the keys of a channel that has several, and which of them rest because they failed a moment
 * ago. One per process: what several processes ask for evens out by itself.
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
    /** The key for the next attempt; one that rests only when all do. Null = the channel has a single key. */
    next(channel: KeyHolder, random: () => number): SnapshotKey | null {
      const { keys } = channel;
      if (keys === null || keys.length === 0) return null;
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
    /** Keeps a key out of the turns for a while. */
    rest(keyId: number, forMs: number): void {
      if (forMs > 0) restUntil.set(keyId, now() + forMs);
    },
    hasAwake({ keys }: KeyHolder): boolean {
      return keys?.some(({ id }) => isAwake(id)) ?? false;
    },
  };
}

export type KeyRotation = ReturnType<typeof createKeyRotation>;
