import type { Sql } from "@/db/client";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { missingMigrations } from "@/lib/log-store/clickhouse/migrations";
import { logStoreConfig } from "@/lib/log-store/config";
import { BEHIND_SECONDS, readOutbox } from "@/lib/log-store/outbox-queries";
import { type Finding, messageOf, ok, problem, warning } from "./finding";

/** The servers of the log store, and what waits for them. Nothing where the log is in PostgreSQL. */
export async function checkLogStore(sql: Sql): Promise<Finding[]> {
  const config = logStoreConfig();
  if (!config) return [];
  const store = createLogStore(config);
  try {
    const servers = await Promise.all(store.servers.map((server) => checkServer(store, server)));
    const [made] = await sql<{ there: boolean }[]>`select to_regclass('log_outbox') is not null as there`;
    return made?.there ? [...servers, await checkOutbox(sql)] : servers;
  } finally {
    await store.end();
  }
}

async function checkServer(store: LogStore, server: LogStore["servers"][number]): Promise<Finding> {
  try {
    const missing = await missingMigrations(server, store);
    if (missing.length === 0) return ok("log store", `${server.address} answers`);
    return warning(
      "log store",
      `${server.address} lacks ${missing.length} migrations`,
      "The next start applies them, or weir migrate.",
    );
  } catch (error) {
    return problem(
      "log store",
      messageOf(error),
      "Look at LOG_STORE_URL, the server and its log. Charges go on meanwhile.",
    );
  }
}

async function checkOutbox(sql: Sql): Promise<Finding> {
  const { rows, bytes, oldestSeconds } = await readOutbox(sql);
  const text =
    rows === 0 ? "nothing waits" : `${rows} rows (${Math.ceil(bytes / 1e6)} MB) wait, ${oldestSeconds} s at most`;
  return oldestSeconds <= BEHIND_SECONDS
    ? ok("log outbox", text)
    : warning(
        "log outbox",
        text,
        "Rows are in PostgreSQL until the log store takes them: the worker's log says why not.",
      );
}
