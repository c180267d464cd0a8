import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, stat, unlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import type { BodyShare } from "../../base/body-budget";
import type { LargeBody } from "../../base/large-body";
import { RelayError } from "../../base/relay-error";

/** Keeps files of requests: small ones in memory, others on the disk. */
export type Spool = { open(share: BodyShare): SpooledFile };

/** Up to here a file stays in memory. */
const MEMORY_BYTES = 131_072;
const READ_BYTES = 65_536;
/** Files are nameless at once, so one that still has a name after this was left by a process that died. */
const LEFT_AFTER_MS = 60_000;
const NAME = /^[\da-f-]{36}\.part$/;

/** `folder` is made when it is needed first; default: `uploads` in the data directory. */
export function createSpool(folder = resolve(env().WEIR_DATA_DIR, "uploads")): Spool {
  let ready: Promise<unknown> | null = null;
  const openFile = async (): Promise<FileHandle> => {
    ready ??= prepare(folder);
    await ready;
    const path = join(folder, `${randomUUID()}.part`);
    const handle = await open(path, "wx+", 0o600);
    // Without a name the file is gone when it is closed, also by the end of this process.
    await unlink(path);
    return handle;
  };
  return { open: (share) => new SpooledFile(openFile, share) };
}

async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeLeft(folder).catch((error: unknown) => logger.warn({ err: error }, "old uploads could not be removed"));
}

async function removeLeft(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((one) => NAME.test(one))) {
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > LEFT_AFTER_MS) await unlink(path);
  }
}

/** A file as it arrives, and then as a body that can be sent any number of times. */
export class SpooledFile implements LargeBody {
  private readonly openFile: () => Promise<FileHandle>;
  private readonly share: BodyShare;
  private bytes = 0;
  private parts: Buffer[] = [];
  private handle: FileHandle | null = null;
  private isClosed = false;

  constructor(openFile: () => Promise<FileHandle>, share: BodyShare) {
    this.openFile = openFile;
    this.share = share;
  }

  get length(): number {
    return this.bytes;
  }

  /** Rejects with RelayError: 429 or 503 when too much is in hand already, 503 when the disk does not take it. */
  async write(part: Buffer): Promise<void> {
    if (!this.handle && this.bytes + part.length <= MEMORY_BYTES) {
      this.share.add(part.length);
      this.parts.push(part);
    } else {
      this.share.addStored(part.length);
      await this.store(part);
    }
    this.bytes += part.length;
  }

  private async store(part: Buffer): Promise<void> {
    try {
      if (!this.handle) await this.toDisk();
      await writeAll(this.handle, part, this.bytes);
    } catch (error) {
      throw new RelayError("overloaded", "the file could not be stored, please try again", {
        trouble: this.isClosed ? null : { what: "an upload could not be stored", cause: error },
      });
    }
  }

  private async toDisk(): Promise<void> {
    const handle = await this.openFile();
    if (this.isClosed) {
      await handle.close();
      throw new Error("the request is over");
    }
    this.handle = handle;
    let at = 0;
    for (const part of this.parts) {
      await writeAll(handle, part, at);
      at += part.length;
    }
    this.parts = [];
  }

  /** At most `length` bytes from `at` on; fewer only at the end. */
  async read(at: number, length: number): Promise<Buffer> {
    const size = Math.max(0, Math.min(length, this.bytes - at));
    if (!this.handle) return Buffer.concat(this.parts).subarray(at, at + size);
    const into = Buffer.allocUnsafe(size);
    let read = 0;
    while (read < size) {
      const { bytesRead } = await this.handle.read(into, read, size - read, at + read);
      if (bytesRead === 0) throw new Error("a stored file is shorter than it was");
      read += bytesRead;
    }
    return into;
  }

  open(): Readable {
    return Readable.from(this.chunks());
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    if (!this.handle) yield* this.parts;
    else for (let at = 0; at < this.bytes; at += READ_BYTES) yield await this.read(at, READ_BYTES);
  }

  /** Never throws. */
  close(): void {
    this.isClosed = true;
    this.parts = [];
    const { handle } = this;
    this.handle = null;
    this.bytes = 0;
    handle?.close().catch((error: unknown) => logger.error({ err: error }, "an upload could not be closed"));
  }
}

async function writeAll(handle: FileHandle | null, part: Buffer, at: number): Promise<void> {
  if (!handle) throw new Error("the request is over");
  let written = 0;
  while (written < part.length) {
    written += (await handle.write(part, written, part.length - written, at + written)).bytesWritten;
  }
}
