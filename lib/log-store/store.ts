import { createLogStore, type LogStore } from "./clickhouse/client";
import { logStoreConfig } from "./config";
import { mayLackRows, noteAway } from "./read-available";
import { ReadableServers, type ReadPatience } from "./readable-servers";
import { isUnreadable, logStoreUnreadable } from "./trouble";

/** `query` throws the AppError logStoreAway when nothing can be read, unless the read may lack rows (read-available.ts). */
export type ReadableStore = LogStore & {
  /** Unix seconds since when no server can be read; null = one can, as far as is known. */
  awaySince: () => number | null;
  /** Addresses of the servers that cannot be read, as far as is known. */
  awayServers: () => string[];
};

const shared = globalThis as typeof globalThis & { weirLogStore?: { url: string; store: ReadableStore } };

/** The log store of this process; null = the log is in PostgreSQL alone. Pages and routes are bundled apart and share it. */
export function logStore(): ReadableStore | null {
  const url = process.env.LOG_STORE_URL;
  if (!url) return null;
  const known = shared.weirLogStore;
  if (known?.url === url) return known.store;
  const config = logStoreConfig(url);
  if (!config) return null;
  void known?.store.end();
  shared.weirLogStore = { url, store: toReadable(createLogStore(config)) };
  return shared.weirLogStore.store;
}

/** The same store, read as readable-servers.ts does. */
export function toReadable(store: LogStore, patience?: Partial<ReadPatience>): ReadableStore {
  const readable = new ReadableServers(store.servers, patience);
  const awaySince = () => (readable.awaySince === null ? null : Math.floor(readable.awaySince / 1_000));
  return {
    ...store,
    awaySince,
    awayServers: () => readable.awayServers,
    async query<Row>(...asked: Parameters<LogStore["query"]>): Promise<Row[]> {
      try {
        return await readable.query<Row>(...asked);
      } catch (error) {
        if (!isUnreadable(error)) throw error;
        if (!mayLackRows()) throw logStoreUnreadable(error);
        noteAway(awaySince() ?? Math.floor(Date.now() / 1_000));
        return [];
      }
    },
    async end() {
      readable.end();
      await store.end();
    },
  };
}
