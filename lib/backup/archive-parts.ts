import { createHash } from "node:crypto";
import { DamagedBackup } from "./backup-error";
import { PART, type Part, parsePart } from "./manifest";

const HEAD_BYTES = 5;
const PART_BYTES_MAX = 1_073_741_824;
const LINE_BREAK = 10;

/**
 * Each part as its kind (one byte), its length (four bytes) and its content. Adds the ends with counts and checksums;
 * counts the rows in `report`, too.
 */
export async function* encodeParts(parts: AsyncIterable<Part>, report = { rows: 0 }): AsyncGenerator<Buffer> {
  const all = createHash("sha256");
  let table = newTally("");
  let tables = 0;
  for await (const part of parts) {
    if (part.kind === PART.rows) {
      count(table, part.bytes);
      yield headOf(PART.rows, part.bytes.length);
      yield part.bytes;
      continue;
    }
    if (part.kind === PART.table) table = newTally(part.value.name);
    const value = part.kind === PART.tableEnd ? endOf(table) : part.value;
    if (part.kind === PART.tableEnd) {
      tables += 1;
      report.rows += table.rows;
    }
    yield encodeOne(part.kind, value, all);
  }
  yield encodeOne(PART.end, { tables, rows: report.rows, sha256: all.copy().digest("hex") }, all);
}

type Tally = { name: string; rows: number; hash: ReturnType<typeof createHash> };

const newTally = (name: string): Tally => ({ name, rows: 0, hash: createHash("sha256") });
const endOf = ({ name, rows, hash }: Tally) => ({ name, rows, sha256: hash.digest("hex") });

/** COPY's text format ends each row with a line break and has none elsewhere. */
function count(tally: Tally, bytes: Buffer): void {
  tally.hash.update(bytes);
  for (let at = bytes.indexOf(LINE_BREAK); at >= 0; at = bytes.indexOf(LINE_BREAK, at + 1)) tally.rows += 1;
}

function headOf(kind: number, length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head[0] = kind;
  head.writeUInt32BE(length, 1);
  return head;
}

function encodeOne(kind: number, value: unknown, all: ReturnType<typeof createHash>): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  all.update(body);
  return Buffer.concat([headOf(kind, body.length), body]);
}

/** The parts of an archive. Throws DamagedBackup where a count, a checksum or the end is not as it was written. */
export async function* decodeParts(source: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const all = createHash("sha256");
  let table: Tally | null = null;
  let [tables, rows, isWhole] = [0, 0, false];
  for await (const { kind, bytes } of splitParts(source)) {
    if (isWhole) throw new DamagedBackup("something follows its end");
    const part = parsePart(kind, bytes);
    if (part.kind === PART.rows) {
      if (!table) throw new DamagedBackup("rows without a table");
      count(table, part.bytes);
    } else if (part.kind === PART.end) {
      isWhole = true;
      const { value } = part;
      if (value.tables !== tables || value.rows !== rows || value.sha256 !== all.digest("hex")) {
        throw new DamagedBackup("its checksum is wrong");
      }
    } else {
      all.update(bytes);
      if (part.kind === PART.table) table = newTally(part.value.name);
      if (part.kind === PART.tableEnd) {
        if (!table) throw new DamagedBackup("the end of a table that did not begin");
        const end = endOf(table);
        if (JSON.stringify(end) !== JSON.stringify(part.value)) {
          throw new DamagedBackup(`the checksum of the table ${end.name} is wrong`);
        }
        tables += 1;
        rows += end.rows;
        table = null;
      }
    }
    yield part;
  }
  if (!isWhole) throw new DamagedBackup("its end is missing");
}

async function* splitParts(source: AsyncIterable<Buffer>): AsyncGenerator<{ kind: number; bytes: Buffer }> {
  let held: Buffer[] = [];
  let size = 0;
  let needed = HEAD_BYTES;
  for await (const piece of source) {
    held.push(piece);
    size += piece.length;
    if (size < needed) continue;
    let bytes = held.length === 1 ? piece : Buffer.concat(held);
    for (;;) {
      needed = HEAD_BYTES;
      if (bytes.length < HEAD_BYTES) break;
      const length = bytes.readUInt32BE(1);
      if (length > PART_BYTES_MAX) throw new DamagedBackup("a part is too long");
      needed = HEAD_BYTES + length;
      if (bytes.length < needed) break;
      yield { kind: bytes[0] ?? 0, bytes: bytes.subarray(HEAD_BYTES, needed) };
      bytes = bytes.subarray(needed);
    }
    held = [bytes];
    size = bytes.length;
  }
  if (size > 0) throw new DamagedBackup("its end is missing");
}
