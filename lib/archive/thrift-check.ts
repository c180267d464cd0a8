import { ArchiveError } from "./storage";

/** hyparquet makes an object or a place of an array of each; Weir's footers have some ten thousand. */
const VALUES_MAX = 1_000_000;
const DEPTH_MAX = 16;
const [STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, STRUCT] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12];

/**
 * Walks over a struct in Thrift's compact protocol, which describes a Parquet file and its pages. Throws ArchiveError unless all
 * that it announces is there: a reader makes room for a list before it reads it. Returns where it ends.
 */
export function assertThrift(view: DataView, start: number): number {
  return new Walk(view, start).struct(0);
}

class Walk {
  private readonly view: DataView;
  private at: number;
  private values = 0;

  constructor(view: DataView, start: number) {
    this.view = view;
    this.at = start;
  }

  struct(depth: number): number {
    if (depth > DEPTH_MAX) throw wrong();
    for (;;) {
      const byte = this.byte();
      const type = byte & 15;
      if (type === STOP) return this.at;
      if (byte >> 4 === 0) this.varint();
      this.value(type, depth, false);
    }
  }

  private value(type: number, depth: number, isInList: boolean): void {
    if (++this.values > VALUES_MAX) throw wrong();
    // In a struct the type of a truth value is the value.
    if (type === TRUE || type === FALSE) this.skip(isInList ? 1 : 0);
    else if (type === BYTE) this.skip(1);
    else if (type === I16 || type === I32 || type === I64) this.varint();
    else if (type === DOUBLE) this.skip(8);
    else if (type === BINARY) this.skip(this.varint());
    else if (type === STRUCT) this.struct(depth + 1);
    else if (type === LIST) this.list(depth + 1);
    else throw wrong();
  }

  private list(depth: number): void {
    if (depth > DEPTH_MAX) throw wrong();
    const head = this.byte();
    const size = head >> 4 === 15 ? this.varint() : head >> 4;
    for (let n = 0; n < size; n++) this.value(head & 15, depth, true);
  }

  private byte(): number {
    if (this.at >= this.view.byteLength) throw wrong();
    return this.view.getUint8(this.at++);
  }

  private skip(bytes: number): void {
    this.at += bytes;
    if (this.at > this.view.byteLength) throw wrong();
  }

  /** Of a number that is only passed over, what is beyond 2^53 does not matter. */
  private varint(): number {
    let value = 0;
    for (let count = 0; count < 10; count++) {
      const byte = this.byte();
      value += (byte & 127) * 128 ** count;
      if (byte < 128) return value;
    }
    throw wrong();
  }
}

const wrong = (): ArchiveError => new ArchiveError("The description of its columns is not what it says, or too long.");
