import { crc32 } from "node:zlib";

/** Line kinds: the owner, a settlement, the cost of a running request, requests that are done. */
export const LINE = { owner: "h", settlement: "s", note: "p", done: "d" } as const;

/**
 * Files of records. The version before wrote frames into files without it; it does not look at these, so that it never
 * takes what it cannot read for damaged.
 */
export const RECORDS = ".records";
/** Files that were damaged: replayed as far as they could be read, and kept. */
export const DAMAGED = ".damaged";

/** What is readable in a file. */
export type FileRecords = {
  lines: string[];
  /** Where something is unreadable, missing or repeated. */
  damagedPlaces: number;
  /** True = the file ends in the middle of a record, as one does that is being written. */
  isEndOpen: boolean;
};

const START = "\x1e";
const END = "\n";
const [START_BYTE, END_BYTE] = [0x1e, 10];
const SUM_DIGITS = 8;
const DIGITS = Buffer.from("0123456789abcdef");
/** Beside its text: marks, checksum, number and kind. */
const MOST_AROUND = 24;
/** UTF-8 has at most so many bytes for a unit of a string. */
const BYTES_PER_UNIT = 3;
const FIRST_BYTES = 65_536;
/** A larger buffer, which an outage has filled, is not kept. */
const KEPT_BYTES = 1_048_576;

export type JournalLine = { kind: string; text: string };

/**
 * Each line becomes a record: a mark, a checksum, the record's number in the file, the line, and a mark. JSON contains
 * neither mark, so that reading finds the next record after a damaged one. The checksum includes the file's name: records
 * of another file are not taken for its own.
 */
export class RecordEncoder {
  private buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  private used = 0;

  /** In a buffer that is used again: the bytes are valid until the next call. */
  encode(fileName: string, from: number, lines: Iterable<JournalLine>): Buffer {
    if (this.buffer.length > KEPT_BYTES) this.buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.used = 0;
    const seed = crc32(fileName);
    let number = from;
    for (const line of lines) this.add(line, number++, seed);
    return this.buffer.subarray(0, this.used);
  }

  private add({ kind, text }: JournalLine, number: number, seed: number): void {
    this.makeRoom(MOST_AROUND + text.length * BYTES_PER_UNIT);
    const { buffer } = this;
    const start = this.used;
    const body = start + START.length + SUM_DIGITS;
    let at = body + buffer.write(`${number}${kind}`, body);
    at += buffer.write(text, at);
    let sum = crc32(buffer.subarray(body, at), seed);
    buffer[start] = START_BYTE;
    for (let digit = body - 1; digit > start; digit--) {
      buffer[digit] = DIGITS[sum & 15] ?? 0;
      sum >>>= 4;
    }
    buffer[at] = END_BYTE;
    this.used = at + END.length;
  }

  private makeRoom(bytes: number): void {
    if (this.used + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.used + bytes));
    this.buffer.copy(larger, 0, 0, this.used);
    this.buffer = larger;
  }
}

/** `fileName`: of a file that was kept as damaged, too. */
export function readRecords(fileName: string, bytes: Buffer): FileRecords {
  const name = fileName.endsWith(DAMAGED) ? fileName.slice(0, -DAMAGED.length) : fileName;
  return name.endsWith(RECORDS) ? readMarked(name, bytes) : readFrames(bytes);
}

/** Dots match every character: JSON leaves line separators (U+2028, U+2029) as they are. */
const RECORD = /^([0-9a-f]{8})(\d{1,10})([a-z].*)$/s;

function readMarked(name: string, bytes: Buffer): FileRecords {
  const seed = crc32(name);
  const lines: string[] = [];
  const seen = new Set<number>();
  let [damagedPlaces, next, isInDamage] = [0, 0, false];
  const damage = (): void => {
    if (!isInDamage) damagedPlaces += 1;
    isInDamage = true;
  };
  const text = bytes.toString("utf8");
  for (const piece of text.split(END).flatMap((part) => part.split(START))) {
    if (piece === "") continue;
    const intact = openRecord(piece, seed);
    // A mark that was changed belongs to the record before or after it.
    const record = intact ?? openRecord(piece.slice(1), seed) ?? openRecord(piece.slice(0, -1), seed);
    if (!intact || intact.number !== next) damage();
    if (record && !seen.has(record.number)) {
      seen.add(record.number);
      lines.push(record.line);
      next = record.number + 1;
    }
    if (intact) isInDamage = false;
  }
  const isEndOpen = !text.endsWith(END);
  if (isEndOpen) damage();
  return { lines, damagedPlaces, isEndOpen };
}

function openRecord(piece: string, seed: number): { number: number; line: string } | null {
  const [, sum = "", number = "", line = ""] = RECORD.exec(piece) ?? [];
  if (sum === "" || crc32(number + line, seed) !== Number.parseInt(sum, 16)) return null;
  return { number: Number(number), line };
}

const FRAME_HEADER_BYTES = 8;

/** The version before wrote frames: length, checksum, lines. After a damaged one the next is looked for byte by byte. */
function readFrames(bytes: Buffer): FileRecords {
  const lines: string[] = [];
  let [damagedPlaces, at, isInDamage] = [0, 0, false];
  while (at < bytes.length) {
    const body = frameAt(bytes, at);
    if (body) {
      lines.push(...body.toString("utf8").split("\n"));
      at += FRAME_HEADER_BYTES + body.length;
    } else {
      if (!isInDamage) damagedPlaces += 1;
      at += 1;
    }
    isInDamage = !body;
  }
  if (bytes.length === 0) return { lines, damagedPlaces: 1, isEndOpen: true };
  return { lines, damagedPlaces, isEndOpen: isInDamage };
}

const KINDS: ReadonlySet<number> = new Set(Object.values(LINE).map((kind) => kind.charCodeAt(0)));

function frameAt(bytes: Buffer, at: number): Buffer | null {
  const start = at + FRAME_HEADER_BYTES;
  // Few other places look like a beginning, so that a long file is not summed up at each byte.
  if (start >= bytes.length || !KINDS.has(bytes[start] ?? 0)) return null;
  const end = start + bytes.readUInt32LE(at);
  if (end > bytes.length) return null;
  const body = bytes.subarray(start, end);
  return crc32(body) === bytes.readUInt32LE(at + 4) ? body : null;
}
