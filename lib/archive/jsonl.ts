import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { createGunzip, createGzip } from "node:zlib";
import type { ArchiveColumn, ArchiveRow } from "./columns";
import { ArchiveError } from "./storage";

const GZIP_LEVEL = 6;
const BATCH = 1_000;
/** Rows are given on together until their lines have come to so many characters. */
const BATCH_CHARACTERS = 8_388_608;
/** A row is at most some hundred kilobytes; more is no row of the log. */
const LINE_CHARACTERS_MAX = 16_777_216;

/** One JSON object a line, compressed by gzip. */
export async function* writeJsonLines(
  batches: AsyncIterable<readonly ArchiveRow[]>,
  columns: readonly ArchiveColumn[],
): AsyncGenerator<Uint8Array> {
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const rows of batches) yield Buffer.from(rows.map((row) => toLine(row, columns)).join(""));
  }
  const zipped = createGzip({ level: GZIP_LEVEL });
  const running = pipeline(Readable.from(lines()), zipped);
  // The reader below gets the same failure.
  running.catch(() => {});
  for await (const part of zipped) yield part as Buffer;
  await running;
}

/** JSON goes into the line as it is, so that no number is rounded. */
function toLine(row: ArchiveRow, columns: readonly ArchiveColumn[]): string {
  const fields = columns.map(({ name, type }) => {
    const value = row[name] ?? null;
    return `${JSON.stringify(name)}:${type === "json" && value !== null ? value : JSON.stringify(value)}`;
  });
  return `{${fields.join(",")}}\n`;
}

/** Throws ArchiveError when the bytes are not such a file. */
export async function* readJsonLines(
  bytes: AsyncIterable<Uint8Array>,
  columns: readonly ArchiveColumn[],
): AsyncGenerator<ArchiveRow[]> {
  const unzipped = createGunzip();
  const running = pipeline(bytes, unzipped);
  running.catch(() => {});
  try {
    let rows: ArchiveRow[] = [];
    let characters = 0;
    for await (const line of splitLines(unzipped)) {
      rows.push(fromLine(line, columns));
      characters += line.length;
      if (rows.length < BATCH && characters < BATCH_CHARACTERS) continue;
      yield rows;
      [rows, characters] = [[], 0];
    }
    if (rows.length > 0) yield rows;
    await running;
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw new ArchiveError(`The file cannot be read: ${(error as Error).message}`, { cause: error });
  } finally {
    unzipped.destroy();
  }
}

async function* splitLines(source: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  // In pieces: a line that never ends would be copied and searched again with every part.
  let held: string[] = [];
  let size = 0;
  for await (const part of source) {
    const [first = "", ...others] = decoder.write(part).split("\n");
    held.push(first);
    size += first.length;
    const rest = others.pop();
    if (rest !== undefined) {
      yield held.join("");
      yield* others;
      held = [rest];
      size = rest.length;
    }
    if (size > LINE_CHARACTERS_MAX) throw new ArchiveError("A line is too long.");
  }
  if (size > 0 || decoder.end() !== "") throw new ArchiveError("The last line is not whole.");
}

function fromLine(line: string, columns: readonly ArchiveColumn[]): ArchiveRow {
  const parsed: Record<string, unknown> = JSON.parse(line);
  return Object.fromEntries(
    columns.map(({ name, type }) => {
      const value = parsed[name] ?? null;
      return [name, type === "json" && value !== null ? JSON.stringify(value) : value];
    }),
  ) as ArchiveRow;
}
