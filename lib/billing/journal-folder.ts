import {
  closeSync,
  fdatasync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

export type JournalFile = {
  /** Appends everything or throws; a part that was written is cut off again. */
  append(bytes: Buffer): void;
  /** Resolves when everything appended so far survives a power failure. */
  sync(): Promise<void>;
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
  /** Changes whenever the file does. */
  stampOf(name: string): string;
  remove(name: string): void;
  /** Creates a file that must not exist yet; false = it does. */
  claim(name: string, text: string): boolean;
};

const MODE = 0o600;

export function openJournalFolder(path: string): JournalFolder {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    create: (name) => new DiskFile(join(path, name)),
    list: () => readdirSync(path).sort(),
    read: (name) => readFileSync(join(path, name)),
    stampOf(name) {
      const { size, mtimeMs } = statSync(join(path, name));
      return `${size}:${mtimeMs}`;
    },
    remove: (name) => rmSync(join(path, name), { force: true }),
    claim: (name, text) => claimFile(join(path, name), text),
  };
}

function claimFile(path: string, text: string): boolean {
  try {
    const fd = openSync(path, "wx", MODE);
    writeSync(fd, text);
    closeSync(fd);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

class DiskFile implements JournalFile {
  private readonly path: string;
  private readonly fd: number;
  private bytes = 0;
  private broken = false;
  private syncs = 0;
  private isClosed = false;

  constructor(path: string) {
    this.path = path;
    this.fd = openSync(path, "ax", MODE);
  }

  append(bytes: Buffer): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.fd, bytes, at);
      this.bytes += bytes.length;
    } catch (error) {
      this.cutOff();
      throw error;
    }
  }

  private cutOff(): void {
    try {
      ftruncateSync(this.fd, this.bytes);
    } catch {
      this.broken = true;
    }
  }

  sync(): Promise<void> {
    this.syncs += 1;
    return new Promise((resolve, reject) => {
      fdatasync(this.fd, (error) => {
        this.syncs -= 1;
        this.closeWhenFree();
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** A number that is closed while it is being synced could already belong to another file. */
  private closeWhenFree(): void {
    if (this.isClosed && this.syncs === 0) closeSync(this.fd);
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
