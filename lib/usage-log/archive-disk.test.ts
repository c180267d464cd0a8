// The folder of the archives is on a disk of its own, which gets full, goes away or is read-only.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmdirSync } from "node:fs";
import { readdir, rm, unlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Sql } from "@/db/client";
import { FolderStorage } from "@/lib/archive/folder-storage";
import { listArchives } from "@/lib/archive/list-archives";
import { readRows } from "@/lib/archive/read-rows";
import type { ServiceContext } from "@/lib/context";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { readArchiveStatus } from "./archive-status-queries";
import { clearOldLogs } from "./clear-old-logs-commands";

const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const midnight = now - (now % DAY);
const oldest = midnight - 33 * DAY;
const ROWS = 960;

let database: TestDatabase;
let sql: Sql;
let admin: ServiceContext;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = database.sql;
  admin = { db: database.db, sql, actor: { type: "command-line" }, clientIp: "" };
});
afterAll(() => database.drop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-archive-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await rewriteBooks(sql, (tx) => tx`delete from usage_logs`);
  await sql`truncate log_archives, log_archive_status, job_positions`;
});

/** Texts that cannot be compressed, so that 960 rows come to about `kilobytes` in an archive. */
async function fill(days: number, kilobytes = 1): Promise<void> {
  await sql`
    insert into usage_logs (request_id, created_at, user_id, content)
    select 'row-' || at, at, 1, (
      select string_agg(encode(sha256((at || '-' || n)::bytea), 'base64'), '') from generate_series(1, ${Math.ceil(kilobytes * 24)}) as n)
    from generate_series(${oldest}::bigint, ${oldest + days * DAY - 1}::bigint, ${(days * DAY) / ROWS}::bigint) as at`;
}

const turn = (path = folder) =>
  clearOldLogs(sql, { url: `folder:${path}`, format: "jsonl", retentionDays: 30, now, pieceRows: 200 });
const countRows = async () => (await sql`select 1 from usage_logs where not hidden`).length;
const failure = async () => (await readArchiveStatus(admin))?.failure?.reason ?? null;

/** Each row as often as it is in an archive. */
async function archived(path = folder): Promise<string[]> {
  const storage = new FolderStorage(path);
  const found: string[] = [];
  for (const { manifest, error } of await listArchives(storage)) {
    if (!manifest) throw new Error(error);
    for await (const rows of readRows(storage, manifest)) found.push(...rows.map((row) => String(row.request_id)));
  }
  return found;
}

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test("a folder is looked at before anything is cleared, and never made", async () => {
  const gone = join(folder, "gone");
  await expect(turn(gone)).rejects.toThrow(/gone or a file in it is missing/);
  expect(await failure()).toContain(gone);
  expect(await readdir(folder)).toEqual([]);
  mkdirSync(gone);
  expect(await turn(gone)).toBe("0 archives, 0 rows");
  expect([await readdir(gone), await failure()]).toEqual([[".weir-archive"], null]);
});

test("an empty folder in place of the one that was used is not filled, before and after its first archive", async () => {
  await turn();
  await unlink(join(folder, ".weir-archive"));
  await fill(1);
  await expect(turn()).rejects.toThrow(/\.weir-archive is missing.*disk mounted/);
  expect([await readdir(folder), await countRows()]).toEqual([[], ROWS]);
  await writeFile(join(folder, ".weir-archive"), "");
  expect(await turn()).toMatch(/960 rows$/);
  expect([await countRows(), (await archived()).length, await failure()]).toEqual([0, ROWS, null]);
  // Another place, and back.
  const other = mkdtempSync(join(tmpdir(), "weir-archive-"));
  await turn(other);
  await unlink(join(folder, ".weir-archive"));
  await expect(turn()).rejects.toThrow(/\.weir-archive is missing/);
  await rm(other, { recursive: true });
});

