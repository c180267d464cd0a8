import type { Database, Sql } from "@/db/client";
import { type Listener, type ListenPatience, listenOn } from "@/db/listen";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { deriveAbilities, readChannel, type Snapshot, type SnapshotChannel } from "./build";
import { createKeyCache, type KeyOwner } from "./key-cache";
import { findTokenByHash, hasImportedKeys, listChannelRows } from "./queries";

export type { ChannelLimits, Snapshot, SnapshotChannel, SnapshotKey, Tier } from "./build";
export { type CachedToken, KeyLookupsBusy, type KeyOwner } from "./key-cache";

export type SnapshotStore = {
  /** The snapshot in force. Call it once per request, so that the request sees consistent settings. */
  current(): Snapshot;
  /** How long ago it was read, in milliseconds. */
  ageMs(): number;
  /**
   * Token and user of a key hash; null = no such key. Returns synchronously when the key is cached. `imported`: the hash that the text
   * has if it is a key of another system; asked only where there are such keys and this is none of Weir's in memory.
   */
  findKey(keyHash: string | null, imported?: () => string | null): KeyOwner | null | Promise<KeyOwner | null>;
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
  sql: Sql;
  db: Database;
  /** For looking up keys: a pool of its own, because anybody can cause these queries. Default `sql`. */
  keySql?: Sql;
  listening?: Partial<ListenPatience>;
};

/** The in-memory copy of channels, options and keys that the relay reads, kept up to date by LISTEN/NOTIFY. */
export function createSnapshotStore(settings: SnapshotSettings): SnapshotStore {
  const keys = createKeyCache((hashes) => findTokenByHash(settings.keySql ?? settings.sql, hashes));
  let snapshot: Snapshot | null = null;
  let readAt = performance.now();
  let listener: Listener | null = null;
  let poll: NodeJS.Timeout | undefined;
  const reloads = createReloads(load);
  const watchers = new Map<string, TableWatcher>();

  async function load(): Promise<void> {
    const startedAt = performance.now();
    const read = await readSnapshot(settings);
    readAt = startedAt;
    snapshot = { ...read, version: (snapshot?.version ?? 0) + 1 };
  }

  function onChange(subject: string): void {
    const [table = "", id] = subject.split(":");
    const watcher = watchers.get(table);
    if (watcher) watcher.onChange(Number(id));
    else if (table === "tokens") keys.forgetToken(Number(id));
    else if (table === "users") keys.forgetUser(Number(id));
    else reloads.soon();
  }

  function onConnected(): void {
    keys.doubtAll();
    reloads.soon(0);
    for (const { onConnect } of watchers.values()) onConnect();
  }

  return {
    current() {
      if (!snapshot) throw new Error("the snapshot store was not started");
      return snapshot;
    },
    ageMs: () => performance.now() - readAt,
    findKey: (keyHash, imported) => keys.find(keyHash, snapshot?.hasImportedKeys ? imported : undefined),
    async start() {
      listener = await listenOn({
        sql: settings.sql,
        channel: "weir",
        applicationName: "weir-listen",
        onNotice: onChange,
        onConnect: onConnected,
        ...settings.listening,
      });
      await load();
      poll = setInterval(() => reloads.soon(), pollMs);
      poll.unref();
    },
    async stop() {
      clearInterval(poll);
      await reloads.stop();
      await listener?.stop();
    },
    watch(table, watcher) {
      watchers.set(table, watcher);
    },
  };
}

/** One load at a time, and one for all changes that come close together. A load that fails is tried again. */
function createReloads(load: () => Promise<void>) {
  let scheduled: NodeJS.Timeout | undefined;
  let loading: Promise<void> | null = null;
  let stopped = false;

  async function reload(): Promise<void> {
    await loading;
    scheduled = undefined;
    loading = load().catch((error: unknown) => {
      logger.error({ err: error }, "settings could not be reloaded; trying again");
      soon(retryMs);
    });
    await loading;
  }

  function soon(waitMs = gatherMs): void {
    if (!stopped && !scheduled) scheduled = setTimeout(reload, waitMs);
  }

  return {
    soon,
    async stop(): Promise<void> {
      stopped = true;
      clearTimeout(scheduled);
      await loading;
    },
  };
}

async function readSnapshot({ sql, db }: SnapshotSettings): Promise<Omit<Snapshot, "version">> {
  const [rows, options, imported] = await Promise.all([listChannelRows(sql), loadOptions(db), hasImportedKeys(sql)]);
  const channels = readChannels(rows);
  const limitsChannels = [...channels.values()].some(({ limits }) => limits !== null);
  return {
    options,
    channels,
    limitsChannels,
    hasImportedKeys: imported,
    abilities: deriveAbilities(channels.values()),
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
