import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { addressKey } from "@/lib/rate-window";
import { addUnknownKeys, type UnknownKeyCount } from "./unknown-key-commands";

/** Addresses that one process tells apart in an hour; the others are counted together. */
const ADDRESSES_MAX = 200;
/** Counts that wait for the database. */
const WAITING_MAX = 2_000;
const OTHERS = "";
const HOUR_SECONDS = 3_600;

type Settings = {
  store: (counts: readonly UnknownKeyCount[]) => Promise<void>;
  flushMs?: number | undefined;
  nowSeconds?: (() => number) | undefined;
};

/**
 * Counts requests with unknown API keys by address and hour, and writes the counts once a minute. Nothing waits for that,
 * and memory and rows are bounded however many addresses there are.
 */
export class UnknownKeys {
  private readonly settings: Settings;
  private hour = 0;
  private readonly known = new Set<string>();
  private waiting = new Map<string, UnknownKeyCount>();
  private timer: NodeJS.Timeout | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  note(clientIp: string): void {
    const now = this.settings.nowSeconds?.() ?? Math.floor(Date.now() / 1_000);
    const hour = now - (now % HOUR_SECONDS);
    if (hour !== this.hour) {
      this.hour = hour;
      this.known.clear();
    }
    const address = this.told(readable(addressKey(clientIp)));
    this.add({ hour, address, count: 1 });
    this.timer ??= setTimeout(() => void this.flush(), this.settings.flushMs ?? 60_000).unref();
  }

  /** Writes what was counted; a failure is logged, and tried again with the next. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const counts = [...this.waiting.values()];
    this.waiting = new Map();
    try {
      await this.settings.store(counts);
    } catch (error) {
      for (const count of counts) this.add(count);
      logger.error({ err: error, waiting: this.waiting.size }, "requests with unknown keys could not be counted");
    }
  }

  private told(address: string): string {
    if (this.known.has(address)) return address;
    if (this.known.size >= ADDRESSES_MAX) return OTHERS;
    this.known.add(address);
    return address;
  }

  private add({ hour, address, count }: UnknownKeyCount): void {
    const key = `${hour} ${address}`;
    const before = this.waiting.get(key);
    if (before) before.count += count;
    else if (this.waiting.size < WAITING_MAX) this.waiting.set(key, { hour, address, count });
  }
}

/** Those of one process. */
export function createUnknownKeys(sql: Sql): UnknownKeys {
  return new UnknownKeys({ store: (counts) => addUnknownKeys(sql, counts) });
}

/** A network of IPv6 as it is usually written. */
function readable(key: string): string {
  if (!/^[0-9a-f]{16}$/.test(key)) return key;
  const groups = key.match(/.{4}/g) ?? [];
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
