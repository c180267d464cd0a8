import type { JournalFile, JournalFolder } from "@/lib/billing/journal-folder";
import { DAMAGED } from "@/lib/billing/journal-records";
import type { FakeTime, Random } from "./fake-time";

type Stored = { bytes: Buffer; syncedBytes: number; version: number };

/** `believesWrites`: a deliberate mistake, a write that is believed before it is on the disk. */
export type FolderFlaws = { believesWrites?: boolean };

const LONGEST_START_MS = 4;
const LONGEST_SYNC_MS = 10;
export const LONGEST_WRITE_MS = LONGEST_START_MS + LONGEST_SYNC_MS;

/** A folder whose disk can fill up and whose machine can lose its power. */
export class ModelFolder implements JournalFolder {
  isFull = false;
  private readonly files = new Map<string, Stored>();
  private versions = 0;
  private readonly ended = new Set<string>();
  private readonly time: FakeTime;
  private readonly random: Random;
  private readonly flaws: FolderFlaws;

  constructor(time: FakeTime, random: Random, flaws: FolderFlaws = {}) {
    this.time = time;
    this.random = random;
    this.flaws = flaws;
  }

  create(name: string): JournalFile {
    if (this.isFull) throw new Error("ENOSPC: no space left on device");
    const file: Stored = { bytes: Buffer.alloc(0), syncedBytes: 0, version: ++this.versions };
    this.files.set(name, file);
    return {
      write: (bytes) => this.write(name, file, bytes),
      isBroken: () => false,
      close() {},
      remove: () => void this.files.delete(name),
    };
  }

  /** First a thread takes it up, later the disk has it; a process that ends in between hears nothing of it. */
  private async write(name: string, file: Stored, bytes: Buffer): Promise<void> {
    if (this.isFull) throw new Error("ENOSPC: no space left on device");
    await this.pause(name, LONGEST_START_MS);
    file.bytes = Buffer.concat([file.bytes, bytes]);
    file.version = ++this.versions;
    const written = file.bytes.length;
    const synced = this.pause(name, LONGEST_SYNC_MS).then(() => {
      file.syncedBytes = Math.max(file.syncedBytes, written);
    });
    if (!this.flaws.believesWrites) await synced;
  }

  /** Never ends for a process that has ended. */
  private pause(name: string, longestMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.time.after(this.random.next() * longestMs, () => {
        if (!this.ended.has(name)) resolve();
      });
    });
  }

  /** The process ended: what it had begun to write goes no further. */
  end(nodeId: string): void {
    for (const name of this.files.keys()) if (name.startsWith(nodeId)) this.ended.add(name);
  }

  list(): string[] {
    return [...this.files.keys()].sort();
  }

  /** Without files that were torn and kept. */
  left(): string[] {
    return this.list().filter((name) => !name.endsWith(DAMAGED));
  }

  read(name: string): Buffer {
    const file = this.files.get(name);
    if (!file) throw Object.assign(new Error(`no file ${name}`), { code: "ENOENT" });
    return file.bytes;
  }

  readStart(name: string): Buffer {
    return this.read(name).subarray(0, 4_096);
  }

  stampOf(name: string): string {
    return String(this.files.get(name)?.version);
  }

  remove(name: string): void {
    this.files.delete(name);
  }

  rename(name: string, to: string): void {
    const file = this.files.get(name);
    if (!file) return;
    this.files.set(to, file);
    this.files.delete(name);
  }

  claim(name: string, text: string): boolean {
    if (this.files.has(name)) return false;
    if (this.isFull) return true;
    this.files.set(name, { bytes: Buffer.from(text), syncedBytes: 0, version: ++this.versions });
    return true;
  }

  /** The process's files end somewhere after what was synced. */
  losePower(nodeId: string, random: Random): void {
    for (const [name, file] of this.files) {
      if (!name.startsWith(nodeId)) continue;
      const unsynced = file.bytes.length - file.syncedBytes;
      file.bytes = file.bytes.subarray(0, file.syncedBytes + random.below(unsynced + 1));
    }
  }
}
