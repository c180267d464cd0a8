import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { MIGRATION_LOCK } from "@/db/migrate";
import { importedKeyHasher, sealerOf } from "@/lib/crypto";
import { hashOnlyHint } from "@/lib/key-hint";
import { SEALED_COLUMNS, type SealedColumn } from "./sealed-columns";
import { CHECK_KEY } from "./secret-queries";

const ROWS_PER_STEP = 500;
/** A process that died is forgotten after this; gateways write theirs every few seconds. */
const HEARTBEAT_SECONDS = 15;

/** Keeps what tells this secret from others, unless it is there already. */
export async function rememberSecret(sql: Sql, secret: string): Promise<void> {
  await sql`insert into options (key, value, sealed) values (${CHECK_KEY}, ${sealerOf(secret).seal("weir")}, true)
    on conflict (key) do nothing`;
}

export type Rotation = {
  from: string;
  to: string;
  /** Leaves values that `from` does not open as they are. Otherwise they end the rotation. */
  keepUnreadable: boolean;
  /** Called in the transaction before anything is changed. */
  prepare: () => void;
  onTable: (column: string, resealed: number, unreadable: number) => void;
};

/**
 * Seals everything that is sealed under one secret under another, in one transaction. Throws when a Weir runs on this
 * database or a value cannot be opened; nothing is changed then. A Weir that is started meanwhile waits.
 */
export async function rotateSecret(sql: Sql, rotation: Rotation): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local lock_timeout = '10s'`;
    const [lock] = await tx<{ free: boolean }[]>`select pg_try_advisory_xact_lock(${MIGRATION_LOCK}) as free`;
    if (!lock?.free) throw new Error("A Weir is being started or changed on this database. Stop it first.");
    await assertNobodyElse(tx);
    rotation.prepare();
    const tables = [...new Set(SEALED_COLUMNS.map(({ table }) => table))];
    // Triggers tell running processes of changes and reset circuits; a key that is sealed anew is the same key.
    for (const table of tables) await tx`alter table ${tx(table)} disable trigger user`;
    await tx`delete from options where key = ${CHECK_KEY}`;
    for (const column of SEALED_COLUMNS) await resealColumn(tx, column, rotation);
    await rehashImportedKeys(tx, rotation.to);
    await tx`insert into options (key, value, sealed)
      values (${CHECK_KEY}, ${sealerOf(rotation.to).seal("weir")}, true)`;
    for (const table of tables) await tx`alter table ${tx(table)} enable trigger user`;
  });
}

async function assertNobodyElse(tx: TransactionSql): Promise<void> {
  const others = await tx<{ name: string }[]>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
      and application_name ~ '^weir-(gateway|console|worker|playground|bootstrap|seed|backup|restore)'`;
  // Behind a pooler the sessions have other names.
  const [live] = await tx<{ count: number }[]>`select count(*)::int as count from nodes
    where heartbeat_at > now() - make_interval(secs => ${HEARTBEAT_SECONDS})`;
  if (others.length === 0 && (live?.count ?? 0) === 0) return;
  const who = others.length > 0 ? others.map(({ name }) => name).join(", ") : "a gateway seconds ago";
  throw new Error(`Weir runs on this database (${who}). Stop it on every machine, wait 15 seconds, and try again.`);
}

/** Hashes of imported keys are made with the secret; what they are made of is sealed beside them. */
async function rehashImportedKeys(tx: TransactionSql, secret: string): Promise<void> {
  const { unseal } = sealerOf(secret);
  const hashOf = importedKeyHasher(secret);
  for (let after = 0; ; ) {
    const rows = await tx<{ id: number; cipher: string }[]>`
      select id, key_cipher as cipher from tokens where id > ${after} and key_hint like ${`${hashOnlyHint("")}%`}
      order by id limit ${ROWS_PER_STEP}`;
    const fresh = rows.flatMap(({ id, cipher }) => {
      const sha256 = open({ unseal }, cipher);
      return sha256 === null ? [] : [{ id, hash: hashOf(sha256) }];
    });
    await tx`
      update tokens set key_hash = fresh.hash
      from unnest(${fresh.map(({ id }) => id)}::int[], ${fresh.map(({ hash }) => hash)}::text[]) as fresh (id, hash)
      where tokens.id = fresh.id`;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_STEP) return;
    after = last.id;
  }
}

type SealedRow = { key: string; value: string };

async function resealColumn(tx: TransactionSql, column: SealedColumn, rotation: Rotation): Promise<void> {
  const [from, to] = [sealerOf(rotation.from), sealerOf(rotation.to)];
  const name = `${column.table}.${column.column}`;
  let after: string | null = null;
  let resealed = 0;
  let unreadable = 0;
  for (;;) {
    const rows: SealedRow[] = await readRows(tx, column, after);
    const changed: SealedRow[] = [];
    for (const row of rows) {
      const text = open(from, row.value);
      if (text !== null) changed.push({ key: row.key, value: to.seal(text) });
      else if (rotation.keepUnreadable) unreadable++;
      else
        throw new Error(`${name} of ${row.key} does not open with the present secret (--keep-unreadable leaves it).`);
    }
    await writeRows(tx, column, changed);
    resealed += changed.length;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_PER_STEP) break;
    after = last.key;
  }
  rotation.onTable(name, resealed, unreadable);
}

function open({ unseal }: Pick<ReturnType<typeof sealerOf>, "unseal">, sealed: string): string | null {
  try {
    return unseal(sealed);
  } catch {
    return null;
  }
}

function readRows(tx: TransactionSql, { table, key, keyType, column, flag }: SealedColumn, after: string | null) {
  return tx<SealedRow[]>`
    select ${tx(key)}::text as key, ${tx(column)} as value from ${tx(table)}
    where ${tx(column)} like 'v1.%' ${flag ? tx`and ${tx(flag)}` : tx``}
      ${after === null ? tx`` : tx`and ${tx(key)} > ${after}::${tx.unsafe(keyType)}`}
    order by ${tx(table)}.${tx(key)} limit ${ROWS_PER_STEP}`;
}

async function writeRows(tx: TransactionSql, { table, key, keyType, column }: SealedColumn, rows: SealedRow[]) {
  if (rows.length === 0) return;
  await tx`
    update ${tx(table)} set ${tx(column)} = fresh.value
    from unnest(${rows.map((row) => row.key)}::text[], ${rows.map((row) => row.value)}::text[]) as fresh (key, value)
    where ${tx(table)}.${tx(key)} = fresh.key::${tx.unsafe(keyType)}`;
}
