import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

/** Moments from which events count, oldest first, and how many each. */
type Window = { ends: number[]; counts: number[] };

const keysMax = 50_000;
/** Events within this part of the time count from the last of them, so that memory is bounded. */
const PARTS = 16;

/**
 * An in-memory sliding window per key: an event counts for `seconds`, and the next is allowed when the first of too many is over.
 * The number of keys is limited; an evicted key starts at zero.
 */
export function createRateWindow(now: () => number = Date.now) {
  const windows = new LRUCache<string, Window>({ max: keysMax });
  type Asked = { at: number; limit: number; seconds: number };
  function look(key: string, { at, limit, seconds }: Asked): { window: Window; wait: number } {
    const { ends, counts } = windows.get(key) ?? { ends: [], counts: [] };
    const old = ends.findIndex((end) => end + seconds > at);
    const window = { ends: old < 0 ? [] : ends.slice(old), counts: old < 0 ? [] : counts.slice(old) };
    windows.set(key, window);
    const used = window.counts.reduce((sum, count) => sum + count, 0);
    const over = used + 1 - limit;
    return { window, wait: over <= 0 ? 0 : Math.max(1, Math.ceil(whenFree(window, over) + seconds - at)) };
  }
  return {
    /** Counts one event. Returns 0 within the limit, else the seconds to wait; a refused event is not counted. */
    add(key: string, limit: number, seconds: number): number {
      const at = now() / 1_000;
      const { window, wait } = look(key, { at, limit, seconds });
      if (wait > 0) return wait;
      const last = window.ends.length - 1;
      const part = (moment: number): number => Math.floor((moment * PARTS) / seconds);
      if (last >= 0 && part(window.ends[last] ?? 0) === part(at)) {
        window.ends[last] = at;
        window.counts[last] = (window.counts[last] ?? 0) + 1;
      } else {
        window.ends.push(at);
        window.counts.push(1);
      }
      return 0;
    },
    /** Takes back the last event that counted. */
    giveBack(key: string): void {
      const window = windows.get(key);
      const last = (window?.counts.length ?? 0) - 1;
      if (!window || last < 0) return;
      const left = (window.counts[last] ?? 0) - 1;
      if (left > 0) window.counts[last] = left;
      else {
        window.counts.pop();
        window.ends.pop();
      }
    },
  };
}

/** The moment of the event with which so many are over. */
function whenFree({ ends, counts }: Window, needed: number): number {
  let over = 0;
  const found = counts.findIndex((count) => {
    over += count;
    return over >= needed;
  });
  return ends[found] ?? ends.at(-1) ?? 0;
}

export type RateWindow = ReturnType<typeof createRateWindow>;

/** The key of a limit per address: an IPv4 address, or the /64 of an IPv6 address, which one customer has. */
export function addressKey(clientIp: string): string {
  if (!ipaddr.isValid(clientIp)) return clientIp === "" ? "unknown" : clientIp.slice(0, 64);
  const address = ipaddr.process(clientIp);
  if (address.kind() === "ipv4") return address.toString();
  return address
    .toByteArray()
    .slice(0, 8)
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
