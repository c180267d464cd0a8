// `weir archive` as an operator runs it: the program, its output and its exit codes. An archive is input, so some are hostile.

import { spawn } from "node:child_process";
import { copyFile, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FolderStorage } from "@/lib/archive/folder-storage";
import { listArchives } from "@/lib/archive/list-archives";
import { encodeManifest, type Manifest } from "@/lib/archive/manifest";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { createRunFolder } from "@/lib/testing/run-folder";
import { clearOldLogs } from "@/lib/usage-log/clear-old-logs-commands";

const day = Date.UTC(2026, 0, 10) / 1_000;
const DAY = 86_400;
const folder = createRunFolder("archive-command");

let database: TestDatabase;
let archives: string;
/** Without their ends. */
let names: string[];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  archives = await mkdtemp(join(folder, "archives-"));
  await database.sql`truncate log_archives, log_restores, log_archive_status, job_positions`;
  await rewriteBooks(database.sql, (tx) => tx`delete from usage_logs`);
  await database.sql`
    insert into usage_logs (request_id, created_at, user_id, content, quota)
    select 'row-' || at, at, 1, 'a, "b"', at from generate_series(${day}::bigint, ${day + 2 * DAY - 1}::bigint, 3600) as at`;
  await database.sql`insert into job_positions (job, position) values ('logs-cleared', ${day + 2 * DAY})`;
  const now = Math.floor(Date.now() / 1_000);
  await clearOldLogs(database.sql, { url: `folder:${archives}`, format: "jsonl", retentionDays: 0, now });
  names = (await listArchives(new FolderStorage(archives))).map(({ name }) => name);
  expect(names.length).toBe(2);
});

type Ended = { code: number | null; output: string; errors: string };

function weir(args: string[], own: Record<string, string | undefined> = {}): Promise<Ended> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: database.url,
    WEIR_ARCHIVE_URL: `folder:${archives}`,
    LOG_STORE_URL: "",
    TZ: "America/New_York",
    ...own,
  };
  const child = spawn(process.execPath, ["bin/weir.mjs", "archive", ...args], { env });
  const ended: Ended = { code: null, output: "", errors: "" };
  child.stdout.on("data", (part) => (ended.output += part));
  child.stderr.on("data", (part) => (ended.errors += part));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done({ ...ended, code }));
  });
}

const inLog = async () => (await database.sql`select 1 from usage_logs`).length;
const restores = async () => (await database.sql`select 1 from log_restores`).length;
const pathOf = (name: string | undefined, end: string) => join(archives, `${name}${end}`);

test("list: a line for each archive and a sum, within a range, and manifests as JSON lines", async () => {
  const all = await weir(["list"]);
  expect([all.code, all.errors]).toEqual([0, ""]);
  expect(all.output).toMatch(
    /2026-01-10T00:00:00Z {2}2026-01-11T00:00:00Z +24 rows .*\n.*\n2 archives, 48 rows, \d+ bytes\n$/,
  );
  const one = await weir(["list", "2026-01-11", "--json"]);
  expect(JSON.parse(one.output)).toMatchObject({ name: names[1], from: day + DAY, rows: 24, format: "jsonl" });
  expect((await weir(["list", "2025"])).output).toBe("0 archives, 0 rows, 0 bytes\n");
});

test("read: rows in the order of time as JSON lines or CSV, of a part of an archive too", async () => {
  const rows = (await weir(["read", "2026-01-10..2026-01-11"])).output.trimEnd().split("\n");
  expect(rows.map((line) => JSON.parse(line).created_at)).toEqual(
    Array.from({ length: 48 }, (_, n) => day + n * 3_600),
  );
  expect(JSON.parse(rows[0] ?? "")).toMatchObject({ request_id: `row-${day}`, content: 'a, "b"', other: {} });
  const csv = (await weir(["read", "2026-01-11", "--format", "csv"])).output.trimEnd().split("\r\n");
  expect(csv.length === 25 || csv[0]?.split("\n").length === 25).toBe(true);
  expect(csv[0]).toMatch(/^"?id"?,"?created_at"?,/);
});

test("verify: exit code 0 when all is whole; 1 for a changed file, a replaced manifest and an archive that is gone", async () => {
  const whole = await weir(["verify"]);
  expect(whole.code).toBe(0);
  expect(whole.output).toMatch(/^ok .*\nok .*\n2 archives read, 0 problems\n$/);
  const file = pathOf(names[0], ".jsonl.gz");
  await writeFile(file, (await readFile(file)).fill(1, 40, 41));
  await rename(pathOf(names[1], ".manifest.json"), join(folder, "moved"));
  const broken = await weir(["verify"]);
  expect(broken.code).toBe(1);
  expect(broken.output).toMatch(/WRONG .*checksum.*\nGONE .*\n1 archives read, 2 problems\n$/s);
});

