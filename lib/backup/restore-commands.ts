import { pipeline } from "node:stream/promises";
import type { Sql, TransactionSql } from "postgres";
import { connect } from "@/db/connect";
import {
  applyCurrentFunctions,
  applyMigrationsWithin,
  listMigrations,
  listOwnTables,
  lockMigrations,
} from "@/db/migrate-within";
import type { Migration } from "@/db/migration-files";
import { findBookedLongAgo } from "@/lib/billing/booked-long-ago";
import { keepRefused } from "@/lib/billing/refused-commands";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { parseSettlementRow, type SettlementRow } from "@/lib/billing/settlement-row";
import { sqlStateOf } from "@/lib/billing/sqlstate";
import { removeNodes } from "@/lib/billing/sweep";
import { LINES_PER_OUTBOX } from "@/lib/log-store/clickhouse/rows";
import { isLogStoreAway } from "@/lib/log-store/trouble";
import { BackupError, DamagedBackup } from "./backup-error";
import { type Manifest, PART, type Part, type Sequence, type TableHead } from "./manifest";
import { NO_LIMIT } from "./snapshot-queries";

const LOCK_WAIT_MS = 10_000;

export type RestoreOptions = {
  url: string;
  /** The parts of the archive from its beginning, whose checksums were verified once already. */
  parts: AsyncIterable<Part>;
  /** Deletes what is in the database, in the same transaction. */
  replaces: boolean;
  /** Called when everything is in the database, before the commit. */
  beforeCommit: () => Promise<void>;
};

export type RestoreReport = { tables: number; rows: number; migrated: number; booked: number; refused: number };

/**
 * Fills a database in one transaction: all of the backup is there afterwards, or nothing was changed. Throws BackupError
 * when the database is not empty, is in use by Weir, or the backup does not fit this version.
 */
