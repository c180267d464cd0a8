/**
 * Files by name; "/" divides a name into folders. A file is there as a whole or not at all, and `put` returns once it is
 * stored. All throw ArchiveError.
 */
export type ArchiveStorage = {
  /** Before the first `put`. `wasUsed`: the place was used before, so an empty one in its stead is refused. */
  prepare(wasUsed: boolean): Promise<void>;
  /** Replaces a file of the same name. Resolves to its size. */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<number>;
  get(name: string): AsyncIterable<Uint8Array>;
  /** Null = there is no such file. */
  sizeOf(name: string): Promise<number | null>;
  /** Bytes from `start`, up to and without `end`. */
  readRange(name: string, start: number, end: number): Promise<Uint8Array>;
  /** All names, in no particular order. */
  list(): AsyncIterable<string>;
  /** A file that is not there is no error. */
  remove(name: string): Promise<void>;
  close(): void;
};

/** Why an archive cannot be written or read, in words for an operator. Has no credentials in it. */
export class ArchiveError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ArchiveError";
  }
}
