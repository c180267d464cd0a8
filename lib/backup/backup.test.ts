import { randomBytes } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyMigrationsWithin, listMigrations } from "@/db/migrate-within";
import { createJournal } from "@/lib/billing/journal";
import { openJournalFolder } from "@/lib/billing/journal-folder";
import { describeOwner } from "@/lib/billing/journal-owner";
import { readDatabaseId } from "@/lib/billing/journal-queries";
import { reconcile } from "@/lib/billing/reconcile";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { seal, unseal } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { temporary } from "@/lib/testing/run-folder";
import { settlementOf } from "@/lib/testing/settlement";
import { type BackupOptions, makeBackup } from "./make-backup";
import { verifyBackup } from "./read-backup";
import { restoreDatabase, splitMigrations } from "./restore-commands";
import { connectForBackup, copyTable, listTables, withSnapshot } from "./snapshot-queries";

const PASSPHRASE = "correct horse battery";
const folder = mkdtempSync(join(temporary, "weir-backup-"));
const journalDirectory = join(folder, "journal");
let source: TestDatabase;
const made: string[] = [];

async function emptyDatabase(): Promise<string> {
  const name = `weir_test_${randomBytes(6).toString("hex")}`;
  const server = postgres(process.env.TEST_DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
  await server.unsafe(`create database ${name}`);
  await server.end();
  made.push(name);
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${name}`;
  return url.href;
}

async function read<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, types: { bigint: postgres.BigInt } as never });
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}

function backUp(more: Partial<BackupOptions> = {}): Promise<string> {
  const path = join(folder, `${randomBytes(4).toString("hex")}.backup`);
  const options = { url: source.url, path, journalDirectory, passphrase: PASSPHRASE, hasSecret: true, hasLogs: true };
  return makeBackup({ ...options, ...more }).then(() => path);
}

const open = (path: string, passphrase = PASSPHRASE) => verifyBackup(path, async () => passphrase);

async function restore(path: string, url: string, replaces = false) {
  const backup = await open(path);
  return restoreDatabase({ url, parts: backup.parts(), replaces, beforeCommit: async () => {} });
}

const tablesIn = (url: string) =>
  read(url, (sql) =>
    sql`select 1 from pg_class where relnamespace = 'public'::regnamespace`.then((rows) => rows.length),
  );

beforeAll(async () => {
  source = await createTestDatabase();
  const { sql } = source;
  await sql`insert into users (id, username, quota, aff_code) values (7, 'anna\\	x', 900, 'aaaa')`;
  await sql`insert into ledger_entries (user_id, amount, kind, reference) values (7, 900, 'grant', 'test')`;
  await sql`insert into channels (id, name, type, key_cipher) values (3, 'one', 1, ${seal("sk-upstream")})`;
  await sql`select weir_ensure_log_partitions(1700000000, 1705000000)`;
  // All months that migrations make, as the databases have that are restored into.
  await sql`
    select weir_ensure_log_partitions(extract(epoch from now() - interval '3 months')::bigint,
      extract(epoch from now() + interval '3 months')::bigint)`;
  await sql`
    insert into usage_logs (request_id, created_at, type, user_id, content)
    select 'old-' || n, 1700000000 + n * 3000, 3, 7, E'line\\nbreak \\\\N ' || n from generate_series(1, 500) n`;
});

afterAll(async () => {
  await source.drop();
  const server = postgres(process.env.TEST_DATABASE_URL ?? "", { max: 1, onnotice: () => {} });
  for (const name of made) await server.unsafe(`drop database if exists ${name} with (force)`);
  await server.end();
  rmSync(folder, { recursive: true, force: true });
});

describe("a restored database", () => {
  test("has every row of every table, its sequences, partitions, triggers and functions", async () => {
    const url = await emptyDatabase();
    const report = await restore(await backUp(), url);
    expect(report).toMatchObject({ migrated: 0, refused: 0 });
    // A partition's indexes have the names that they were made with, e.g. one by one for a table with rows.
    const describeAll = (sql: postgres.Sql) => sql`
      select coalesce(case when c.relkind = 'i' then (
          select format('%s of %s', whole.relname, part.relname)
          from pg_inherits join pg_class whole on whole.oid = inhparent join pg_index own on own.indexrelid = inhrelid
          join pg_class part on part.oid = own.indrelid where inhrelid = c.oid) end, c.relname::text) as name, c.relkind as kind, pg_get_expr(c.relpartbound, c.oid) as bound,
        (select count(*) from pg_trigger t where t.tgrelid = c.oid and t.tgenabled = 'O')::int as triggers,
        case when c.relkind = 'r' then
          (xpath('/row/h/text()', query_to_xml(format('select md5(string_agg(t::text, '','' order by t::text)) as h from %I t',
            c.relname), false, true, '')))[1]::text end as content
      from pg_class c where c.relnamespace = 'public'::regnamespace order by 1`;
    expect([...(await read(url, describeAll))]).toEqual([...(await read(source.url, describeAll))]);
    const nextUser = (sql: postgres.Sql) => sql`select nextval('users_id_seq')::int as id`.then(([row]) => row?.id);
    expect(await read(url, nextUser)).toBe(await read(source.url, nextUser));
    const [channel] = await read(url, (sql) => sql<{ key: string }[]>`select key_cipher as key from channels`);
    expect(unseal(channel?.key ?? "")).toBe("sk-upstream");
  });

  test("a charge that only the journal has is booked once, and the books are clean", async () => {
    const folderOfJournals = openJournalFolder(journalDirectory);
    const owner = describeOwner(await readDatabaseId(source.sql));
    const journal = createJournal({ folder: folderOfJournals, nodeId: "00000000-0000-4000-8000-000000000001", owner });
    journal.add(encodeSettlement(settlementOf({ requestId: "waiting", userId: 7, quota: 40 })));
    await journal.sync();
    const path = await backUp();
    await journal.close();
    rmSync(journalDirectory, { recursive: true });
    const url = await emptyDatabase();
    expect(await restore(path, url)).toMatchObject({ booked: 1 });
    await read(url, async (sql) => {
      const [user] = await sql`select quota::int, used_quota::int as used from users where id = 7`;
      expect(user).toEqual({ quota: 860, used: 40 });
      expect((await reconcile(sql as never)).differences).toEqual([]);
    });
  });

  test("comes from an older schema too: it is filled as it was, then migrated", async () => {
    const [old, url] = [await emptyDatabase(), await emptyDatabase()];
    const migrations = await listMigrations();
    await read(old, (sql) => sql.begin((tx) => applyMigrationsWithin(tx, migrations.slice(0, -3))));
    await read(old, (sql) => sql`insert into users (id, username, aff_code) values (9, 'old', 'bbbb')`);
    expect(await restore(await backUp({ url: old }), url)).toMatchObject({ migrated: 3 });
    expect(await read(url, (sql) => sql`select 1 from users where username = 'old'`)).toHaveLength(1);
    const { manifest } = await open(await backUp());
    const newer = { ...manifest, migrations: [...manifest.migrations, { hash: "of tomorrow", when: 9e12 }] };
    await expect(splitMigrations(newer)).rejects.toThrow("newer Weir");
  });

  test("is replaced only on demand, and then in one step", async () => {
    const url = await emptyDatabase();
    const path = await backUp({ hasLogs: false });
    await restore(path, url);
    await read(url, (sql) => sql`update users set username = 'changed'`);
    await expect(restore(path, url)).rejects.toThrow("not empty");
    await restore(path, url, true);
    await read(url, async (sql) => {
      expect((await sql`select 1 from users where username = 'changed'`).length).toBe(0);
      expect((await sql`select 1 from usage_logs`).length).toBe(0);
      expect((await reconcile(sql as never)).differences).toEqual([]);
    });
  });
});

describe("a backup that is not as it was written changes nothing", () => {
  let whole: string;
  let bytes: Buffer;
  beforeAll(async () => {
    whole = await backUp();
    bytes = readFileSync(whole);
  });

  test.each([true, false])(
    "wherever one of its bytes is flipped or it is cut off (encrypted: %s)",
    async (isEncrypted) => {
      const path = isEncrypted ? whole : await backUp({ passphrase: null });
      const content = readFileSync(path);
      const other = `${path}.other`;
      for (const at of [20, 400, 1_000, Math.floor(content.length / 2), content.length - 1]) {
        const changed = Buffer.from(content);
        changed[at] = (changed[at] ?? 0) ^ 4;
        writeFileSync(other, changed);
        await expect(open(other), `byte ${at}`).rejects.toThrow(/Nothing was changed|not a backup/);
        copyFileSync(path, other);
        truncateSync(other, at);
        await expect(open(other), `cut at ${at}`).rejects.toThrow(/Nothing was changed|not a backup/);
      }
    },
  );

  test("and a wrong passphrase says so", async () => {
    await expect(open(whole, "wrong horse battery")).rejects.toThrow("passphrase is wrong");
    expect(bytes.includes("sk-upstream")).toBe(false);
  });

  test("also where only the second reading meets the damage: the database stays empty", async () => {
    const url = await emptyDatabase();
    const before = await tablesIn(url);
    const path = await backUp({ passphrase: null });
    const backup = await open(path);
    truncateSync(path, readFileSync(path).length - 40);
    const restoring = restoreDatabase({ url, parts: backup.parts(), replaces: false, beforeCommit: async () => {} });
    await expect(restoring).rejects.toThrow("damaged");
    expect(await tablesIn(url)).toBe(before);
  });
});

test.each([
  ["weir-gateway", /^(?!.*PgBouncer).*Stop it on every machine/],
  ["weir-pooled", /Stop it on every machine.*PgBouncer keeps connections/],
])("a running Weir is refused, seen by %s", async (name, message) => {
  const url = await emptyDatabase();
  const path = await backUp();
  const weir = postgres(url, { max: 1, connection: { application_name: name } });
  await weir`select 1`;
  await expect(restore(path, url)).rejects.toThrow(message);
  await weir.end();
});

test("a secret that does not open the keys of the database makes no backup", async () => {
  const secret = process.env.WEIR_SECRET;
  process.env.WEIR_SECRET = "another-secret-another-secret";
  try {
    await expect(backUp()).rejects.toThrow("does not open the provider keys");
  } finally {
    process.env.WEIR_SECRET = secret;
  }
});

test("nobody waits for a backup: while one table is read, every other one can be locked exclusively", async () => {
  const { sql } = source;
  const copier = connectForBackup(source.url);
  await withSnapshot(source.url, async (tx, snapshot) => {
    const { tables } = await listTables(tx);
    const log = tables.find(({ name }) => name === "usage_logs_2023_11");
    if (!log) throw new Error("no partition");
    const rows = copyTable(copier, snapshot, log);
    await rows.next();
    await sql.begin(async (other) => {
      await other`set local lock_timeout = '300ms'`;
      await other`lock table users, only usage_logs, usage_logs_default in access exclusive mode`;
    });
    for await (const _ of rows);
  });
  await copier.end({ timeout: 1 });
});

test("a table that is emptied meanwhile makes no backup, because its rows are lost", async () => {
  const { sql } = source;
  const copier = connectForBackup(source.url);
  await withSnapshot(source.url, async (tx, snapshot) => {
    const { tables } = await listTables(tx);
    const log = tables.find(({ name }) => name === "usage_logs_2023_12");
    if (!log) throw new Error("no partition");
    await sql`truncate usage_logs_2023_12`;
    const reading = (async () => {
      for await (const _ of copyTable(copier, snapshot, log));
    })();
    await expect(reading).rejects.toThrow("Run the backup again");
  });
  await copier.end({ timeout: 1 });
});

test("a file that cannot be written is a clear error and leaves nothing", async () => {
  await expect(backUp({ path: join(folder, "missing", "a.backup") })).rejects.toThrow("cannot be written");
  expect(existsSync(join(folder, "missing"))).toBe(false);
});