export async function restoreDatabase(options: RestoreOptions): Promise<RestoreReport> {
  const settings = {
    application_name: "weir-restore",
    statement_timeout: NO_LIMIT,
    lock_timeout: LOCK_WAIT_MS,
    DateStyle: "ISO, MDY",
  };
  const connections = { max: 1, idle_timeout: 0, max_lifetime: null, connect_timeout: 10, onnotice: () => {} };
  const sql = connect(options.url, { ...connections, connection: settings });
  try {
    return (await sql.begin((tx) => restoreWithin(tx, options))) as RestoreReport;
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function restoreWithin(tx: TransactionSql, options: RestoreOptions): Promise<RestoreReport> {
  await lockMigrations(tx);
  await refuseUsers(tx);
  await makeEmpty(tx, options.replaces);
  const report: RestoreReport = { tables: 0, rows: 0, migrated: 0, booked: 0, refused: 0 };
  const parts = options.parts[Symbol.asyncIterator]();
  const manifest = await readManifest(parts);
  const { known, newer } = await splitMigrations(manifest);
  await applyMigrationsWithin(tx, known);
  await emptyTables(tx);
  await makePartitions(tx, manifest.partitions);
  const pending = await loadParts(tx, parts, report);
  await switchTriggers(tx, "enable");
  await applyMigrationsWithin(tx, newer);
  await applyCurrentFunctions(tx);
  report.migrated = newer.length;
  await endOldProcesses(tx);
  const madeAt = Math.ceil(Date.parse(manifest.madeAt) / 1_000);
  if (!manifest.hasLogs) await noteLogsCleared(tx, madeAt);
  await bookPending(tx, await leaveOutBooked(tx, pending, madeAt), report);
  await options.beforeCommit();
  return report;
}

async function readManifest(parts: AsyncIterator<Part>): Promise<Manifest> {
  const { value } = (await parts.next()) as { value?: Part };
  if (value?.kind !== PART.manifest) throw new DamagedBackup("it has no manifest");
  return value.value;
}

/** Those that the backup has, and those that came later. Throws when the backup has others. */
export async function splitMigrations(manifest: Manifest): Promise<{ known: Migration[]; newer: Migration[] }> {
  const all = await listMigrations();
  const count = manifest.migrations.length;
  const isOurs = manifest.migrations.every(({ hash }, index) => all[index]?.hash === hash);
  if (!isOurs) {
    const isNewer = all.every(({ hash }, index) => manifest.migrations[index]?.hash === hash);
    throw new BackupError(
      isNewer
        ? "The backup was made by a newer Weir. Update Weir, then restore. Nothing was changed."
        : "The backup was made by a Weir with other migrations than this one has. Nothing was changed.",
    );
  }
  return { known: all.slice(0, count), newer: all.slice(count) };
}

async function refuseUsers(tx: TransactionSql): Promise<void> {
  // Of other roles the name cannot be seen, so these could be Weir.
  const rows = await tx<{ name: string; count: number }[]>`
    select coalesce(nullif(application_name, ''), 'unknown') as name, count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and (application_name is null or application_name like 'weir-%')
    group by 1 order by 1`;
  if (rows.length === 0) return;
  const names = rows.map(({ name, count }) => `${count} × ${name}`).join(", ");
  const isPooled = rows.every(({ name }) => name === "weir-pooled");
  const pooled = isPooled ? " PgBouncer keeps connections for a while after Weir has stopped: restart it, too." : "";
  throw new BackupError(
    `Weir uses this database (${names}). Stop it on every machine first.${pooled} Nothing was changed.`,
  );
}

async function makeEmpty(tx: TransactionSql, replaces: boolean): Promise<void> {
  const { own, foreign } = await listPresent(tx);
  if (foreign.length > 0) {
    throw new BackupError(
      `The database has tables that are not Weir's (${foreign.slice(0, 5).join(", ")}). Use a database of its own. Nothing was changed.`,
    );
  }
  const [schema] = await tx<{ there: boolean }[]>`select to_regnamespace('drizzle') is not null as there`;
  if (own.length === 0 && !schema?.there) return;
  if (!replaces) {
    throw new BackupError("The database is not empty. Use --replace to delete what is in it. Nothing was changed.");
  }
  if (own.length > 0) await tx.unsafe(`drop table ${own.map(quoted).join(", ")} cascade`);
  await tx`drop schema if exists drizzle cascade`;
  const functions = await tx<{ signature: string }[]>`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.proname like 'weir\\_%'`;
  for (const { signature } of functions) await tx.unsafe(`drop routine if exists ${signature} cascade`);
}

async function listPresent(tx: TransactionSql): Promise<{ own: string[]; foreign: string[] }> {
  const known = await listOwnTables();
  const rows = await tx<{ name: string; root: string }[]>`
    select c.relname as name, coalesce(p.relname, c.relname) as root
    from pg_class c left join pg_inherits i on i.inhrelid = c.oid left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1`;
  return {
    own: rows.filter(({ root }) => known.has(root)).map(({ name }) => name),
    foreign: rows.filter(({ root }) => !known.has(root)).map(({ name }) => name),
  };
}

/** Migrations fill some tables. Triggers would announce and change what is only copied. */
async function emptyTables(tx: TransactionSql): Promise<void> {
  const { own } = await listPresent(tx);
  await switchTriggers(tx, "disable");
  await tx.unsafe(`truncate ${own.map(quoted).join(", ")}`);
}

async function switchTriggers(tx: TransactionSql, how: "enable" | "disable"): Promise<void> {
  const tables = await tx<{ name: string }[]>`
    select distinct c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace`;
  for (const { name } of tables) await tx.unsafe(`alter table ${quoted(name)} ${how} trigger user`);
}

async function makePartitions(tx: TransactionSql, partitions: Manifest["partitions"]): Promise<void> {
  const { own } = await listPresent(tx);
  const present = new Set(own);
  for (const { parent, name, from, to } of partitions) {
    if (present.has(name)) continue;
    const options = "autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000";
    await tx.unsafe(
      `create table ${quoted(name)} partition of ${quoted(parent)} for values from (${from}) to (${to}) with (${options})`,
    );
  }
}

async function loadParts(
  tx: TransactionSql,
  parts: AsyncIterator<Part>,
  report: RestoreReport,
): Promise<SettlementRow[]> {
  let pending: SettlementRow[] = [];
  for (;;) {
    const { value: part, done } = await parts.next();
    if (done) return pending;
    if (part.kind === PART.pending) pending = part.value.flatMap((json) => parseSettlementRow(json) ?? []);
    else if (part.kind === PART.table) {
      report.rows += await loadTable(tx, part.value, parts);
      report.tables += 1;
    } else if (part.kind === PART.sequences) for (const sequence of part.value) await setSequence(tx, sequence);
  }
}

/** Resolves to the number of rows. */
async function loadTable(tx: TransactionSql, head: TableHead, parts: AsyncIterator<Part>): Promise<number> {
  let rows = 0;
  async function* bytes(): AsyncGenerator<Buffer> {
    for (;;) {
      const { value: part, done } = await parts.next();
      if (done) throw new DamagedBackup("its end is missing");
      if (part.kind === PART.rows) yield part.bytes;
      else if (part.kind === PART.tableEnd) {
        rows = part.value.rows;
        return;
      } else throw new DamagedBackup(`the table ${head.name} has no end`);
    }
  }
  await copyIn(tx, `copy ${quoted(head.name)} (${head.columns.map(quoted).join(", ")}) from stdin`, bytes());
  return rows;
}

async function copyIn(tx: TransactionSql, statement: string, source: AsyncIterable<Buffer>): Promise<void> {
  const query = tx.unsafe(statement);
  const stream = await query.writable();
  // postgres.js hands the stream out as the query's result, so it drops an error that follows the last row.
  const refused = new Promise<never>((_, reject) => Object.assign(query, { reject }));
  await Promise.race([pipeline(source, stream), refused]);
}

async function setSequence(tx: TransactionSql, { table, column, last, isCalled }: Sequence): Promise<void> {
  await tx`select setval(pg_get_serial_sequence(${quoted(table)}, ${column}), ${last}::text::bigint, ${isCalled})`;
}

/**
 * The processes whose leases are in the backup are gone. Nobody stays signed in, and no link of an e-mail works: what was
 * ended after the backup would be valid again.
 */
async function endOldProcesses(tx: TransactionSql): Promise<void> {
  const nodes = await tx<{ id: string }[]>`select id from nodes for update`;
  await removeNodes(
    tx,
    nodes.map(({ id }) => id),
  );
  await tx`delete from sessions`;
  await tx`delete from one_time_secrets`;
}

/** Without the log its hours cannot be compared. */
async function noteLogsCleared(tx: TransactionSql, until: number): Promise<void> {
  await tx`select weir_note_cleared(${until}::bigint, 'restore')`;
}

/** A charge that cannot be booked is kept for root, as it would be without a restore. */
/**
 * Leaves out charges that were booked before the backup, so long ago that only the log store knows: whoever made the backup
 * may not have had its address. Ids of rows that came after the backup are beyond those of the restored outbox.
 */
async function leaveOutBooked(
  tx: TransactionSql,
  rows: readonly SettlementRow[],
  madeAt: number,
): Promise<SettlementRow[]> {
  const [outbox] = await tx<{ next: number }[]>`
    select nextval(pg_get_serial_sequence('log_outbox', 'id'))::float8 as next`;
  if (!outbox) throw new Error("the outbox has no sequence");
  try {
    const longAgo = await findBookedLongAgo(rows, { now: madeAt, beforeId: outbox.next * LINES_PER_OUTBOX });
    return rows.filter((row) => !longAgo.hasSettlement(row));
  } catch (error) {
    if (!isLogStoreAway(error)) throw error;
    throw new BackupError(
      "The backup has charges of more than two days before it, and the log store (LOG_STORE_URL) cannot be asked whether they are booked already. Nothing was changed. Try again when it is back, or unset LOG_STORE_URL to book them.",
      { cause: error },
    );
  }
}

async function bookPending(tx: TransactionSql, rows: readonly SettlementRow[], report: RestoreReport): Promise<void> {
  for (const row of rows) {
    try {
      const { inserted } = await tx.savepoint((part) => bookSettlements(part, null, [row]));
      report.booked += inserted;
    } catch (error) {
      const code = sqlStateOf(error);
      if (code === "") throw error;
      const reason = { code, message: (error as Error).message };
      await tx.savepoint((part) => keepRefused(part as unknown as Sql, row, reason));
      report.refused += 1;
    }
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
