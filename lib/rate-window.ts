import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";

type Window = { index: number; count: number; previous: number };

const keysMax = 50_000;

/**
 * An in-memory sliding window per key: the events of this window plus the share of the previous one that is still
 * within the last `seconds`. The number of keys is limited; an evicted key starts at zero.
 */
export function createRateWindow(now: () => number = Date.now) {
  const windows = new LRUCache<string, Window>({ max: keysMax });
  return {
    /** Counts one event. Returns 0 within the limit, else the seconds to wait; a refused event is not counted. */
    add(key: string, limit: number, seconds: number): number {
      const { window, wait } = this.look(key, limit, seconds);
      if (wait === 0) window.count += 1;
      return wait;
    },
    /** What `add` would return now. */
    waitFor(key: string, limit: number, seconds: number): number {
      return this.look(key, limit, seconds).wait;
    },
    look(key: string, limit: number, seconds: number): { window: Window; wait: number } {
      const at = now() / 1_000;
      const index = Math.floor(at / seconds);
      const elapsed = at - index * seconds;
      const window = windows.get(key) ?? { index, count: 0, previous: 0 };
      if (window.index !== index) {
        window.previous = window.index === index - 1 ? window.count : 0;
        window.count = 0;
        window.index = index;
      }
      windows.set(key, window);
      if (window.previous * (1 - elapsed / seconds) + window.count + 1 <= limit) return { window, wait: 0 };
      const wait = Math.ceil(window.count >= limit ? seconds - elapsed : seconds / limit);
      return { window, wait: Math.max(1, wait) };
    },
  };
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
