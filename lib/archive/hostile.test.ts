import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGzip, gunzipSync, gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collect, itemsOf } from "@/lib/testing/async-items";
import { type ArchiveRow, charactersOf, LOG_ARCHIVE_COLUMNS } from "./columns";
import { FolderStorage } from "./folder-storage";
import { readJsonLines, writeJsonLines } from "./jsonl";
import { listArchives } from "./list-archives";
import { encodeManifest, type Manifest } from "./manifest";
import { dataName, manifestName } from "./names";
import { readParquet, writeParquet } from "./parquet";
import { ArchiveError } from "./storage";
import { assertThrift } from "./thrift-check";
import { verifyArchive } from "./verify-archive";
import { writeArchive } from "./write-archive";

// Archives that somebody made to harm who reads them, or that a disk has damaged.

const day = Date.UTC(2026, 10, 24) / 1000;
const DAY = 86_400;
const pack = (content: Uint8Array) => gzipSync(content);

function row(id: number, own: ArchiveRow = {}): ArchiveRow {
  const values = { int32: 1, int64: 2, boolean: false, text: "text", json: "{}" };
  const cells = LOG_ARCHIVE_COLUMNS.map(({ name, type, nullable }) => [name, nullable && id % 2 ? null : values[type]]);
  return { ...Object.fromEntries(cells), id, created_at: day + id, ...own };
}
const rowsOf = (count: number, own: ArchiveRow = {}) => Array.from({ length: count }, (_, n) => row(n, own));

test("compressed lines without end are read without being held, and a line that is none ends it", async () => {
  const line = Buffer.from(`${"x".repeat(1_000_000)}`);
  async function* bomb(): AsyncGenerator<Uint8Array> {
    const zipped = createGzip();
    void (async () => {
      for (let n = 0; n < 80; n++) if (!zipped.write(line)) await new Promise((done) => zipped.once("drain", done));
      zipped.end();
    })();
    yield* zipped as AsyncIterable<Uint8Array>;
  }
  await expect(collect(readJsonLines(bomb(), LOG_ARCHIVE_COLUMNS))).rejects.toThrow(/too long/);
});

