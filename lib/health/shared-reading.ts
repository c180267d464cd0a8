type Entry<Value> = { value: Promise<Value>; readAt: number };

/**
 * Shares a reading between callers for `freshMs`, with one reading under way at a time per key, so that a crowd on a
 * public page costs as much as one visitor. A failed reading is not kept. At most `max` keys, the oldest goes first.
 */
export function shareReading<Value>(
  read: (key: string) => Promise<Value>,
  { freshMs, max, now = Date.now }: { freshMs: number; max: number; now?: () => number },
): (key: string) => Promise<Value> {
  const entries = new Map<string, Entry<Value>>();
  return (key) => {
    const known = entries.get(key);
    if (known && now() - known.readAt < freshMs) return known.value;
    const entry = { value: read(key), readAt: now() };
    entries.delete(key);
    entries.set(key, entry);
    const [oldest] = entries.keys();
    if (entries.size > max && oldest !== undefined) entries.delete(oldest);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  };
}
