import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { collect, itemsOf } from "@/lib/testing/async-items";
import { FakeS3 } from "@/lib/testing/fake-s3";
import { assertRows } from "./assert-rows";
import { type ArchiveRow, LOG_ARCHIVE_COLUMNS } from "./columns";
import { parseArchiveUrl } from "./config";
import { FolderStorage } from "./folder-storage";
import { readJsonLines, writeJsonLines } from "./jsonl";
import { listArchives } from "./list-archives";
import type { Manifest } from "./manifest";
import { archiveName, archiveOf, dataName, manifestName } from "./names";
import { openStorage } from "./open-storage";
import { parseRange } from "./range";
import { readMerged, readRows } from "./read-rows";
import type { ArchiveStorage } from "./storage";
import { verifyArchive } from "./verify-archive";
import { writeArchive } from "./write-archive";

const day = Date.UTC(2026, 10, 24) / 1000;
const DAY = 86_400;

function row(at: number, id: number, own: ArchiveRow = {}): ArchiveRow {
  const values = {
    int32: -3,
    int64: Number.MAX_SAFE_INTEGER,
    boolean: true,
    text: 'line\n"é😀\u2028',
    json: '{"a":[1,"b\\n"]}',
  };
  const cells = LOG_ARCHIVE_COLUMNS.map(({ name, type, nullable }) => [name, nullable && id % 2 ? null : values[type]]);
  return { ...Object.fromEntries(cells), id, created_at: at, request_id: `r${id}`, ...own };
}

const write = (storage: ArchiveStorage, rows: ArchiveRow[], format: "jsonl" | "parquet" = "jsonl", from = day) =>
  writeArchive(storage, { from, until: from + DAY, format, schema: "1", rows: itemsOf(rows) });

describe("the address of the archives", () => {
  test("a folder, or a bucket with prefix, endpoint and region", () => {
    expect(parseArchiveUrl("folder:/srv/a b")).toEqual({ kind: "folder", path: "/srv/a b" });
    expect(parseArchiveUrl("s3://my-bucket/a/b/?endpoint=http://10.0.0.1:9000&region=x&path-style=1")).toEqual({
      kind: "s3",
      bucket: "my-bucket",
      prefix: "a/b/",
      endpoint: "http://10.0.0.1:9000",
      region: "x",
      hasPathStyle: true,
    });
    expect(parseArchiveUrl("s3://my-bucket")).toMatchObject({ prefix: "", endpoint: null, hasPathStyle: false });
  });

  test.each([
    "",
    "/srv/x",
    "folder:relative",
    "s3://",
    "s3://key:secret@bucket",
    "s3://bucket/a/../../b",
    "s3://bucket/%2e%2e/b",
    "s3://bucket?endpoint=ftp://x",
    "s3://bucket?endpoint=http://user:pw@x",
    "s3://bucket?acl=public-read",
  ])("%s is refused, and no secret of it is repeated", (url) => {
    expect(() => parseArchiveUrl(url)).toThrow(/^WEIR_ARCHIVE_URL cannot be used: (?!.*(secret|pw)).*\.$/);
  });
});

test("a range is of UTC, whatever the machine's time zone, and its second end is included", () => {
  expect(parseRange("2026-11-24")).toEqual({ start: day, end: day + DAY });
  expect(parseRange("2026-12")).toEqual({ start: Date.UTC(2026, 11) / 1000, end: Date.UTC(2027, 0) / 1000 });
  expect(parseRange("2024")).toEqual({ start: Date.UTC(2024, 0) / 1000, end: Date.UTC(2025, 0) / 1000 });
  expect(parseRange("2024-02-28..2024-02")).toEqual({
    start: Date.UTC(2024, 1, 28) / 1000,
    end: Date.UTC(2024, 2) / 1000,
  });
  for (const text of [
    "",
    "x",
    "2026-13",
    "2026-02-30",
    "2026-1",
    "2026-11-24..2026-11-23",
    "2026..2027..2028",
    "..2026",
  ]) {
    expect(() => parseRange(text)).toThrow(/is no range/);
  }
});

