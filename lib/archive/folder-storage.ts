import { constants, createWriteStream } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { assertMarked, markFolder, PARTIAL, removeAbandoned, syncFolder } from "./folder-place";
import { ArchiveError, type ArchiveStorage } from "./storage";

const REASONS: Record<string, string> = {
  ENOSPC: "has no room left, its disk is full",
  EDQUOT: "has no room left, the quota of Weir's account is used up",
  EROFS: "is read-only",
  EACCES: "is not open to Weir's account",
  EPERM: "is not open to Weir's account",
  ENOENT: "or a file in it is missing",
};

/** Files in a folder, readable by the owner of the process only. */
export class FolderStorage implements ArchiveStorage {
  private readonly root: string;
  private isPrepared = false;

  constructor(root: string) {
    this.root = root;
  }

  prepare(wasUsed: boolean): Promise<void> {
    return this.explained(async () => {
      await markFolder(this.root, wasUsed);
      this.isPrepared = true;
    });
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
        // The disk may have gone in between, so that the file is on another one now.
        await this.assertThere();
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
    await this.assertThere();
    const path = this.pathOf(name);
    const folder = dirname(path);
    await this.makeFolders(folder);
    await this.assertWithin(folder, name);
    await removeAbandoned(folder);
    return path;
  }

  /** One by one: on a read-only disk Node.js says of a recursive mkdir that the folder is missing. */
  private async makeFolders(folder: string): Promise<void> {
    const names = relative(this.root, folder).split(sep);
    for (let count = 1; count <= names.length; count++) {
      await mkdir(join(this.root, ...names.slice(0, count)), { mode: 0o700 }).catch((error) => {
        if (error.code !== "EEXIST") throw error;
      });
    }
  }

  private async assertThere(): Promise<void> {
    if (this.isPrepared) await assertMarked(this.root);
    else await realpath(this.root);
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
    const because = REASONS[code ?? ""];
    if (because === undefined && syscall === undefined) return error;
    return new ArchiveError(`${this.root} ${because ?? "cannot be used"}: ${message}.`, { cause: error });
  }
}
