import type { JournalFile, JournalFolder } from "@/lib/billing/journal-folder";
import type { Random } from "./fake-time";

type Stored = { bytes: Buffer; syncedBytes: number; version: number };

/** A folder whose disk can fill up and whose machine can lose its power. */
export class ModelFolder implements JournalFolder {
  isFull = false;
  private readonly files = new Map<string, Stored>();
  private versions = 0;

  create(name: string): JournalFile {
    if (this.isFull) throw new Error("ENOSPC: no space left on device");
    const file: Stored = { bytes: Buffer.alloc(0), syncedBytes: 0, version: ++this.versions };
    this.files.set(name, file);
    return {
      append: (bytes) => {
        if (this.isFull) throw new Error("ENOSPC: no space left on device");
        file.bytes = Buffer.concat([file.bytes, bytes]);
        file.version = ++this.versions;
      },
      async sync() {
        file.syncedBytes = file.bytes.length;
      },
      isBroken: () => false,
      close() {},
      remove: () => void this.files.delete(name),
    };
  }

  list(): string[] {
    return [...this.files.keys()].sort();
  }

  read(name: string): Buffer {
    const file = this.files.get(name);
    if (!file) throw Object.assign(new Error(`no file ${name}`), { code: "ENOENT" });
    return file.bytes;
  }

  stampOf(name: string): string {
    return String(this.files.get(name)?.version);
  }

  remove(name: string): void {
    this.files.delete(name);
  }

  claim(name: string, text: string): boolean {
    if (this.files.has(name)) return false;
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