test("no name leads out of the archive", () => {
  const name = archiveName(day, day + DAY, "0a1b2c3d4e5f");
  expect(name).toBe("usage_logs/2026/11/20261124T000000Z-20261125T000000Z-0a1b2c3d4e5f");
  expect(archiveOf(manifestName(name))).toBe(name);
  expect(archiveOf(`../${manifestName(name)}`)).toBeNull();
  expect(archiveOf("usage_logs/2026/11/../../../etc/passwd.manifest.json")).toBeNull();
  expect(() => dataName(`${name}/../../x`, "jsonl")).toThrow(/not the name/);
  expect(() => archiveName(day, day + DAY, "../../../x")).toThrow(/not the name/);
});

describe("in a folder", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "weir-archive-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test("a name or a link that leads elsewhere is refused", async () => {
    const storage = new FolderStorage(folder);
    await expect(storage.put("../out", itemsOf(Buffer.from("x")))).rejects.toThrow(/leads out/);
    await expect(storage.readRange("a/../../out", 0, 1)).rejects.toThrow(/leads out/);
    const outside = await mkdtemp(join(tmpdir(), "weir-outside-"));
    await symlink(outside, join(folder, "usage_logs"));
    await expect(write(storage, [row(day, 1)])).rejects.toThrow(/by a link/);
    await rm(outside, { recursive: true });
  });

  test("a failure in the middle leaves nothing that looks like an archive, and an unfinished file is not listed", async () => {
    const storage = new FolderStorage(folder);
    async function* broken(): AsyncGenerator<ArchiveRow[]> {
      yield [row(day, 1)];
      throw new Error("the database is gone");
    }
    const archive = { from: day, until: day + DAY, format: "jsonl", schema: "1", rows: broken() } as const;
    await expect(writeArchive(storage, archive)).rejects.toThrow("the database is gone");
    await mkdir(join(folder, "usage_logs", "2026", "11", "x.partial"), { recursive: true });
    expect(await collect(storage.list())).toEqual([]);
  });

  test.each(["jsonl", "parquet"] as const)("%s gives back every value, over several row groups", async (format) => {
    const storage = new FolderStorage(folder);
    const rows = Array.from({ length: 10_010 }, (_, n) => row(day + n, n));
    const manifest = (await write(storage, rows, format))?.manifest as Manifest;
    expect(manifest).toMatchObject({ rows: 10_010, format, from: day });
    const read = (await collect(readRows(storage, manifest))).flat();
    expect(read.length).toBe(rows.length);
    expect(read[0]).toEqual(rows[0]);
    expect(read[10_001]).toEqual(rows[10_001]);
    expect(read.at(-1)).toEqual(rows.at(-1));
  });

  test("rows of another time, out of order or twice are refused before anything relies on the archive", async () => {
    const storage = new FolderStorage(folder);
    await expect(write(storage, [row(day - 1, 1)])).rejects.toThrow(/another time/);
    await expect(write(storage, [row(day + DAY, 1)])).rejects.toThrow(/another time/);
    await expect(write(storage, [row(day, 2), row(day, 1)])).rejects.toThrow(/out of order/);
    await expect(write(storage, [row(day, 2), row(day, 2)])).rejects.toThrow(/out of order/);
    expect(await listArchives(storage)).toEqual([]);
  });

  test("archives that overlap are read in order, each row once", async () => {
    const storage = new FolderStorage(folder);
    const first = [row(day + 1, 5), row(day + 2, 6), row(day + 9, 7)];
    const again = [row(day + 1, 5), row(day + 1, 8), row(day + 2, 6), row(day + 9, 7)];
    const next = [row(day + DAY, 9)];
    await write(storage, first);
    await write(storage, again, "parquet");
    await write(storage, next, "jsonl", day + DAY);
    const manifests = (await listArchives(storage)).map(({ manifest }) => manifest as Manifest);
    const ids = async (from: number, until: number) =>
      (await collect(readMerged(storage, manifests, { from, until }))).map(({ id }) => id);
    expect(await ids(0, day + 2 * DAY)).toEqual([5, 8, 6, 7, 9]);
    expect(await ids(day + 2, day + DAY)).toEqual([6, 7]);
  });
});