describe("a Parquet file that is made to harm", () => {
  const asFile = (file: Uint8Array) => ({
    byteLength: file.length,
    slice: async (start: number, end = file.length) => Uint8Array.from(file.subarray(start, end)).buffer as ArrayBuffer,
  });
  const read = (file: Uint8Array) => collect(readParquet(asFile(file), LOG_ARCHIVE_COLUMNS));
  const columnData = (count: number) =>
    LOG_ARCHIVE_COLUMNS.map(({ name }) => ({ name, data: Array.from({ length: count }, () => "x") }));

  test("a row group of more rows than Weir writes is refused before it is read", async () => {
    const file = new Uint8Array(
      parquetWriteBuffer({
        columnData: columnData(10_001),
        rowGroupSize: 20_000,
        codec: "GZIP",
        compressors: { GZIP: pack },
      }),
    );
    await expect(read(file)).rejects.toThrow(/10001 rows; 10000 are allowed/);
  });

  test("a compression that is not Weir's, a footer of gigabytes, and a few bytes that are no Parquet are refused", async () => {
    await expect(read(new Uint8Array(parquetWriteBuffer({ columnData: columnData(10) })))).rejects.toThrow(
      /not compressed by gzip/,
    );
    const footer = Buffer.from("PAR1....\xff\xff\xff\x7fPAR1", "latin1");
    await expect(read(footer)).rejects.toThrow(/footer is too large/);
    await expect(read(Buffer.from("PAR1"))).rejects.toThrow(/no Parquet/);
  });

  test("a page that becomes more than it says is refused", async () => {
    const lying = (bytes: Uint8Array) => gzipSync(Buffer.concat([bytes, Buffer.alloc(1_000_000)]));
    const file = parquetWriteBuffer({ columnData: columnData(10), codec: "GZIP", compressors: { GZIP: lying } });
    await expect(read(new Uint8Array(file))).rejects.toThrow(/cannot be read/);
  });

  /** What a file says of its 10,000 values, as a number of three bytes, and one that says a million. */
  const [WHOLE, HUGE] = [Buffer.from([0xa0, 0x9c, 0x01]), Buffer.from([0xfe, 0xff, 0x7f])];

  test("wherever it claims a million values instead of its ten thousand, it is refused", async () => {
    const parts = await collect(writeParquet(itemsOf(rowsOf(10_000)), LOG_ARCHIVE_COLUMNS));
    const file = Buffer.concat(parts);
    expect((await read(file)).flat().length).toBe(10_000);
    let refused = 0;
    for (let at = file.indexOf(WHOLE); at >= 0; at = file.indexOf(WHOLE, at + 1)) {
      const lying = Buffer.from(file);
      HUGE.copy(lying, at);
      const outcome = await read(lying).then(
        (found) => found.flat().length,
        (error) => error,
      );
      // The number of all rows in the footer is only for those who ask for it.
      if (outcome !== 10_000) expect(outcome).toBeInstanceOf(ArchiveError);
      refused += outcome === 10_000 ? 0 : 1;
    }
    // Two in each page, and those of the footer.
    expect(refused).toBeGreaterThan(2 * LOG_ARCHIVE_COLUMNS.length);
  });

  test("a run of more values than its page has is refused, packed in the page or among the levels before it", async () => {
    const lies = { pages: 0 };
    const lying = (page: Uint8Array) => {
      const at = Buffer.from(page).indexOf(WHOLE);
      if (at >= 0) page.set(HUGE, at);
      lies.pages += at >= 0 ? 1 : 0;
      return gzipSync(page);
    };
    const file = parquetWriteBuffer({
      columnData: [{ name: "username", data: Array.from({ length: 10_000 }, () => "the same") }],
      rowGroupSize: 10_000,
      codec: "GZIP",
      compressors: { GZIP: lying },
    });
    expect(lies.pages).toBeGreaterThan(0);
    await expect(read(new Uint8Array(file))).rejects.toThrow(/runs of values/);
  });

  test("a list that announces more than the footer has, and one within the other without end, are refused", () => {
    // A field that is a list of 2^28 structs, and nothing behind it.
    const long = Buffer.from([0x19, 0xfc, 0x80, 0x80, 0x80, 0x80, 0x01, 0, 0, 0]);
    expect(() => assertThrift(new DataView(long.buffer, long.byteOffset, long.length), 0)).toThrow(/not what it says/);
    const deep = Buffer.from([0x19, ...Array.from({ length: 40 }, () => 0x19), 0, 0]);
    expect(() => assertThrift(new DataView(deep.buffer, deep.byteOffset, deep.length), 0)).toThrow(/not what it says/);
  });

  test("a long text that a dictionary repeats for each row is refused before the rows are made use of", async () => {
    const long = "x".repeat(200_000);
    const columnData = LOG_ARCHIVE_COLUMNS.map(({ name }) => ({
      name,
      data: Array.from({ length: 2_000 }, () => long),
    }));
    const file = new Uint8Array(parquetWriteBuffer({ columnData, codec: "GZIP", compressors: { GZIP: pack } }));
    expect(file.length).toBeLessThan(100_000);
    await expect(read(file)).rejects.toThrow(/texts of a row group are too long/);
  });

  test("long texts make smaller row groups, so that none is too large to be read", async () => {
    const rows = rowsOf(20).map((one) => ({ ...one, content: `${one.id}`.padEnd(1_000_000, "x") }));
    const file = Buffer.concat(await collect(writeParquet(itemsOf(rows), LOG_ARCHIVE_COLUMNS)));
    const found = await read(file);
    expect(found.flat()).toEqual(rows);
    expect(Math.max(...found.map((part) => part.length))).toBeLessThan(10);
  });

  test("a file with any byte changed gives rows or the reason, and ends", async () => {
    const file = Buffer.concat(await collect(writeParquet(itemsOf(rowsOf(50)), LOG_ARCHIVE_COLUMNS)));
    for (let at = 0; at < file.length; at += 17) {
      const damaged = Buffer.from(file);
      damaged[at] = (at * 31 + 255) & 255;
      const outcome = await read(damaged).then(
        () => "rows",
        (error) => error,
      );
      if (outcome !== "rows") expect(outcome).toBeInstanceOf(ArchiveError);
    }
  });
});

test("lines of megabytes are given on a few at a time", async () => {
  const packed = Buffer.concat(
    await collect(writeJsonLines(itemsOf(rowsOf(12, { content: "x".repeat(2_000_000) })), LOG_ARCHIVE_COLUMNS)),
  );
  const sizes: number[] = [];
  for await (const rows of readJsonLines(itemsOf(packed), LOG_ARCHIVE_COLUMNS))
    sizes.push(rows.reduce((sum, one) => sum + charactersOf(one), 0));
  expect(packed.length).toBeLessThan(200_000);
  expect([sizes.length, Math.max(...sizes) < 12_000_000]).toEqual([3, true]);
});

