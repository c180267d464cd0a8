import type { ColumnMetaData, FileMetaData, RowGroup } from "hyparquet";
import { parquetHeader } from "hyparquet/src/column.js";
import { ArchiveError } from "./storage";
import { assertThrift } from "./thrift-check";

/** Positions in a dictionary of at most 10,000 values. */
const BITS_MAX = 14;

/**
 * Parquet's runs of small numbers: "so many times this one", or groups of eight. Throws ArchiveError unless they come to `count`
 * numbers (the last group may have up to seven more).
 */
function assertRuns(bytes: Uint8Array, bits: number, count: number): void {
  if (bits > BITS_MAX) throw wrong();
  let at = 0;
  for (let seen = 0; seen < count; ) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      if (byte === undefined || shift > 21) throw wrong();
      header |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    const isPacked = (header & 1) === 1;
    const size = header >>> 1;
    seen += isPacked ? size * 8 : size;
    at += isPacked ? size * bits : Math.ceil(bits / 8);
    // What comes behind the last value of a group is filled up; the reader gives less of it than it says.
    if (size === 0 || seen >= count + 8 || (!isPacked && seen > count)) throw wrong();
  }
}

const wrong = (): ArchiveError =>
  new ArchiveError("A page has runs of values that do not come to its number of values.");

// hyparquet believes what a file says of itself, so a few bytes could make it fill the memory or never end. Only what Weir itself
// writes comes to it: flat columns, these pages and encodings, and no page that claims more than it has.

/** Rows of a row group, all of which are in memory at once. */
export const GROUP_ROWS = 10_000;
/** What the columns of a row group may come to, unpacked. Weir writes at most a quarter of it. */
const GROUP_BYTES_MAX = 134_217_728;
const GROUPS_MAX = 10_000;
const TYPES = new Set(["INT32", "INT64", "BOOLEAN", "BYTE_ARRAY"]);
const ENCODINGS = new Set(["PLAIN", "RLE", "RLE_DICTIONARY"]);

type Unpack = (bytes: Uint8Array, size: number) => Uint8Array;
type Header = ReturnType<typeof parquetHeader>;

export function assertMetadata({ schema, row_groups: groups }: FileMetaData): void {
  const [root, ...columns] = schema;
  const isFlat = columns.every(
    (one) =>
      TYPES.has(one.type ?? "") &&
      !one.num_children &&
      one.repetition_type !== "REPEATED" &&
      !one.logical_type &&
      (one.converted_type === undefined || one.converted_type === "UTF8"),
  );
  if (root?.num_children !== columns.length || !isFlat) throw new ArchiveError("It has other columns than an archive.");
  if (groups.length > GROUPS_MAX) throw new ArchiveError("There are too many row groups.");
  for (const group of groups) assertGroup(group, columns.length);
}

function assertGroup({ num_rows: rows, columns }: RowGroup, width: number): void {
  if (rows < 0 || rows > GROUP_ROWS) throw new ArchiveError(`A row group has ${rows} rows; ${GROUP_ROWS} are allowed.`);
  const parts = columns.map(({ meta_data: column }) => column);
  if (parts.length !== width) throw new ArchiveError("A row group has other columns than the file.");
  if (parts.some((column) => column?.codec !== "GZIP")) throw new ArchiveError("A column is not compressed by gzip.");
  if (parts.some((column) => column?.num_values !== rows))
    throw new ArchiveError("A column has another number of values than its rows.");
}

/** Where the columns of a row group are in the file: [start, end). */
export function boundsOfGroup({ columns }: RowGroup, fileBytes: number): { start: number; end: number } {
  const ranges = columns.map(({ meta_data: column }) => boundsOf(column));
  const start = Math.min(...ranges.map((range) => range.start));
  const end = Math.max(...ranges.map((range) => range.end));
  if (!(start >= 0 && end <= fileBytes && ranges.every((range) => range.start <= range.end)))
    throw new ArchiveError("A column is not within the file.");
  if (end - start > GROUP_BYTES_MAX) throw new ArchiveError("A row group is too large.");
  return { start, end };
}

function boundsOf(column: ColumnMetaData | undefined): { start: number; end: number } {
  const start = Number(column?.dictionary_page_offset || column?.data_page_offset);
  return { start, end: start + Number(column?.total_compressed_size) };
}

/** `held`: the file from `from` on, with all columns of the row group. */
export function assertPages(
  group: RowGroup,
  held: ArrayBuffer,
  { from, unpack }: { from: number; unpack: Unpack },
): void {
  let unpacked = 0;
  for (const { meta_data: column } of group.columns) {
    const { start, end } = boundsOf(column);
    const view = new DataView(held, start - from, end - start);
    let values = 0;
    for (let at = 0; at < view.byteLength; ) {
      const reader = { view, offset: at };
      assertThrift(view, at);
      const header = parquetHeader(reader);
      unpacked += header.uncompressed_page_size;
      if (unpacked > GROUP_BYTES_MAX) throw new ArchiveError("A page is too large.");
      at = reader.offset + header.compressed_page_size;
      if (!(header.compressed_page_size >= 0 && header.uncompressed_page_size >= 0 && at <= view.byteLength))
        throw new ArchiveError("A page is not within its column.");
      values += assertPage(header, new Uint8Array(held, view.byteOffset + reader.offset, at - reader.offset), unpack);
      if (values > group.num_rows) throw new ArchiveError("A column has more values than its rows.");
    }
  }
}

/** Resolves to the number of its values; 0 for a dictionary. */
function assertPage(header: Header, bytes: Uint8Array, unpack: Unpack): number {
  const dictionary = header.dictionary_page_header;
  if (header.type === "DICTIONARY_PAGE" && dictionary) {
    if (!(dictionary.num_values >= 0 && dictionary.num_values <= GROUP_ROWS))
      throw new ArchiveError("A dictionary has more values than a row group has rows.");
    return 0;
  }
  const page = header.data_page_header_v2;
  if (header.type !== "DATA_PAGE_V2" || !page) throw new ArchiveError(`A page is of another kind: ${header.type}.`);
  const { num_values: count, num_nulls: nulls, definition_levels_byte_length: levels } = page;
  if (!(count >= 0 && count <= GROUP_ROWS && nulls >= 0 && nulls <= count && page.num_rows === count))
    throw new ArchiveError("A page has more values than a row group has rows.");
  if (page.repetition_levels_byte_length !== 0 || !(levels >= 0 && levels <= bytes.length))
    throw new ArchiveError("A page has levels that no archive has.");
  if (page.is_compressed === false || !ENCODINGS.has(page.encoding))
    throw new ArchiveError(`A page is packed in another way: ${page.encoding}.`);
  if (levels > 0) assertRuns(bytes.subarray(0, levels), 1, count);
  else if (nulls > 0) throw new ArchiveError("A page has no levels, but empty values.");
  if (page.encoding === "PLAIN") return count;
  const values = unpack(bytes.subarray(levels), header.uncompressed_page_size - levels);
  // Truth values are bits behind the length of all runs; indexes of a dictionary come behind the number of their bits.
  if (page.encoding === "RLE") assertRuns(values.subarray(4), 1, count - nulls);
  else assertRuns(values.subarray(1), values[0] ?? 0, count - nulls);
  return count;
}
