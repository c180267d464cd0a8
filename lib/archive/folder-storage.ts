import { constants, createWriteStream } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ArchiveError } from "./archive-error";
import type { ArchiveStorage } from "./storage";

const PARTIAL = ".partial";

/** Files in a folder, readable by the owner of the process only. */
export class FolderStorage implements ArchiveStorage {
  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  put(name: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    return this.explained(async () => {
      const path = await this.pathFor(name);
      // Another process that writes the same name has a file of its own until the end.
      const partial = `${path}.${process.pid}${PARTIAL}`;
      try {
        await pipeline(Readable.from(content), createWriteStream(partial, { mode: 0o600, flush: true }));
        const { size } = await stat(partial);
        await rename(partial, path);
        await syncFolder(dirname(path));
        return size;
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    });
  }

  async *get(name: string): AsyncGenerator<Uint8Array> {
    const file = await this.explained(() => this.openToRead(name));
    try {
      for await (const part of file.createReadStream({ highWaterMark: 262_144, autoClose: false }))
        yield part as Buffer;
    } catch (error) {
      throw this.explain(error);
    } finally {
      await file.close();
    }
  }

  async sizeOf(name: string): Promise<number | null> {
    try {
      return (await lstat(this.pathOf(name))).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw this.explain(error);
    }
  }

  readRange(name: string, start: number, end: number): Promise<Uint8Array> {
    return this.explained(async () => {
      const file = await this.openToRead(name);
      try {
        const bytes = Buffer.alloc(end - start);
        for (let done = 0; done < bytes.length; ) {
          const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
          if (bytesRead === 0) throw new ArchiveError(`${name} is shorter than it says.`);
          done += bytesRead;
        }
        return bytes;
      } finally {
        await file.close();
      }
    });
  }

  async *list(): AsyncGenerator<string> {
    const entries = await this.explained(() => readdir(this.root, { recursive: true, withFileTypes: true }));
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile() && !entry.name.endsWith(PARTIAL)) yield relative(this.root, path).split(sep).join("/");
    }
  }

  remove(name: string): Promise<void> {
    return this.explained(() => rm(this.pathOf(name), { force: true }));
  }

  close(): void {}

  private pathOf(name: string): string {
    const path = join(this.root, name);
    if (!path.startsWith(join(this.root, sep)))
      throw new ArchiveError(`${JSON.stringify(name)} leads out of the archive.`);
    return path;
  }

  /** Not through a link, out of the archive or in it, and not from a device or a pipe, which never end. */
  private async openToRead(name: string): Promise<FileHandle> {
    const path = this.pathOf(name);
    await this.assertWithin(dirname(path), name);
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
      throw error.code === "ELOOP" ? new ArchiveError(`${name} is a link and is not read.`, { cause: error }) : error;
    });
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new ArchiveError(`${name} is no file.`);
  }

  private async assertWithin(folder: string, name: string): Promise<void> {
    const root = await realpath(this.root);
    if (!join(await realpath(folder), sep).startsWith(join(root, sep)))
      throw new ArchiveError(`${name} leads out of the archive by a link.`);
  }

  /** The folder itself must be there: a disk that is not mounted would be filled elsewhere. */
  private async pathFor(name: string): Promise<string> {
    await realpath(this.root);
    const path = this.pathOf(name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await this.assertWithin(dirname(path), name);
    return path;
  }

  private async explained<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      throw this.explain(error);
    }
  }

  private explain(error: unknown): unknown {
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    const options = { cause: error };
    if (code === "ENOSPC" || code === "EDQUOT") return new ArchiveError(`The disk of ${this.root} is full.`, options);
    if (code === "ENOENT") return new ArchiveError(`${this.root} or a file in it is missing: ${message}`, options);
    return syscall === undefined ? error : new ArchiveError(`${this.root} cannot be used: ${message}`, options);
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  // Some file systems cannot do this with a folder.
  await folder.sync().catch(() => {});
  await folder.close();
}
