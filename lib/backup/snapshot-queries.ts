import type { Sql, TransactionSql } from "postgres";
import { connect } from "@/db/connect";
import { listOwnTables } from "@/db/migrate-within";
import { BackupError } from "./backup-error";

type Reference = { name: string; target: string };

/** Sorts tables so that each comes after those that it references. Throws when they reference each other in a circle. */
function inOrderOfReferences<T extends { name: string }>(tables: readonly T[], references: readonly Reference[]): T[] {
  const waiting = new Map(tables.map((table) => [table.name, table]));
  const sorted: T[] = [];
  while (waiting.size > 0) {
    const free = [...waiting.values()].filter(
      ({ name }) => !references.some((reference) => reference.name === name && waiting.has(reference.target)),
    );
    if (free.length === 0) throw new Error(`tables reference each other: ${[...waiting.keys()].join(", ")}`);
    for (const table of free) waiting.delete(table.name);
    sorted.push(...free);
  }
  return sorted;
}

/** Whoever needs a stronger lock than the backup's has it for this long at most: a migration of a large table. */
const LOCK_WAIT_MS = 30_000;

/** postgres.js leaves the number 0 out, so that the role's own limit would hold. */
export const NO_LIMIT = "0" as unknown as number;

/** Texts of values do not depend on the server's configuration. */
const SETTINGS = {
  application_name: "weir-backup",
  statement_timeout: NO_LIMIT,
  lock_timeout: LOCK_WAIT_MS,
  idle_in_transaction_session_timeout: NO_LIMIT,
  DateStyle: "ISO, MDY",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  bytea_output: "hex",
  extra_float_digits: "3",
};

/** One connection that lives as long as the backup. */
export function connectForBackup(url: string): Sql {
  const options = { max: 1, idle_timeout: 0, max_lifetime: null, connect_timeout: 10 };
  return connect(url, { ...options, onnotice: () => {}, connection: SETTINGS });
}

export type SnapshotTable = { name: string; oid: number; columns: string[] };
export type Partition = { parent: string; name: string; from: number; to: number };

/**
 * Calls `read` with one state of the database. The transaction that keeps this state holds no lock on a table, so nothing
 * waits for it.
 */
export async function withSnapshot<T>(
  url: string,
  read: (tx: TransactionSql, snapshot: string) => Promise<T>,
): Promise<T> {
  const keeper = connectForBackup(url);
  try {
    return (await keeper.begin("isolation level repeatable read read only", async (tx) => {
      const [row] = await tx<{ id: string }[]>`select pg_export_snapshot() as id`;
      if (!row) throw new Error("no snapshot");
      return await read(tx, row.id);
    })) as T;
  } finally {
    await keeper.end({ timeout: 5 });
  }
}

/** Weir's tables with rows (leaves of partitions), referenced ones first; and the names of tables that are not Weir's. */
export async function listTables(tx: TransactionSql): Promise<{ tables: SnapshotTable[]; foreign: string[] }> {
  const own = await listOwnTables();
  const rows = await tx<(SnapshotTable & { root: string })[]>`
    select c.relname as name, c.oid::int8::float8 as oid, coalesce(p.relname, c.relname) as root,
      (select json_agg(a.attname order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c
    left join pg_inherits i on i.inhrelid = c.oid
    left join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
      and not exists (select 1 from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`;
  const references = await tx<{ name: string; target: string }[]>`
    select distinct c.relname as name, t.relname as target
    from pg_constraint f join pg_class c on c.oid = f.conrelid join pg_class t on t.oid = f.confrelid
    where f.contype = 'f' and c.relnamespace = 'public'::regnamespace and c.oid <> t.oid`;
  const tables = rows.filter(({ root }) => own.has(root));
  return {
    tables: inOrderOfReferences(tables, references),
    foreign: rows.filter(({ root }) => !own.has(root)).map(({ name }) => name),
  };
}

export async function listPartitions(tx: TransactionSql): Promise<Partition[]> {
  const rows = await tx<{ parent: string; name: string; bound: string }[]>`
    select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
    where c.relnamespace = 'public'::regnamespace and c.relispartition and c.relkind = 'r' order by c.relname`;
  return rows.flatMap(({ parent, name, bound }) => {
    const range = /^FOR VALUES FROM \('?(-?\d+)'?\) TO \('?(-?\d+)'?\)$/.exec(bound);
    if (range) return [{ parent, name, from: Number(range[1]), to: Number(range[2]) }];
    // Those that migrations make.
    if (bound === "DEFAULT" || bound.startsWith("FOR VALUES IN ")) return [];
    throw new BackupError(`The partition ${name} has bounds that the backup does not know: ${bound}`);
  });
}

