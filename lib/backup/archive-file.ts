import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { z } from "zod";
import { BackupError, DamagedBackup } from "./backup-error";
import { decrypt, type Encryption, encrypt, encryptionSchema, keyOf, newKey } from "./passphrase";

/** First line of a file: name and version of the format, the header as JSON, its checksum. */
const MAGIC = "WEIR-BACKUP 1";
const HEADER_BYTES_MAX = 4_096;
/** Hardly smaller at higher levels, and several times slower. */
const GZIP_LEVEL = 3;

const headerSchema = z.object({ encryption: encryptionSchema.nullable() });

/**
 * Writes a file that is there as a whole or not at all, readable by its owner only. Throws BackupError when the file is
 * there already or the disk is full. Resolves to its size in bytes.
 */
export async function writeArchiveFile(
  path: string,
  passphrase: string | null,
  content: AsyncIterable<Buffer>,
): Promise<number> {
  const { encryption, key } = passphrase === null ? { encryption: null, key: null } : await newKey(passphrase);
  const partial = `${path}.partial`;
  try {
    // What an interrupted backup left.
    await rm(partial, { force: true });
    const file = createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true });
    file.write(headerLine({ encryption }));
    const zipped = createGzip({ level: GZIP_LEVEL });
    await (key === null
      ? pipeline(Readable.from(content), zipped, file)
      : pipeline(Readable.from(content), zipped, (source: AsyncIterable<Buffer>) => encrypt(source, key), file));
    const { size } = await stat(partial);
    await rename(partial, path);
    await syncFolder(dirname(path));
    return size;
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw explain(error, dirname(path));
  }
}

function explain(error: unknown, folder: string): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new BackupError(`The disk of ${folder} is full; no backup was made.`, { cause: error });
  }
  if (syscall === undefined || error instanceof BackupError) return error;
  return new BackupError(`The backup cannot be written: ${message}`, { cause: error });
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  // Some file systems cannot do this with a folder.
  await folder.sync().catch(() => {});
  await folder.close();
}

function headerLine(header: { encryption: Encryption | null }): Buffer {
  const text = `${MAGIC} ${JSON.stringify(header)}`;
  return Buffer.from(`${text} ${createHash("sha256").update(text).digest("hex")}\n`);
}

export type ArchiveFile = {
  isEncrypted: boolean;
  /** The content from the beginning; can be read several times. Throws DamagedBackup. */
  read: () => AsyncGenerator<Buffer>;
};

/** Throws BackupError when the file is no backup, or the passphrase is missing or wrong. */
export async function openArchiveFile(path: string, askPassphrase: () => Promise<string>): Promise<ArchiveFile> {
  const { header, length } = await readHeader(path);
  const key = header.encryption === null ? null : await keyOf(await askPassphrase(), header.encryption);
  return { isEncrypted: key !== null, read: () => readContent(path, length, key) };
}

async function readHeader(path: string): Promise<{ header: z.infer<typeof headerSchema>; length: number }> {
  const handle = await open(path, "r").catch((error: Error) => {
    throw new BackupError(`${path} cannot be read: ${error.message}`, { cause: error });
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0);
    const length = buffer.subarray(0, bytesRead).indexOf(10) + 1;
    const found = /^(WEIR-BACKUP \d+ (\{.*\})) ([0-9a-f]{64})\n$/.exec(buffer.toString("utf8", 0, length));
    if (!found) throw new BackupError(`${path} is not a backup of Weir.`);
    const [, text = "", json = "", sha256] = found;
    if (createHash("sha256").update(text).digest("hex") !== sha256)
      throw new DamagedBackup("its first line was changed");
    if (!text.startsWith(`${MAGIC} `)) throw new BackupError(`${path} was made by a newer Weir. Update Weir first.`);
    return { header: headerSchema.parse(JSON.parse(json)), length };
  } finally {
    await handle.close();
  }
}

async function* readContent(path: string, start: number, key: Buffer | null): AsyncGenerator<Buffer> {
  const file: AsyncIterable<Buffer> = createReadStream(path, { start, highWaterMark: 262_144 });
  const unzipped = createGunzip();
  const running = pipeline(key === null ? file : decrypt(file, key), unzipped);
  // The reader below gets the same failure.
  running.catch(() => {});
  try {
    for await (const part of unzipped) yield part as Buffer;
    await running;
  } catch (error) {
    if (error instanceof BackupError) throw error;
    throw new DamagedBackup((error as Error).message, { cause: error });
  } finally {
    unzipped.destroy();
  }
}