test("what killed processes left is removed by the next archive: only unfinished archives, and none that is being written", async () => {
  const month = new Date(oldest * 1_000).toISOString().slice(0, 7).replace("-", "/");
  const path = join(folder, "usage_logs", month);
  mkdirSync(path, { recursive: true });
  const name = "20261124T000000Z-20261125T000000Z-0a1b2c3d4e5f";
  const left = [`${name}.jsonl.gz.77.partial`, `${name}.parquet.78.partial`, `${name}.manifest.json.79.partial`];
  const kept = [`${name}.jsonl.gz.80.partial`, `${name}.jsonl.gz`, "notes.partial", `${name}.jsonl.gz.partial`];
  const old = (now - 7_200) as number;
  for (const file of [...left, ...kept]) {
    await writeFile(join(path, file), "x");
    // A process writes into the first of these.
    if (file !== kept[0]) await utimes(join(path, file), old, old);
  }
  await fill(1);
  expect(await turn()).toMatch(/960 rows$/);
  const files = await readdir(path);
  expect(files).toEqual(expect.arrayContaining(kept));
  expect(files.filter((file) => left.includes(file))).toEqual([]);
});

const mount = (...terms: string[]) => execFileSync("mount", terms);
/** Only root may, and not in every container. */
const mayMount = (() => {
  const place = mkdtempSync(join(tmpdir(), "weir-mount-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "tmpfs", place]).status === 0;
  if (isMounted) execFileSync("umount", [place]);
  rmdirSync(place);
  return isMounted;
})();

describe.skipIf(!mayMount)("on a disk of its own (skipped where mount is not allowed)", () => {
  beforeEach(() => {
    mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder);
  });
  afterEach(() => {
    // The last of the mounts may be gone.
    spawnSync("umount", [folder]);
  });

  test("a full disk: what is archived is whole, the other rows stay, root is told why, and it goes on when there is room", async () => {
    await fill(3, 2);
    await expect(turn()).rejects.toThrow(/has no room left, its disk is full/);
    expect(await failure()).toContain(`${folder} has no room left`);
    const left = await countRows();
    const safe = await archived();
    expect(left + safe.length).toBeGreaterThanOrEqual(ROWS);
    expect([left > 0, safe.length > 0, safe.length < ROWS]).toEqual([true, true, true]);
    const pairs = (await filesIn(folder)).map((name) => name.replace(/\..*/, "")).filter((name) => name !== "");
    expect(pairs.length).toBe(2 * new Set(pairs).size);
    // Also when nothing fits any more, not even a manifest.
    await writeFile(join(folder, "filler"), Buffer.alloc(2_000_000)).catch(() => {});
    await expect(turn()).rejects.toThrow(/has no room left/);
    expect([await countRows(), (await archived()).length]).toEqual([left, safe.length]);
    await unlink(join(folder, "filler"));
    mount("-o", "remount,size=32m", folder);
    expect(await turn()).toMatch(new RegExp(`${left} rows$`));
    const all = await archived();
    expect([await countRows(), all.length, new Set(all).size, await failure()]).toEqual([0, ROWS, ROWS, null]);
  });

  test("a disk that goes away, also in the middle of an archive: nothing is written in its place, and no row is deleted", async () => {
    mount("-o", "remount,size=32m", folder);
    await turn();
    await fill(1);
    execFileSync("umount", [folder]);
    await expect(turn()).rejects.toThrow(/disk mounted/);
    expect([await readdir(folder), await countRows()]).toEqual([[], ROWS]);
    mount("-t", "tmpfs", "-o", "size=32m", "tmpfs", folder);
    await writeFile(join(folder, ".weir-archive"), "");
    const storage = new FolderStorage(folder);
    await storage.prepare(true);
    async function* content() {
      yield Buffer.from("x");
      // As after the connection to a network disk was given up; the process has its file open.
      execFileSync("umount", ["-l", folder]);
      yield Buffer.from("y");
    }
    await expect(storage.put("usage_logs/x", content())).rejects.toThrow(/missing/);
    expect(await filesIn(folder)).toEqual([]);
  });

  test("a disk that is read-only: nothing is deleted, and the reason is told", async () => {
    mount("-o", "remount,ro", folder);
    await expect(turn()).rejects.toThrow(/is read-only/);
    mount("-o", "remount,rw,size=32m", folder);
    await turn();
    await fill(1);
    mount("-o", "remount,ro", folder);
    await expect(turn()).rejects.toThrow(/is read-only/);
    expect([await countRows(), await failure()]).toEqual([ROWS, expect.stringContaining(`${folder} is read-only`)]);
    mount("-o", "remount,rw", folder);
    expect(await turn()).toMatch(/960 rows$/);
  });
});