export async function listSequences(
  tx: TransactionSql,
): Promise<{ table: string; column: string; last: string; isCalled: boolean }[]> {
  const own = await listOwnTables();
  const rows = await tx<{ table: string; column: string; sequence: string }[]>`
    select t.relname as table, a.attname as column, s.relname as sequence
    from pg_class s
    join pg_depend d on d.objid = s.oid and d.classid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    join pg_class t on t.oid = d.refobjid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
    where s.relkind = 'S' and s.relnamespace = 'public'::regnamespace order by s.relname`;
  const result = [];
  // Not of the snapshot: a sequence read now is ahead of every row in the backup.
  for (const { table, column, sequence } of rows.filter(({ table }) => own.has(table))) {
    const [row] = await tx<{ last: string; isCalled: boolean }[]>`
      select last_value::text as last, is_called as "isCalled" from ${tx(sequence)}`;
    if (row) result.push({ table, column, ...row });
  }
  return result;
}

export async function readVersions(
  tx: TransactionSql,
): Promise<{ postgres: string; migrations: { hash: string; when: number }[] }> {
  const [server] = await tx<{ version: string }[]>`select current_setting('server_version') as version`;
  const [known] = await tx<{ found: boolean }[]>`
    select to_regclass('drizzle.__drizzle_migrations') is not null as found`;
  if (!known?.found) throw new BackupError("There is no Weir in this database: it has no migrations.");
  const [unfinished] = await tx<{ found: boolean }[]>`
    select to_regclass('drizzle.unfinished_migrations') is not null as found`;
  if (unfinished?.found && (await tx`select 1 from drizzle.unfinished_migrations limit 1`).length > 0) {
    throw new BackupError("A migration is not finished; no backup was made. Run weir migrate, then the backup again.");
  }
  const migrations = await tx<{ hash: string; when: number }[]>`
    select hash, created_at::float8 as when from drizzle.__drizzle_migrations order by created_at, id`;
  return { postgres: server?.version ?? "", migrations: [...migrations] };
}

/** Opens a short transaction with the same state of the database. Locks on tables last only until its end. */
async function beginWithin(sql: Sql, snapshot: string): Promise<void> {
  if (!/^[\w-]+$/.test(snapshot)) throw new Error(`not a snapshot: ${snapshot}`);
  await sql.unsafe("begin isolation level repeatable read read only");
  await sql.unsafe(`set transaction snapshot '${snapshot}'`);
}

export async function readWithin<T>(sql: Sql, snapshot: string, read: (sql: Sql) => Promise<T>): Promise<T> {
  await beginWithin(sql, snapshot);
  const result = await read(sql);
  await sql.unsafe("commit");
  return result;
}

/** Any channel key, to try the secret on; null = there is none. */
export async function readSealedSample(tx: Sql): Promise<string | null> {
  const [row] = await tx<{ cipher: string }[]>`
    select key_cipher as cipher from channels where key_cipher like 'v1.%'
    union all select key_cipher from channel_keys where key_cipher like 'v1.%' limit 1`;
  return row?.cipher ?? null;
}

/** Which of these settlements are booked, with a log store or without. A key is the request id and the time (unix seconds). */
export async function findLoggedKeys(
  tx: Sql,
  keys: readonly { requestId: string; createdAt: number }[],
): Promise<Set<string>> {
  const ids = keys.map(({ requestId }) => requestId);
  const rows = await tx<{ id: string; createdAt: number }[]>`
    select request_id as id, created_at::float8 as "createdAt" from usage_logs where request_id = any(${ids}::text[])
    union all
    select request_id, created_at::float8 from settled_requests where request_id = any(${ids}::text[])`;
  return new Set(rows.flatMap(({ id, createdAt }) => [id, `${id} ${createdAt}`]));
}

/**
 * The rows of a table in COPY's text format, as they are in the snapshot. The table is locked (ACCESS SHARE) only
 * meanwhile. Throws BackupError when the table was emptied, dropped or rewritten since: its rows are lost then.
 */
export async function* copyTable(sql: Sql, snapshot: string, table: SnapshotTable): AsyncGenerator<Buffer> {
  await beginWithin(sql, snapshot);
  const columns = table.columns.map((column) => `"${column}"`).join(", ");
  try {
    const rows = await sql.unsafe(`copy (select ${columns} from public."${table.name}") to stdout`).readable();
    for await (const part of rows) yield part as Buffer;
    // postgres.js leaves the socket paused when the last rows came faster than they were read; this resumes it.
    rows._read(0);
  } catch (error) {
    throw (error as { code?: string }).code === "42P01" ? changedMeanwhile(table.name, error) : error;
  }
  const [row] = await sql<{ isSame: boolean | null }[]>`
    select relfilenode = pg_relation_filenode(oid) as "isSame" from pg_class where oid = ${table.oid}::int8::oid`;
  await sql.unsafe("commit");
  if (row?.isSame !== true) throw changedMeanwhile(table.name);
}

function changedMeanwhile(table: string, cause?: unknown): BackupError {
  return new BackupError(
    `The table ${table} was cleared, dropped or rewritten while it was read; no backup was made. Run the backup again.`,
    { cause },
  );
}
