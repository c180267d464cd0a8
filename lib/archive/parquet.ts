import { gunzipSync, gzipSync } from "node:zlib";
import {
  type AsyncBuffer,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  type SchemaElement,
} from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { ArchiveError } from "./archive-error";
import type { ArchiveColumn, ArchiveRow } from "./columns";

/** Rows of a row group, all of which are in memory at once. */
const GROUP_ROWS = 10_000;
const READ_ROWS = 1_000;
/** What a page of a column may come to; more is no row group of a log. */
const PAGE_BYTES_MAX = 268_435_456;
const FOOTER_BYTES_MAX = 16_777_216;
const GROUPS_MAX = 10_000;

const pack = (bytes: Uint8Array): Uint8Array => gzipSync(bytes);
/** A few bytes may say that they become gigabytes. */
function unpack(bytes: Uint8Array, size: number): Uint8Array {
  if (size > PAGE_BYTES_MAX) throw new ArchiveError("A page is too large.");
  return gunzipSync(bytes, { maxOutputLength: Math.max(1, size) });
}

/** Apache Parquet: a row group for every 10,000 rows, compressed by gzip. */
export async function* writeParquet(
  batches: AsyncIterable<readonly ArchiveRow[]>,
  columns: readonly ArchiveColumn[],
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: schemaOf(columns),
    codec: "GZIP",
    compressors: { GZIP: pack },
    createdBy: "weir",
  });
  const taken = (): Uint8Array => {
    const part = bytes.getBytes().slice();
    bytes.index = 0;
    return part;
  };
  for await (const rows of inGroups(batches)) {
    const columnData = columns.map((column) => ({
      name: column.name,
      data: rows.map((row) => toParquet(row, column)),
    }));
    await parquet.write({ columnData, rowGroupSize: GROUP_ROWS });
    yield taken();
  }
  await parquet.finish();
  yield taken();
}

async function* inGroups(batches: AsyncIterable<readonly ArchiveRow[]>): AsyncGenerator<ArchiveRow[]> {
  let held: ArchiveRow[] = [];
  for await (const rows of batches) {
    held.push(...rows);
    while (held.length >= GROUP_ROWS) {
      yield held.slice(0, GROUP_ROWS);
      held = held.slice(GROUP_ROWS);
    }
  }
  if (held.length > 0) yield held;
}

const BASIC = {
  int32: { type: "INT32" },
  int64: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  // Text as it was stored; as JSON the writer would make a text of it once more.
  json: { type: "BYTE_ARRAY", converted_type: "UTF8" },
} as const;

function schemaOf(columns: readonly ArchiveColumn[]): SchemaElement[] {
  const fields = columns.map(
    ({ name, type, nullable }): SchemaElement => ({
      name,
      ...BASIC[type],
      repetition_type: nullable ? "OPTIONAL" : "REQUIRED",
    }),
  );
  return [{ name: "usage_logs", num_children: fields.length }, ...fields];
}

function toParquet(row: ArchiveRow, { name, type }: ArchiveColumn): unknown {
  const value = row[name] ?? null;
  return type === "int64" && typeof value === "number" ? BigInt(value) : value;
}

/** Throws ArchiveError when the file is no such Parquet. */
export async function* readParquet(file: AsyncBuffer, columns: readonly ArchiveColumn[]): AsyncGenerator<ArchiveRow[]> {
  try {
    await assertFooter(file);
    const metadata = await parquetMetadataAsync(file);
    assertGroups(metadata);
    let rowStart = 0;
    for (const { num_rows: count } of metadata.row_groups) {
      const rowEnd = rowStart + Number(count);
      const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, compressors: { GZIP: unpack } });
      if (rows.length !== Number(count)) throw new ArchiveError("A row group is not whole.");
      for (let at = 0; at < rows.length; at += READ_ROWS) {
        yield rows.slice(at, at + READ_ROWS).map((row) => fromParquet(row, columns));
      }
      rowStart = rowEnd;
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError(`The file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The length of the footer is at its end, and all of it is read at once. */
async function assertFooter(file: AsyncBuffer): Promise<void> {
  if (file.byteLength < 12) throw new ArchiveError("The file is no Parquet.");
  const end = new DataView(await file.slice(file.byteLength - 8));
  if (end.getUint32(0, true) > FOOTER_BYTES_MAX) throw new ArchiveError("The footer is too large.");
}

/** A row group is in memory as a whole. */
function assertGroups({ row_groups: groups }: FileMetaData): void {
  if (groups.length > GROUPS_MAX) throw new ArchiveError("There are too many row groups.");
  for (const { num_rows: rows, columns } of groups) {
    if (rows < 0 || rows > GROUP_ROWS)
      throw new ArchiveError(`A row group has ${rows} rows; ${GROUP_ROWS} are allowed.`);
    const parts = columns.map(({ meta_data: column }) => column);
    if (parts.some((column) => column?.codec !== "GZIP")) throw new ArchiveError("A column is not compressed by gzip.");
    if (parts.some((column) => column?.num_values !== rows))
      throw new ArchiveError("A column has another number of values than its rows.");
  }
}

function fromParquet(row: Record<string, unknown>, columns: readonly ArchiveColumn[]): ArchiveRow {
  return Object.fromEntries(
    columns.map(({ name }) => {
      const value = row[name] ?? null;
      return [name, typeof value === "bigint" ? Number(value) : value];
    }),
  ) as ArchiveRow;
}
