import { BY_USER_TABLE, createByUserTable } from "./by-user";
import {
  commandOn,
  createStoreDatabase,
  hasDatabase,
  type LogServer,
  type LogStore,
  LogStoreAway,
  queryOn,
} from "./client";
import { literal } from "./escape";
import { createHourTable } from "./hours";
import { createLogTable, type TableTerms } from "./tables";

type Migration = { version: number; name: string; statements: (terms: TableTerms) => string[] };

/**
 * In order, never changed once released. Each runs on every server by itself, so that one that was away catches up; a change
 * of a replicated table reaches its replicas, so each statement must do nothing where its work is done.
 */
const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: "usage_logs", statements: createLogTable },
  { version: 2, name: "usage_log_hours", statements: createHourTable },
  { version: 3, name: BY_USER_TABLE, statements: createByUserTable },
];

/** Each for the servers that know it. */
const SETTINGS = { old: { allow_experimental_low_cardinality_type: 1 }, new: { max_partitions_per_insert_block: 0 } };
/** A statement may read the whole log. */
const STATEMENT_MS = 3_600_000;
const RECORDS = "weir_migrations";

export type MigrationReport = {
  /** Migrations that were applied, over all servers. */
  applied: number;
  /** Addresses of servers that could not be reached. */
  away: string[];
};

/** Brings the tables of every server that can be reached up to date. Throws LogStoreAway when none can. */
export async function migrateLogStore(store: LogStore): Promise<MigrationReport> {
  const report: MigrationReport = { applied: 0, away: [] };
  for (const server of store.servers) {
    try {
      report.applied += await migrateServer(server, store);
    } catch (error) {
      if (!(error instanceof LogStoreAway)) throw error;
      report.away.push(server.address);
    }
  }
  if (report.away.length === store.servers.length) throw new LogStoreAway("no server of the log store can be reached");
  return report;
}

/** Versions that a server lacks; throws LogStoreAway when it cannot be reached. */
export async function missingMigrations(server: LogServer, { config }: LogStore): Promise<number[]> {
  if (!(await hasDatabase(server, config))) return MIGRATIONS.map(({ version }) => version);
  const tables = await queryOn<{ name: string }>(
    server,
    `select name from system.tables where database = ${literal(config.database)} and name = ${literal(RECORDS)}`,
  );
  const rows =
    tables.length > 0 ? await queryOn<{ version: string | number }>(server, `select version from ${RECORDS}`) : [];
  const done = new Set(rows.map(({ version }) => Number(version)));
  return MIGRATIONS.map(({ version }) => version).filter((version) => !done.has(version));
}

async function migrateServer(server: LogServer, store: LogStore): Promise<number> {
  const { config } = store;
  if (!(await hasDatabase(server, config))) await createStoreDatabase(server, config);
  await commandOn(
    server,
    `create table if not exists ${RECORDS} (version UInt32, name String, applied_at UInt32) engine = MergeTree() order by version`,
  );
  const missing = new Set(await missingMigrations(server, store));
  const hasCodecs = await knowsCodecs(server);
  for (const { version, name, statements } of MIGRATIONS.filter((one) => missing.has(one.version))) {
    for (const statement of statements({ ...config, hasCodecs })) {
      await commandOn(server, statement, {
        settings: hasCodecs ? SETTINGS.new : SETTINGS.old,
        timeoutMs: STATEMENT_MS,
      });
    }
    await commandOn(
      server,
      `insert into ${RECORDS} (version, name, applied_at) values (${version}, ${literal(name)}, ${Math.floor(Date.now() / 1_000)})`,
    );
  }
  return missing.size;
}

/** Old servers know neither codecs nor LowCardinality without a setting, which new ones do not know any more. */
async function knowsCodecs(server: LogServer): Promise<boolean> {
  const [row] = await queryOn<{ version: string }>(server, "select version() as version");
  return Number((row?.version ?? "0").split(".")[0]) >= 20;
}

const TRY_AGAIN_MS = 60_000;

/** Migrates servers that were away until each is up to date; looks at most once a minute. */
export function createMigrator(store: LogStore): () => Promise<void> {
  let isDone = false;
  let triedAt = 0;
  return async () => {
    if (isDone || Date.now() - triedAt < TRY_AGAIN_MS) return;
    triedAt = Date.now();
    isDone = (await migrateLogStore(store)).away.length === 0;
  };
}