test.each([
  ["a text where a number belongs", { quota: "1" }],
  ["a number that PostgreSQL has no room for", { user_id: 2 ** 31 }],
  ["a number that JavaScript does not hold", { quota: 2 ** 53 }],
  ["nothing where a value must be", { content: null }],
  ["a NUL in a text", { content: "a\0b" }],
  ["a NUL in JSON", { other: '{"a":"\\u0000"}' }],
  ["half of a pair of surrogates", { content: "\ud800" }],
  ["half of a pair of surrogates in JSON", { other: '{"a":"\\ud83d"}' }],
  ["JSON in JSON without end", { other: `${"[".repeat(501)}${"]".repeat(501)}` }],
] as [string, ArchiveRow][])("%s in a row is no archive that can be relied on", async (_name, own) => {
  expect(() => assertRows([row(day, 2, own)], LOG_ARCHIVE_COLUMNS)).toThrow(/The row 2 has a wrong value/);
  for (const other of ['{"a":"\\\\u0000"}', '{"a":"\\ud83d\\ude00"}', `{"a":"${"[".repeat(2_000)}"}`]) {
    expect(() => assertRows([row(day, 2, { other })], LOG_ARCHIVE_COLUMNS)).not.toThrow();
  }
});

test("a file that is no archive, or ends too early, is told from one", async () => {
  const whole = Buffer.concat(await collect(writeJsonLines(itemsOf([row(day, 1), row(day, 2)]), LOG_ARCHIVE_COLUMNS)));
  const read = (file: Uint8Array) => collect(readJsonLines(itemsOf(file), LOG_ARCHIVE_COLUMNS));
  expect((await read(whole)).flat()).toEqual([row(day, 1), row(day, 2)]);
  await expect(read(whole.subarray(0, whole.length - 10))).rejects.toThrow(/cannot be read/);
  await expect(read(Buffer.from("no gzip"))).rejects.toThrow(/cannot be read/);
});

