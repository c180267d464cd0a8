import { createLogStore, LogStoreAway } from "./clickhouse/client";
import { migrateLogStore } from "./clickhouse/migrations";
import { logStoreConfig } from "./config";

/**
 * Brings the tables of the log store up to date, if there is one. A server that is away is told of and no reason to stop: charges
 * go on without it, and the worker does this again once it is back. Throws what a server refuses, e.g. a password.
 */
export async function prepareLogStore(tell: (text: string) => void): Promise<void> {
  const config = logStoreConfig();
  if (!config) return;
  const store = createLogStore(config);
  try {
    const { away } = await migrateLogStore(store);
    tell(away.length === 0 ? "log store up to date" : `log store up to date, but for ${away.join(", ")}: away`);
  } catch (error) {
    if (!(error instanceof LogStoreAway)) throw error;
    tell(`the log store is away (${error.message}); rows of the log wait in PostgreSQL`);
  } finally {
    await store.end();
  }
}