test("restore: rows are back once, however often; what was not cleared is refused", async () => {
  const first = await weir(["restore", "2026-01-10", "--days", "3"]);
  expect([first.code, first.errors]).toEqual([0, ""]);
  expect(first.output).toMatch(/^24 rows are back in the log\. They are deleted again after \d{4}-.*Z\.\n$/);
  expect((await weir(["restore", "2026-01-10"])).output).toMatch(/^0 rows are back/);
  expect(await inLog()).toBe(24);
  expect(await weir(["restore", "2026-02"])).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/Nothing .* cleared/),
  });
  expect(await weir(["restore", "2025"])).toMatchObject({ code: 1, errors: expect.stringMatching(/no archive/) });
});

test.each([
  [["nonsense"], /Usage: weir archive list/],
  [[], /ACTION|Usage/],
  [["read"], /Usage: weir archive read RANGE/],
  [["restore", "--days", "0", "2026"], /--days is a whole number/],
  [["read", "2026", "--format", "xml"], /--format is jsonl or csv/],
  [["list", "--bogus"], /bogus/],
])("weir archive %j is refused with how it is written", async (args, reason) => {
  const ended = await weir(args as string[]);
  expect(ended.code).toBe(2);
  expect(ended.errors).toMatch(reason);
  expect(ended.output).toBe("");
});

test("a range that is none, a missing address and a folder that is away are refused with the reason, exit code 1", async () => {
  expect(await weir(["read", "2026-13"])).toMatchObject({ code: 1, errors: expect.stringMatching(/is no range/) });
  expect(await weir(["list"], { WEIR_ARCHIVE_URL: undefined })).toMatchObject({
    code: 1,
    errors: "WEIR_ARCHIVE_URL is not set.\n",
  });
  const away = await weir(["list"], { WEIR_ARCHIVE_URL: `folder:${archives}/away` });
  expect(away).toMatchObject({ code: 1, errors: expect.stringMatching(/away or a file in it is missing/) });
});

describe("a restore of archives that were tampered with changes nothing:", () => {
  /** Replaces a manifest by one that is right in itself. */
  async function forge(change: Partial<Manifest> | ((manifest: Manifest) => object)): Promise<void> {
    const path = pathOf(names[0], ".manifest.json");
    const { checksum: _, ...manifest } = JSON.parse(await readFile(path, "utf8"));
    const changed = typeof change === "function" ? change(manifest) : change;
    await writeFile(path, encodeManifest({ ...manifest, ...changed }).bytes);
  }
  /** One whose own checksum is wrong as well, because no program writes it. */
  async function write(change: object): Promise<void> {
    const path = pathOf(names[0], ".manifest.json");
    await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, "utf8")), ...change }));
  }

  const attacks: [string, () => Promise<void>, RegExp][] = [
    ["a manifest with other rows", () => forge({ rows: 23 }), /not the one that was written/],
    ["a manifest of another format", () => forge({ format: "parquet" }), /not the one that was written/],
    ["a name that leads elsewhere", () => write({ name: "../../etc/passwd" }), /cannot be used/],
    ["times that no calendar has", () => write({ from: 9e15, until: 9e15 + 1 }), /cannot be used/],
    ["an unknown format", () => write({ format: "pickle" }), /cannot be used/],
    ["a manifest that is edited by hand", () => write({ rows: 1e15 }), /edited or damaged/],
    ["no JSON", () => writeFile(pathOf(names[0], ".manifest.json"), "{"), /no JSON/],
    ["a manifest without end", () => writeFile(pathOf(names[0], ".manifest.json"), " ".repeat(200_000)), /too long/],
    [
      "a link in place of the file",
      async () => {
        await copyFile(pathOf(names[0], ".jsonl.gz"), join(folder, "elsewhere"));
        await rm(pathOf(names[0], ".jsonl.gz"));
        await symlink(join(folder, "elsewhere"), pathOf(names[0], ".jsonl.gz"));
      },
      /is a link and is not read/,
    ],
    [
      "a device in place of the file",
      async () => {
        await rm(pathOf(names[0], ".jsonl.gz"));
        await symlink("/dev/zero", pathOf(names[0], ".jsonl.gz"));
      },
      /is a link and is not read/,
    ],
    ["a file that is gone", () => rm(pathOf(names[0], ".jsonl.gz")), /missing/],
    ["an archive that is gone", () => rm(pathOf(names[0], ".manifest.json")), /is gone/],
  ];
  test.each(attacks)("%s", async (_name, attack, reason) => {
    await attack();
    const ended = await weir(["restore", "2026-01"]);
    expect([ended.code, await inLog(), await restores()]).toEqual([1, 0, 0]);
    expect(ended.errors).toMatch(reason);
    expect(ended.errors).not.toMatch(/\n {4}at /);
  });

  test("an archive that the database does not know is left out, unless it is asked for", async () => {
    await database.sql`delete from log_archives where name = ${names[0] ?? ""}`;
    const without = await weir(["restore", "2026-01"]);
    expect([without.code, await inLog()]).toEqual([0, 24]);
    expect(without.errors).toContain(`Left out, because the database does not know it: ${names[0]}`);
    expect((await weir(["restore", "2026-01", "--unknown"])).output).toMatch(/^24 rows/);
    expect(await inLog()).toBe(48);
  });
});