describe("in a bucket", () => {
  const s3 = new FakeS3();
  let url: string;
  let storage: ArchiveStorage;
  const before = { ...process.env };
  beforeAll(async () => {
    Object.assign(process.env, s3.environment);
    url = await s3.start();
    storage = await openStorage(parseArchiveUrl(url));
  });
  afterAll(async () => {
    storage.close();
    for (const name of Object.keys(s3.environment)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    await s3.stop();
  });
  afterEach(() => {
    s3.refuse = () => null;
    s3.cut = () => false;
    s3.delayMs = 0;
    s3.objects.clear();
    s3.calls.length = 0;
  });

  test.each(["jsonl", "parquet"] as const)("%s is stored, listed page by page, verified and read", async (format) => {
    for (const n of [0, 1, 2]) await write(storage, [row(day + n * DAY, n)], format, day + n * DAY);
    const listed = await listArchives(storage);
    expect(listed.map(({ manifest }) => manifest?.rows)).toEqual([1, 1, 1]);
    for (const { name, sha256 } of listed) await verifyArchive(storage, name, sha256 ?? "");
    expect([...s3.objects.keys()].every((key) => key.startsWith("some/prefix/usage_logs/2026/11/"))).toBe(true);
    const [first] = listed.map(({ manifest }) => manifest as Manifest);
    expect((await collect(readRows(storage, first as Manifest))).flat()).toEqual([row(day, 0)]);
  });

  test("a large file goes in parts, and is whole", async () => {
    const parts = Array.from({ length: 20 }, (_, n) => Buffer.alloc(1_000_003, n));
    expect(await storage.put("large", itemsOf(...parts))).toBe(20_000_060);
    expect(s3.objects.get("some/prefix/large")?.equals(Buffer.concat(parts))).toBe(true);
    expect(s3.calls.filter((call) => call === "PUT partNumber").length).toBe(3);
    expect(s3.uploads.size).toBe(0);
    await storage.put("exact", itemsOf(Buffer.alloc(2 * 8_388_608, 1)));
    expect(s3.objects.get("some/prefix/exact")?.length).toBe(2 * 8_388_608);
  });

  test("a part that fails ends the upload, so that no parts are left to be paid for", async () => {
    s3.refuse = (call) => (call === "PUT partNumber" ? { status: 403, code: "AccessDenied" } : null);
    await expect(storage.put("large", itemsOf(Buffer.alloc(9_000_000)))).rejects.toThrow(/AccessDenied/);
    expect([s3.uploads.size, s3.objects.size]).toEqual([0, 0]);
  });

  test("a server that is busy for a moment is asked again", async () => {
    let refusals = 2;
    s3.refuse = () => (refusals-- > 0 ? { status: 503, code: "SlowDown" } : null);
    await storage.put("small", itemsOf(Buffer.from("x")));
    expect(s3.objects.size).toBe(1);
  });

  test("a server that is slow, and a connection that breaks in the middle of an upload, cost time and nothing else", async () => {
    s3.delayMs = 150;
    let cuts = 2;
    s3.cut = (call) => call === "PUT partNumber" && cuts-- > 0;
    expect(await storage.put("large", itemsOf(Buffer.alloc(9_000_000, 7)))).toBe(9_000_000);
    expect(s3.objects.get("some/prefix/large")?.equals(Buffer.alloc(9_000_000, 7))).toBe(true);
    expect(s3.uploads.size).toBe(0);
  });

  test.each([
    ["is cut off for good in the middle of an upload", "PUT partNumber"],
    ["does not confirm the end of an upload", "POST uploadId"],
    ["breaks off while an archive is read back", "GET"],
  ])("a server that %s: nothing relies on the archive, and nothing of it stays", async (_name, call) => {
    s3.cut = (made) => made === call;
    // Random texts, so that gzip leaves more than one part.
    const rows = Array.from({ length: 90 }, (_, n) =>
      row(day + n, n, { content: randomBytes(120_000).toString("base64") }),
    );
    await expect(write(storage, rows)).rejects.toThrow(/bucket bucket does not answer|cannot be read|bytes instead/);
    s3.cut = () => false;
    expect(await listArchives(storage)).toEqual([]);
    expect([s3.uploads.size, s3.objects.size]).toEqual([0, 0]);
  });

  test.each(["PUT", "GET"])("a bucket that refuses %s fails with the reason, without the keys", async (refused) => {
    s3.refuse = (call) => (call === refused ? { status: 403, code: "AccessDenied" } : null);
    const failure = await write(storage, [row(day, 1)]).then(
      () => "",
      (error: Error) => error.message,
    );
    expect(failure).toMatch(/The bucket bucket does not answer as it should.*AccessDenied/);
    expect(failure).not.toContain(s3.environment.AWS_SECRET_ACCESS_KEY);
    expect(s3.objects.size).toBe(0);
  });

  test("wrong keys are refused", async () => {
    process.env.AWS_SECRET_ACCESS_KEY = "wrong";
    const other = await openStorage(parseArchiveUrl(url));
    await expect(other.put("x", itemsOf(Buffer.from("x")))).rejects.toThrow(/SignatureDoesNotMatch/);
    process.env.AWS_SECRET_ACCESS_KEY = s3.environment.AWS_SECRET_ACCESS_KEY;
    other.close();
  });
});
