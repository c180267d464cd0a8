import { gunzipSync, gzipSync } from "node:zlib";
import {
  type AsyncBuffer,
  parquetMetadataAsync,
  parquetReadObjects,
  type RowGroup,
  type SchemaElement,
} from "hyparquet";
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import { type ArchiveColumn, type ArchiveRow, charactersOf } from "./columns";
import { assertMetadata, assertPages, boundsOfGroup, GROUP_ROWS } from "./parquet-check";
import { ArchiveError } from "./storage";
import { assertThrift } from "./thrift-check";

/** A row group ends earlier when its texts have come to so many characters. */
const GROUP_CHARACTERS = 8_388_608;
const READ_ROWS = 1_000;
const FOOTER_BYTES_MAX = 16_777_216;
/** What the texts of a row group may come to when they are read: a dictionary repeats a long one in a few bytes. */
const READ_CHARACTERS_MAX = 134_217_728;

const pack = (bytes: Uint8Array): Uint8Array => gzipSync(bytes);
/** A few bytes may become gigabytes. What `size` may be is looked at before. */
function unpack(bytes: Uint8Array, size: number): Uint8Array {
  return gunzipSync(bytes, { maxOutputLength: Math.max(1, size) });
}

/** Apache Parquet: a row group for at most 10,000 rows, compressed by gzip. */
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
  let characters = 0;
  for await (const rows of batches) {
    for (const row of rows) {
      held.push(row);
      characters += charactersOf(row);
      if (held.length < GROUP_ROWS && characters < GROUP_CHARACTERS) continue;
      yield held;
      [held, characters] = [[], 0];
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
    assertMetadata(metadata);
    let rowStart = 0;
    for (const group of metadata.row_groups) {
      const rowEnd = rowStart + Number(group.num_rows);
      const held = await holdGroup(file, group);
      const rows = await parquetReadObjects({ file: held, metadata, rowStart, rowEnd, compressors: { GZIP: unpack } });
      if (rows.length !== rowEnd - rowStart) throw new ArchiveError("A row group is not whole.");
      let characters = 0;
      for (let at = 0; at < rows.length; at += READ_ROWS) {
        const part = rows.slice(at, at + READ_ROWS).map((row) => fromParquet(row, columns));
        for (const row of part) characters += charactersOf(row);
        if (characters > READ_CHARACTERS_MAX) throw new ArchiveError("The texts of a row group are too long.");
        yield part;
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
  const end = file.byteLength - 8;
  const length = new DataView(await file.slice(end)).getUint32(0, true);
  if (length > FOOTER_BYTES_MAX) throw new ArchiveError("The footer is too large.");
  if (length > end) throw new ArchiveError("The file is no Parquet.");
  assertThrift(new DataView(await file.slice(end - length, end)), 0);
}

/** The columns of a row group lie beside each other. They are read once, looked at, and read out of memory. */
async function holdGroup(file: AsyncBuffer, group: RowGroup): Promise<AsyncBuffer> {
  const { start, end } = boundsOfGroup(group, file.byteLength);
  const held = await file.slice(start, end);
  assertPages(group, held, { from: start, unpack });
  return {
    byteLength: file.byteLength,
    slice(from, until = file.byteLength) {
      if (from < start || until > end) throw new ArchiveError("A column is not within its row group.");
      return held.slice(from - start, until - start);
    },
  };
}

function fromParquet(row: Record<string, unknown>, columns: readonly ArchiveColumn[]): ArchiveRow {
  return Object.fromEntries(
    columns.map(({ name }) => {
      const value = row[name] ?? null;
      return [name, typeof value === "bigint" ? Number(value) : value];
    }),
  ) as ArchiveRow;
}