describe("an archive whose manifest lies", () => {
  let folder: string;
  let storage: FolderStorage;
  let manifest: Manifest;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "weir-archive-"));
    storage = new FolderStorage(folder);
    const written = await writeArchive(storage, {
      from: day,
      until: day + DAY,
      format: "jsonl",
      schema: "1",
      rows: itemsOf(rowsOf(3)),
    });
    manifest = written?.manifest as Manifest;
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** Other lines under the same name, with a manifest that fits them but for `own`. */
  async function replace(lines: (line: string[]) => Iterable<string>, own: Partial<Manifest> = {}): Promise<void> {
    const path = join(folder, dataName(manifest.name, "jsonl"));
    const before = gunzipSync(await readFile(path))
      .toString()
      .trimEnd()
      .split("\n");
    const data = gzipSync([...lines(before), ""].join("\n"));
    await writeFile(path, data);
    const sha256 = createHash("sha256").update(data).digest("hex");
    const encoded = encodeManifest({ ...manifest, bytes: data.length, sha256, ...own });
    await writeFile(join(folder, manifestName(manifest.name)), encoded.bytes);
  }
  const verified = () => verifyArchive(storage, manifest.name);

  test("of its rows, of their sum, of the size or of the columns: it is refused", async () => {
    const same = (lines: string[]) => lines;
    await replace(same);
    await expect(verified()).resolves.toMatchObject({ rows: 3 });
    await replace(same, { rows: 2 });
    await expect(verified()).rejects.toThrow(/more than 2 rows/);
    await replace(same, { rows: Number.MAX_SAFE_INTEGER });
    await expect(verified()).rejects.toThrow(/3 rows instead of/);
    await replace(same, { idSum: "4" });
    await expect(verified()).rejects.toThrow(/rows instead of/);
    await replace(same, { bytes: Number.MAX_SAFE_INTEGER });
    await expect(verified()).rejects.toThrow(/bytes instead of/);
    await replace(same, { format: "parquet" });
    await expect(verified()).rejects.toThrow(/missing/);
    await expect(replace(same, { columns: [{ name: "quota", type: "text", nullable: true }] })).rejects.toThrow();
  });

  const orders: [string, (lines: string[]) => string[], Partial<Manifest>, RegExp][] = [
    ["there twice", (lines) => lines.flatMap((line) => [line, line]), { rows: 6, idSum: "6" }, /out of order/],
    ["in another order", (lines) => lines.toReversed(), {}, /out of order/],
    [
      "of another day",
      (lines) => lines.map((line) => line.replace(`"created_at":${day}`, `"created_at":${day - DAY}`)),
      {},
      /another time/,
    ],
  ];
  test.each(orders)("lines that are %s are refused", async (_name, lines, own, reason) => {
    await replace(lines, own);
    await expect(verified()).rejects.toThrow(reason);
  });

  test("thousands of lines behind those of the manifest end with the first of them", async () => {
    await replace(function* (lines) {
      yield* lines;
      const last = JSON.parse(lines.at(-1) ?? "");
      for (let id = 10; id < 20_000; id++) yield JSON.stringify({ ...last, id });
    });
    await expect(verified()).rejects.toThrow(/more than 3 rows/);
  });

  test("a name or a path that leads out of the archive, in the manifest or in the name of a file, is not followed", async () => {
    const path = join(folder, manifestName(manifest.name));
    const { checksum, ...content } = JSON.parse(await readFile(path, "utf8"));
    expect(checksum).toBe(createHash("sha256").update(JSON.stringify(content)).digest("hex"));
    for (const name of ["../../../etc/passwd", `../${manifest.name}`, `${manifest.name}/../../x`, "/etc/passwd"]) {
      const lying = { ...content, name };
      const own = createHash("sha256").update(JSON.stringify(lying)).digest("hex");
      await writeFile(path, JSON.stringify({ ...lying, checksum: own }));
      await expect(verified()).rejects.toThrow(/cannot be used/);
      await expect(verifyArchive(storage, name)).rejects.toThrow(/not the name of an archive/);
    }
    const [listed] = await listArchives(storage);
    expect(listed?.error).toMatch(/cannot be used/);
  });
});
