import { parseBlob } from "music-metadata";
import type { FormFile } from "../../forms/form";
import type { SpooledFile } from "../../forms/spool";

/** A header is small; a file in which it is not found within this is read no further. */
const BYTES_MAX = 4 * 1_048_576;
const READS_MAX = 4_000;
/** No longer sound is believed. */
const SECONDS_MAX = 7 * 24 * 3_600;

/** How long the sound of a file is, as its header tells; null = it does not. Never rejects. */
export async function readDuration({ file }: Pick<FormFile, "file">): Promise<number | null> {
  try {
    const blob = new FileBlob(file, 0, file.length, { bytes: 0, reads: 0 });
    const { format } = await parseBlob(blob, { duration: false, skipCovers: true, skipPostHeaders: true });
    const seconds = format.duration;
    return seconds !== undefined && seconds > 0 && seconds <= SECONDS_MAX ? seconds : null;
  } catch {
    return null;
  }
}

type Spent = { bytes: number; reads: number };

/** Part of a stored file, of which only what is asked for is read. */
class FileBlob extends Blob {
  private readonly file: SpooledFile;
  private readonly start: number;
  private readonly length: number;
  private readonly spent: Spent;

  constructor(file: SpooledFile, start: number, length: number, spent: Spent) {
    super();
    this.file = file;
    this.start = start;
    this.length = length;
    this.spent = spent;
  }

  override get size(): number {
    return this.length;
  }

  override slice(from = 0, to = this.length): Blob {
    const start = Math.min(from, this.length);
    const length = Math.max(0, Math.min(to, this.length) - start);
    return new FileBlob(this.file, this.start + start, length, this.spent);
  }

  override async arrayBuffer(): Promise<ArrayBuffer> {
    const { spent } = this;
    spent.reads += 1;
    spent.bytes += this.length;
    if (spent.reads > READS_MAX || spent.bytes > BYTES_MAX) throw new Error("the header is too long");
    const bytes = await this.file.read(this.start, this.length);
    return new Uint8Array(bytes).buffer;
  }
}
