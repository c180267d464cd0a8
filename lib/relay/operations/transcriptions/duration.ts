import type { IFormat } from "music-metadata";
import type { FormFile } from "../../http/forms/form";
import type { SpooledFile } from "../../http/forms/spool";

/** A header is small; a file in which it is not found within this is read no further. */
const BYTES_MAX = 4 * 1_048_576;
const READS_MAX = 4_000;
/** No longer sound is believed. */
const SECONDS_MAX = 7 * 24 * 3_600;

/** The most bytes of a second of compressed sound, of moving pictures, and of sound that is not compressed. */
const SOUND_BYTES_MAX = 80_000;
const VIDEO_BYTES_MAX = 2_500_000;
const PLAIN_BYTES_MAX = 5_000_000;
/** Cover pictures and the like. */
const OTHER_BYTES = 131_072;
const SLACK = 1.1;
const TAG_HEAD = 10;

/** `isCompressed`: the size of the file does not say how long it is. */
export type Duration = { seconds: number; isCompressed: boolean };

/**
 * How long the sound of a file is, as its header tells; null = it does not, or the file holds more than fits into that
 * time: decoders go by the sound and not by the header. Rejects only where the library cannot be loaded.
 */
export async function readDuration({ file }: Pick<FormFile, "file">): Promise<Duration | null> {
  const { parseBlob } = await import("music-metadata");
  try {
    const blob = new FileBlob(file, 0, file.length, { bytes: 0, reads: 0 });
    const { format } = await parseBlob(blob, { duration: false, skipCovers: true, skipPostHeaders: true });
    const seconds = format.duration;
    if (seconds === undefined || !(seconds > 0 && seconds <= SECONDS_MAX)) return null;
    const plain = plainRate(format);
    const rate = plain ?? (hasVideo(format) ? VIDEO_BYTES_MAX : SOUND_BYTES_MAX);
    const bytes = file.length - (await tagLength(file));
    return bytes > seconds * rate * SLACK + OTHER_BYTES ? null : { seconds, isCompressed: plain === null };
  } catch {
    return null;
  }
}

/** Bytes of a second of samples as they are; null = they are compressed. */
function plainRate({ lossless, sampleRate, numberOfChannels, bitsPerSample }: IFormat): number | null {
  if (!lossless || !sampleRate || !numberOfChannels || !bitsPerSample) return null;
  return Math.min(PLAIN_BYTES_MAX, (sampleRate * numberOfChannels * bitsPerSample) / 8);
}

function hasVideo({ hasVideo: isKnown, trackInfo }: IFormat): boolean {
  return isKnown === true || trackInfo.some(({ video }) => video !== undefined);
}

/** Of the tag before the sound of an MP3, with its pictures. */
async function tagLength(file: SpooledFile): Promise<number> {
  const head = await file.read(0, TAG_HEAD);
  if (head.length < TAG_HEAD || head.toString("latin1", 0, 3) !== "ID3") return 0;
  return head.subarray(6).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0) + TAG_HEAD;
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
