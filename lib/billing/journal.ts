import type { JournalFile, JournalFolder } from "./journal-folder";
import { type JournalLine, LINE, RECORDS, RecordEncoder } from "./journal-records";
import type { SettlementRow } from "./settlement-row";
import { systemTimers, type Timers } from "./timers";

/** What one process must still charge, on its disk: settlements that are not committed, and what running requests have cost so far. */
export type Journal = {
  /**
   * `onDurable`: called once it is on the disk, which it then is as soon as the disk allows. Without it, a settlement that
   * is committed within `delayMs` never reaches the disk.
   */
  add(row: SettlementRow, onDurable?: () => void): void;
  /** The cost of a running request so far; replaced by the next one and by its settlement. */
  note(row: SettlementRow): void;
  /** These requests are booked, or will never cost anything. */
  done(requestIds: readonly string[]): void;
  /** False = the last write failed; it is tried again with the next one. */
  isSound(): boolean;
  /** Whether anything becomes durable here. */
  readonly isDurable: boolean;
  /** How long a write takes lately, in milliseconds. */
  writeMs(): number;
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
  writeMs: () => 0,
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

/** A file, the number of its lines, and how many of them are still needed. */
type Segment = { file: JournalFile; name: string; bytes: number; lines: number; live: number };

const FAILED_RETRY_MS = 1_000;
/** Under load, writes begin at most so often: each costs the process more than its lines do. */
const BETWEEN_WRITES_MS = 3;

/** The latest line of a request. */
type RequestLine = JournalLine & { onDurable: (() => void) | undefined };

/** What one write takes. */
type Batch = {
  /** By request, so that one that is committed first leaves nothing behind while the disk fails. */
  lines: Map<string, RequestLine>;
  /** None of those of `lines`: in a write they come last. */
  doneIds: Set<string>;
};

class SegmentedJournal implements Journal {
  readonly isDurable = true;
  private readonly settings: Required<JournalSettings>;
  /** One write at a time: its bytes are on the disk before the next ones are made. */
  private readonly encoder = new RecordEncoder();
  private next: Batch = emptyBatch();
  /** What is being written now. */
  private current: Batch | null = null;
  private writing: Promise<void> | null = null;
  /** The segment of the latest line of each request. */
  private readonly written = new Map<string, Segment>();
  /** Oldest first; the last one is written to. Removed only in this order, so that no line outlives its "done". */
  private segments: Segment[] = [];
  private cancel: (() => void) | null = null;
  private isCalled = false;
  private sound = true;
  private retryAt = 0;
  private removableAt = 0;
  private begunAt = Number.NEGATIVE_INFINITY;
  private smoothedMs = 0;
  private files = 0;

  constructor(settings: JournalSettings) {
    this.settings = { timers: systemTimers, delayMs: 20, segmentBytes: 4_194_304, onError: () => {}, ...settings };
  }

  add({ requestId, json }: SettlementRow, onDurable?: () => void): void {
    this.put(requestId, { kind: LINE.settlement, text: json, onDurable });
    if (onDurable) this.writeSoon();
    else this.arm();
  }

  note({ requestId, json }: SettlementRow): void {
    this.put(requestId, { kind: LINE.note, text: json, onDurable: undefined });
    this.arm();
  }

  private put(id: string, line: RequestLine): void {
    const { lines, doneIds } = this.next;
    line.onDurable ??= lines.get(id)?.onDurable;
    lines.set(id, line);
    doneIds.delete(id);
  }

  done(requestIds: readonly string[]): void {
    const { lines, doneIds } = this.next;
    for (const id of requestIds) {
      lines.delete(id);
      if (this.written.has(id) || this.current?.lines.has(id)) doneIds.add(id);
    }
    if (doneIds.size > 0) this.arm();
  }

  isSound(): boolean {
    return this.sound;
  }

  writeMs(): number {
    return this.smoothedMs;
  }

  bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  async sync(): Promise<void> {
    await this.writing?.catch(() => {});
    await this.write();
  }

  async close(): Promise<void> {
    this.cancel?.();
    await this.sync();
    for (const { file } of this.segments) file.close();
    if (this.written.size === 0) for (const { file } of this.segments.splice(0)) file.remove();
  }

  private arm(): void {
    const { timers, delayMs } = this.settings;
    this.cancel ??= timers.after(Math.max(delayMs, this.retryAt - timers.now()), () => {
      this.cancel = null;
      this.writeOrReport();
    });
  }

  /** All settlements of a turn of the event loop share a write; those that come soon after one share the next. */
  private writeSoon(): void {
    if (!this.sound) return void this.arm();
    if (this.isCalled || this.writing) return;
    this.isCalled = true;
    const { timers } = this.settings;
    const begin = (): void => {
      this.isCalled = false;
      this.writeOrReport();
    };
    const waitMs = this.begunAt + BETWEEN_WRITES_MS - timers.now();
    if (waitMs > 0) timers.after(waitMs, begin);
    else timers.soon(begin);
  }

  private writeOrReport(): void {
    // Whoever began the running write reports its error.
    if (this.writing) return;
    this.write().catch((error: unknown) => this.settings.onError(error));
  }

  /** Resolves when what is due is on the disk. Rejects when the disk does not take it; nothing is forgotten then. */
  private write(): Promise<void> {
    if (this.writing) return this.writing;
    if (this.next.lines.size + this.next.doneIds.size === 0) return Promise.resolve();
    const batch = this.next;
    this.current = batch;
    this.next = emptyBatch();
    this.writing = this.append(batch).finally(() => {
      this.writing = null;
      this.current = null;
      if (hasWaiting(this.next)) this.writeSoon();
      else if (this.next.lines.size + this.next.doneIds.size > 0) this.arm();
    });
    return this.writing;
  }

  private async append(batch: Batch): Promise<void> {
    const { timers } = this.settings;
    this.begunAt = timers.now();
    try {
      const segment = this.segment();
      const lines = this.linesOf(segment, batch);
      const bytes = this.encoder.encode(segment.name, segment.lines, lines);
      await segment.file.write(bytes);
      segment.bytes += bytes.length;
      segment.lines += lines.length;
      this.wrote(segment, batch);
    } catch (error) {
      this.sound = false;
      this.retryAt = timers.now() + FAILED_RETRY_MS;
      this.putBack(batch);
      throw error;
    }
    this.sound = true;
    this.smoothedMs += (timers.now() - this.begunAt - this.smoothedMs) / 8;
    for (const { onDurable } of batch.lines.values()) onDurable?.();
    this.removeOldest();
  }

  private wrote(segment: Segment, { lines, doneIds }: Batch): void {
    for (const id of lines.keys()) {
      this.drop(id);
      this.written.set(id, segment);
      segment.live += 1;
    }
    for (const id of doneIds) this.drop(id);
  }

  /** What came meanwhile is newer. */
  private putBack({ lines, doneIds }: Batch): void {
    const newer = this.next;
    for (const [id, line] of lines) {
      if (newer.lines.has(id) || newer.doneIds.has(id)) continue;
      newer.lines.set(id, line);
    }
    for (const id of doneIds) if (!newer.lines.has(id)) newer.doneIds.add(id);
    const last = this.segments.at(-1);
    if (!last || last.bytes > 0) return;
    this.segments.pop();
    last.file.close();
    this.remove(last.file);
  }

  private drop(id: string): void {
    const segment = this.written.get(id);
    if (!segment) return;
    segment.live -= 1;
    this.written.delete(id);
  }

  private segment(): Segment {
    const last = this.segments.at(-1);
    if (last && last.bytes < this.settings.segmentBytes && !last.file.isBroken()) return last;
    const { folder, nodeId } = this.settings;
    const name = `${nodeId}.${String(++this.files).padStart(6, "0")}${RECORDS}`;
    const segment = { file: folder.create(name), name, bytes: 0, lines: 0, live: 0 };
    this.segments.push(segment);
    return segment;
  }

  /** The first line of a file is that of its owner. */
  private linesOf(segment: Segment, { lines, doneIds }: Batch): JournalLine[] {
    const all: JournalLine[] = segment.bytes === 0 ? [{ kind: LINE.owner, text: this.settings.owner }] : [];
    for (const line of lines.values()) all.push(line);
    if (doneIds.size > 0) all.push({ kind: LINE.done, text: [...doneIds].join(" ") });
    return all;
  }

  private removeOldest(): void {
    for (;;) {
      const [first, next] = this.segments;
      if (!first || !next || first.live > 0 || this.settings.timers.now() < this.removableAt) return;
      // A later file with its "done" lines must not go before it.
      if (!this.remove(first.file)) return;
      this.segments.shift();
      first.file.close();
    }
  }

  /** False = the disk refuses that too; to be tried again later. */
  private remove(file: JournalFile): boolean {
    try {
      file.remove();
      return true;
    } catch (error) {
      this.removableAt = this.settings.timers.now() + FAILED_RETRY_MS;
      this.settings.onError(error);
      return false;
    }
  }
}

function emptyBatch(): Batch {
  return { lines: new Map(), doneIds: new Set() };
}

function hasWaiting({ lines }: Batch): boolean {
  for (const { onDurable } of lines.values()) if (onDurable) return true;
  return false;
}
