import { gunzipSync, gzipSync } from "node:zlib";
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects, type SchemaElement } from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { ArchiveError } from "./archive-error";
import type { ArchiveColumn, ArchiveRow } from "./columns";

/** Rows of a row group, all of which are in memory at once. */
const GROUP_ROWS = 10_000;
const READ_ROWS = 1_000;

const pack = (bytes: Uint8Array): Uint8Array => gzipSync(bytes);
const unpack = (bytes: Uint8Array): Uint8Array => gunzipSync(bytes);

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
    const metadata = await parquetMetadataAsync(file);
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

function fromParquet(row: Record<string, unknown>, columns: readonly ArchiveColumn[]): ArchiveRow {
  return Object.fromEntries(
    columns.map(({ name }) => {
      const value = row[name] ?? null;
      return [name, typeof value === "bigint" ? Number(value) : value];
    }),
  ) as ArchiveRow;
}
