import { crc32 } from "node:zlib";
import type { JournalFile, JournalFolder } from "./journal-folder";
import type { SettlementRow } from "./settlement-row";
import { systemTimers, type Timers } from "./timers";

/**
 * What one process must still charge, on its disk: settlements whose commit waits, and what running requests have cost so
 * far. A settlement that is committed within `delayMs` never reaches the disk.
 */
export type Journal = {
  add(row: SettlementRow): void;
  /** The cost of a running request so far; replaced by the next one and by its settlement. */
  note(row: SettlementRow): void;
  /** These requests are booked, or will never cost anything. */
  done(requestIds: readonly string[]): void;
  /** False = the last write failed; it is tried again with the next one. */
  isSound(): boolean;
  /** Whether `sync` makes anything durable. */
  readonly isDurable: boolean;
  /** Bytes on the disk. */
  bytes(): number;
  /** Resolves when everything added so far is on the disk. */
  sync(): Promise<void>;
  /** Writes what is left; the files are removed when nothing is. */
  close(): Promise<void>;
};

export const noJournal: Journal = {
  add() {},
  note() {},
  done() {},
  isSound: () => true,
  isDurable: false,
  bytes: () => 0,
  sync: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

export type JournalSettings = {
  folder: JournalFolder;
  nodeId: string;
  /** First line of each file; says who writes it. */
  owner: string;
  timers?: Timers;
  delayMs?: number;
  segmentBytes?: number;
  onError?: (error: unknown) => void;
};

export function createJournal(settings: JournalSettings): Journal {
  return new SegmentedJournal(settings);
}

/** A file and how many of its lines are still needed. */
type Segment = { file: JournalFile; bytes: number; live: number; isSynced: boolean };

/** Line kinds: the owner, a settlement, the cost of a running request, requests that are done. */
export const LINE = { owner: "h", settlement: "s", note: "p", done: "d" } as const;
export const FRAME_HEADER_BYTES = 8;
const FAILED_RETRY_MS = 1_000;

class SegmentedJournal implements Journal {
  readonly isDurable = true;
  private readonly settings: Required<JournalSettings>;
  /** Lines by request, of this interval and the one before. Only the latter are due. */
  private young = new Map<string, string>();
  private old = new Map<string, string>();
  private doneIds: string[] = [];
  /** The segment of the latest line of each request. */
  private readonly written = new Map<string, Segment>();
  /** Oldest first; the last one is written to. Removed only in this order, so that no line outlives its "done". */
  private segments: Segment[] = [];
  private cancel: (() => void) | null = null;
  private sound = true;
  private retryAt = 0;
  private syncing: Promise<void> | null = null;
  private files = 0;

  constructor(settings: JournalSettings) {
    this.settings = { timers: systemTimers, delayMs: 20, segmentBytes: 1_048_576, onError: () => {}, ...settings };
  }

  add({ requestId, json }: SettlementRow): void {
    this.put(requestId, LINE.settlement + json);
  }

  note({ requestId, json }: SettlementRow): void {
    this.put(requestId, LINE.note + json);
  }

  done(requestIds: readonly string[]): void {
    for (const id of requestIds) {
      if (!this.young.delete(id)) this.old.delete(id);
      if (this.written.has(id)) this.doneIds.push(id);
    }
    if (this.doneIds.length > 0) this.arm();
  }

  isSound(): boolean {
    return this.sound;
  }

  bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  async sync(): Promise<void> {
    this.ripen();
    this.write();
    await this.syncWritten();
  }

  async close(): Promise<void> {
    this.cancel?.();
    await this.sync();
    for (const { file } of this.segments) file.close();
    if (this.written.size === 0) for (const { file } of this.segments.splice(0)) file.remove();
  }

  private put(id: string, line: string): void {
    // What is due stays due.
    (this.old.has(id) ? this.old : this.young).set(id, line);
    this.arm();
  }

  private arm(): void {
    const { timers, delayMs } = this.settings;
    this.cancel ??= timers.after(Math.max(delayMs, this.retryAt - timers.now()), () => this.onDue());
  }

  private onDue(): void {
    this.cancel = null;
    if (!this.sound) this.ripen();
    try {
      this.write();
      this.syncWritten().catch((error: unknown) => this.fail(error));
    } catch (error) {
      this.fail(error);
    }
    this.ripen();
    if (this.old.size > 0 || this.doneIds.length > 0) this.arm();
  }

  private ripen(): void {
    for (const [id, line] of this.young) this.old.set(id, line);
    this.young = new Map();
  }

  private fail(error: unknown): void {
    this.sound = false;
    this.retryAt = this.settings.timers.now() + FAILED_RETRY_MS;
    this.settings.onError(error);
  }

  /** One frame for everything that is due. Throws when the disk does not take it; nothing is forgotten then. */
  private write(): void {
    const lines = [...this.old.values()];
    if (this.doneIds.length > 0) lines.push(LINE.done + this.doneIds.join(" "));
    if (lines.length === 0) return;
    const segment = this.current();
    const bytes = frameOf(lines);
    segment.isSynced = false;
    segment.file.append(bytes);
    segment.bytes += bytes.length;
    this.sound = true;
    for (const id of this.old.keys()) {
      this.drop(id);
      this.written.set(id, segment);
      segment.live += 1;
    }
    this.old = new Map();
    for (const id of this.doneIds.splice(0)) this.drop(id);
    this.removeOldest();
  }

  private drop(id: string): void {
    const segment = this.written.get(id);
    if (!segment) return;
    segment.live -= 1;
    this.written.delete(id);
  }

  private current(): Segment {
    const last = this.segments.at(-1);
    if (last && last.bytes < this.settings.segmentBytes && !last.file.isBroken()) return last;
    const { folder, nodeId, owner } = this.settings;
    const file = folder.create(`${nodeId}.${String(++this.files).padStart(6, "0")}`);
    const head = frameOf([LINE.owner + owner]);
    try {
      file.append(head);
    } catch (error) {
      file.close();
      file.remove();
      throw error;
    }
    const segment = { file, bytes: head.length, live: 0, isSynced: false };
    this.segments.push(segment);
    return segment;
  }

  private removeOldest(): void {
    for (;;) {
      const [first, next] = this.segments;
      if (!first || !next || first.live > 0) return;
      this.segments.shift();
      first.file.close();
      first.file.remove();
    }
  }

  /** One fdatasync at a time; whoever comes while it runs waits for the next one. */
  private async syncWritten(): Promise<void> {
    while (this.syncing) await this.syncing;
    const unsynced = this.segments.filter((segment) => !segment.isSynced);
    if (unsynced.length === 0) return;
    for (const segment of unsynced) segment.isSynced = true;
    this.syncing = Promise.all(unsynced.map(({ file }) => file.sync())).then(() => {});
    try {
      await this.syncing;
    } catch (error) {
      for (const segment of unsynced) segment.isSynced = false;
      throw error;
    } finally {
      this.syncing = null;
    }
  }
}

/** Length and checksum of the rest, then the lines. A line of JSON contains no line break. */
function frameOf(lines: readonly string[]): Buffer {
  const text = lines.join("\n");
  const bytes = Buffer.allocUnsafe(FRAME_HEADER_BYTES + Buffer.byteLength(text));
  bytes.write(text, FRAME_HEADER_BYTES);
  bytes.writeUInt32LE(bytes.length - FRAME_HEADER_BYTES, 0);
  bytes.writeUInt32LE(crc32(bytes.subarray(FRAME_HEADER_BYTES)), 4);
  return bytes;
}
