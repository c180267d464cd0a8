import { logStoreConfig } from "@/lib/log-store/config";

/**
 * Brings the tables of the log store up to date, if there is one. One that is away prevents no start: charges go on without
 * it, and the worker makes up for it. Returns whether every server is up to date.
 */
export async function migrateStoreIfAny(tell: (text: string) => void): Promise<boolean> {
  const config = logStoreConfig();
  if (!config) return true;
  const { createLogStore, LogStoreAway } = await import("@/lib/log-store/clickhouse/client");
  const { migrateLogStore } = await import("@/lib/log-store/clickhouse/migrations");
  const store = createLogStore(config);
  try {
    const { away } = await migrateLogStore(store);
    if (away.length > 0)
      tell(`the log store's ${away.join(", ")} cannot be reached, and will be brought up to date later`);
    return away.length === 0;
  } catch (error) {
    if (!(error instanceof LogStoreAway)) throw error;
    tell("the log store cannot be reached, and will be brought up to date later");
    return false;
  } finally {
    await store.end();
  }
}
