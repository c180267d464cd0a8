import type { Database, Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { deriveAbilities, readChannel, type Snapshot, type SnapshotChannel } from "./build";
import { createKeyCache, type KeyOwner } from "./key-cache";
import { type Listener, listenToChanges } from "./listen";
import { findTokenByHash, listChannelRows } from "./queries";

export type { ChannelLimits, Snapshot, SnapshotChannel, SnapshotKey, Tier } from "./build";
export { type CachedToken, KeyLookupsBusy, type KeyOwner } from "./key-cache";

export type SnapshotStore = {
  /** The snapshot in force. Call it once per request, so that the request sees consistent settings. */
  current(): Snapshot;
  /** Token and user of a key hash; null = no such key. Returns synchronously when the key is cached. */
  findKey(keyHash: string): KeyOwner | null | Promise<KeyOwner | null>;
  /** Loads everything and starts listening. Throws when the database is unreachable. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Passes on what is announced of a table that is not part of the snapshot. One watcher per table. */
  watch(table: string, watcher: TableWatcher): void;
};

export type TableWatcher = {
  onChange: (id: number) => void;
  /** The connection is new or back: announcements may have been missed. */
  onConnect: () => void;
};

const pollMs = 30_000;
const retryMs = 250;
/** Notifications that arrive within this time cause one reload. */
const gatherMs = 15;

type SnapshotSettings = {
  url: string;
  sql: Sql;
  db: Database;
  /** For looking up keys: a pool of its own, because anybody can cause these queries. Default `sql`. */
  keySql?: Sql;
};

/** The in-memory copy of channels, options and keys that the relay reads, kept up to date by LISTEN/NOTIFY. */
export function createSnapshotStore(settings: SnapshotSettings): SnapshotStore {
  const keys = createKeyCache((hash) => findTokenByHash(settings.keySql ?? settings.sql, hash));
  let snapshot: Snapshot | null = null;
  let listener: Listener | null = null;
  let poll: NodeJS.Timeout | undefined;
  let scheduled: NodeJS.Timeout | undefined;
  let loading: Promise<void> | null = null;
  let stopped = false;
  const watchers = new Map<string, TableWatcher>();

  async function load(): Promise<void> {
    const [rows, options] = await Promise.all([listChannelRows(settings.sql), loadOptions(settings.db)]);
    const channels = readChannels(rows);
    const version = (snapshot?.version ?? 0) + 1;
    const limitsChannels = [...channels.values()].some(({ limits }) => limits !== null);
    snapshot = { version, options, channels, limitsChannels, abilities: deriveAbilities(channels.values()) };
  }

  function reloadSoon(waitMs = gatherMs): void {
    if (stopped || scheduled) return;
    scheduled = setTimeout(async () => {
      await loading;
      scheduled = undefined;
      loading = load().catch((error: unknown) => {
        logger.error({ err: error }, "settings could not be reloaded; trying again");
        reloadSoon(retryMs);
      });
      await loading;
    }, waitMs);
  }

  function onChange(subject: string): void {
    const [table = "", id] = subject.split(":");
    const watcher = watchers.get(table);
    if (watcher) watcher.onChange(Number(id));
    else if (table === "tokens") keys.forgetToken(Number(id));
    else if (table === "users") keys.forgetUser(Number(id));
    else reloadSoon();
  }

  function onConnected(): void {
    keys.forgetAll();
    reloadSoon(0);
    for (const { onConnect } of watchers.values()) onConnect();
  }

  return {
    current() {
      if (!snapshot) throw new Error("the snapshot store was not started");
      return snapshot;
    },
    findKey: (keyHash) => keys.find(keyHash),
    async start() {
      listener = await listenToChanges(settings.url, onChange, onConnected);
      await load();
      poll = setInterval(() => reloadSoon(), pollMs);
      poll.unref();
    },
    async stop() {
      stopped = true;
      clearInterval(poll);
      clearTimeout(scheduled);
      await loading;
      await listener?.stop();
    },
    watch(table, watcher) {
      watchers.set(table, watcher);
    },
  };
}

function readChannels(rows: Awaited<ReturnType<typeof listChannelRows>>): Map<number, SnapshotChannel> {
  const channels = new Map<number, SnapshotChannel>();
  for (const row of rows) {
    try {
      channels.set(row.id, readChannel(row));
    } catch {
      logger.error({ channel: row.id }, "the channel's key cannot be unsealed with this WEIR_SECRET; it is left out");
    }
  }
  return channels;
}
