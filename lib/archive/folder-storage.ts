import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
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
    try {
      for await (const part of createReadStream(this.pathOf(name), { highWaterMark: 262_144 })) yield part as Buffer;
    } catch (error) {
      throw this.explain(error);
    }
  }

  async sizeOf(name: string): Promise<number | null> {
    try {
      return (await stat(this.pathOf(name))).size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw this.explain(error);
    }
  }

  readRange(name: string, start: number, end: number): Promise<Uint8Array> {
    return this.explained(async () => {
      const file = await open(this.pathOf(name), "r");
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

  /** The folder itself must be there: a disk that is not mounted would be filled elsewhere. */
  private async pathFor(name: string): Promise<string> {
    const root = await realpath(this.root);
    const path = this.pathOf(name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const folder = await realpath(dirname(path));
    if (!join(folder, sep).startsWith(join(root, sep)))
      throw new ArchiveError(`${name} leads out of the archive by a link.`);
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
