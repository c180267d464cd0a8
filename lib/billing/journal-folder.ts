import {
  closeSync,
  constants,
  existsSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  write,
  writeSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";

export type JournalFile = {
  /**
   * Appends; resolves when everything survives a power failure. One call at a time. When it fails, the part that was
   * written is cut off again.
   */
  write(bytes: Buffer): Promise<void>;
  /** True = a part of a failed write may have stayed: write to another file. */
  isBroken(): boolean;
  close(): void;
  remove(): void;
};

/** The folder of the journals of all processes of a machine. */
export type JournalFolder = {
  create(name: string): JournalFile;
  /** Names, oldest file of a process first. */
  list(): string[];
  read(name: string): Buffer;
  /** The first bytes, which hold the line of the owner. */
  readStart(name: string): Buffer;
  /** Changes whenever the file does. */
  stampOf(name: string): string;
  remove(name: string): void;
  /** Gives it another name; nothing happens when it is gone. */
  rename(name: string, to: string): void;
  /**
   * Creates a file that must not exist yet; false = it does. True without one where the disk has no room for it, because
   * emptying the folder makes room.
   */
  claim(name: string, text: string): boolean;
};

const MODE = 0o600;
const START_BYTES = 4_096;

export function openJournalFolder(path: string): JournalFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    create(name) {
      // Somebody may have cleared it away; without its parent it would be another disk.
      if (!existsSync(path)) mkdirSync(path, { mode: 0o700 });
      return new DiskFile(join(path, name));
    },
    list: () => readdirSync(path).sort(),
    read: (name) => readFileSync(join(path, name)),
    readStart: (name) => readStart(join(path, name)),
    stampOf(name) {
      const { size, mtimeMs } = statSync(join(path, name));
      return `${size}:${mtimeMs}`;
    },
    remove: (name) => rmSync(join(path, name), { force: true }),
    rename: (name, to) => renameFile(join(path, name), join(path, to)),
    claim: (name, text) => claimFile(join(path, name), text),
  };
}

function readStart(path: string): Buffer {
  const fd = openSync(path, O_RDONLY);
  try {
    const bytes = Buffer.allocUnsafe(START_BYTES);
    return bytes.subarray(0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}

function renameFile(path: string, to: string): void {
  try {
    renameSync(path, to);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
  }
}

/** Without room for a block or a file, on the disk or for this account. */
const NO_ROOM: ReadonlySet<string | undefined> = new Set(["ENOSPC", "EDQUOT"]);

function claimFile(path: string, text: string): boolean {
  try {
    createWith(path, text);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code !== "EEXIST" && !NO_ROOM.has(code)) throw error;
    return code !== "EEXIST";
  }
}

function createWith(path: string, text: string): void {
  const fd = openSync(path, "wx", MODE);
  try {
    writeSync(fd, text);
  } catch (error) {
    // An empty one would tell nobody whose it is.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Systems without it get a separate fdatasync. */
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_DSYNC = 0 } = constants;

class DiskFile implements JournalFile {
  private readonly path: string;
  private readonly fd: number;
  private bytes = 0;
  private broken = false;
  private isNamed = false;
  private isWriting = false;
  private isClosed = false;

  constructor(path: string) {
    this.path = path;
    // Each write returns when it is on the disk: one trip to the thread pool rather than two.
    this.fd = openSync(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_DSYNC, MODE);
  }

  async write(bytes: Buffer): Promise<void> {
    this.isWriting = true;
    try {
      await writeAll(this.fd, bytes);
      this.assertNamed();
      if (!this.isNamed) await syncFolder(dirname(this.path));
      this.isNamed = true;
      this.bytes += bytes.length;
    } catch (error) {
      this.cutOff();
      throw error;
    } finally {
      this.isWriting = false;
      this.closeWhenFree();
    }
  }

  /** A file that was removed takes writes, but nobody would ever read them. */
  private assertNamed(): void {
    if (fstatSync(this.fd).nlink > 0) return;
    this.broken = true;
    throw new Error(`the journal ${this.path} was removed while it was written`);
  }

  private cutOff(): void {
    try {
      ftruncateSync(this.fd, this.bytes);
    } catch {
      this.broken = true;
    }
  }

  /** A number that is closed while it is written to could already belong to another file. */
  private closeWhenFree(): void {
    if (this.isClosed && !this.isWriting) closeSync(this.fd);
  }

  isBroken(): boolean {
    return this.broken;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closeWhenFree();
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function writeAll(fd: number, bytes: Buffer, from = 0): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (at: number): void => {
      write(fd, bytes, at, bytes.length - at, null, (error, written) => {
        if (error) reject(error);
        else if (at + written < bytes.length) next(at + written);
        else if (O_DSYNC) resolve();
        else fdatasync(fd, (failure) => (failure ? reject(failure) : resolve()));
      });
    };
    next(from);
  });
}

/** A file that is new survives a power failure only when its folder knows it. */
async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders, and needs none of this.
  if (process.platform === "win32") return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
