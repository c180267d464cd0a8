import { createLogStore, type LogStore } from "./clickhouse/client";
import { logStoreConfig } from "./config";

const shared = globalThis as typeof globalThis & { weirLogStore?: { url: string; store: LogStore } };

/** The log store of this process; null = the log is in PostgreSQL alone. Pages and routes are bundled apart and share it. */
export function logStore(): LogStore | null {
  const url = process.env.LOG_STORE_URL;
  if (!url) return null;
  const known = shared.weirLogStore;
  if (known?.url === url) return known.store;
  const config = logStoreConfig(url);
  if (!config) return null;
  void known?.store.end();
  shared.weirLogStore = { url, store: createLogStore(config) };
  return shared.weirLogStore.store;
}
