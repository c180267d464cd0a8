import { LOG_TYPE } from "@/lib/row-status";
import { type AppliedCharge, NodeNotRegistered, type SettlementStore } from "./billing-store";
import { Gathering } from "./gathering";
import { type Journal, noJournal } from "./journal";
import type { LeaseBook } from "./lease";
import { toQuota } from "./quota";
import { withReplays } from "./replayed-charges";
import { encodeSettlement, type SettlementRow } from "./settlement-row";
import { isAboutData, isDiskFull, isTransient, sqlStateOf } from "./sqlstate";
import { pause, systemTimers, type Timers, within } from "./timers";
import type { Reservation, Settlement } from "./types";

export type { Settlement } from "./types";

export type SettlerSettings = {
  store: SettlementStore;
  nodeId: string;
  leaseBook: Pick<LeaseBook, "settleAt" | "applied" | "rejoin">;
  /** Where settlements are kept while their commit waits. Default: nowhere. */
  journal?: Journal;
  timers?: Timers;
  /** From this many queued settlements on, `hasRoom` returns false. */
  maxQueued?: number;
  /** The same for the bytes that they and the answers that wait for them hold in memory. */
  maxQueuedBytes?: number;
  /** Maximum settlements per flush. */
  maxBatch?: number;
  /** When `settle` resolves: "journal" = as soon as the charge is on the disk or in the database, "database" = in the database. */
  durableIn?: DurableIn;
  /** How long a flush may wait for more settlements while requests keep arriving and wait for it; 0 = never wait. */
  lingerMs?: number;
  /** The same where they wait for the journal only. */
  patientLingerMs?: number;
  flushTimeoutMs?: number;
  onError?: (error: unknown, settlements: number) => void;
  /** Told of each flush that was committed, and of how long it took. */
  onFlush?: (settlements: number, tookMs: number) => void;
};

/** Where a charge must be before its answer may end. */
export type DurableIn = "journal" | "database";

export type Settler = {
  /**
   * Books the cost of a request; resolves when the charge cannot be lost any more: when the journal has it on the disk, or
   * when it is committed. One that makes a task or an object, or says so itself, always waits for the commit, because whoever
   * gets its id asks for it next. Never refused for lack of balance or room (check `hasRoom` before admitting a request). Repeating the same
   * request id and createdAt changes nothing. A settlement that the database refuses for good is kept apart for root; it is
   * booked then. `heldBytes`: what the caller of this keeps in memory until it resolves. `onBooked`: called after the commit.
   */
  settle(settlement: Settlement, heldBytes?: number, onBooked?: () => void): Promise<void>;
  /** The same for a settlement out of a journal. */
  settleRow(row: SettlementRow): Promise<void>;
  /** Keeps in the journal what a running request has cost so far, until it is settled or forgotten. */
  note(settlement: Settlement): void;
  forget(requestId: string): void;
  /** Settlements not committed yet. */
  queued(): number;
  /** How long the oldest of them has waited, in milliseconds; 0 = there is none. */
  oldestMs(): number;
  /** The bytes that they hold in memory. */
  queuedBytes(): number;
  /** False = neither the database nor the journal takes what comes: answer new requests with 503. */
  hasRoom(): boolean;
  /** From now on, what the database does not take at once is left in the journal. For shutdown. */
  hurry(): void;
  /** Resolves when nothing is queued any more. */
  drain(): Promise<void>;
};

type Pending = {
  row: SettlementRow;
  reservation: Reservation | null;
  since: number;
  bytes: number;
  /** Of the answer that waits. */
  heldBytes: number;
  /** Its answer ends only after the commit. */
  waitsForCommit: boolean;
  resolve: () => void;
  onBooked: (() => void) | undefined;
};
type Waiting = Pick<Pending, "reservation" | "heldBytes" | "onBooked"> & { isUrgent: boolean };
type Failed = { error: unknown };

const RESOLVED = (): void => {};
const FIRST_RETRY_MS = 20;
const LONGEST_RETRY_MS = 2_000;
const HURRY_MS = 2_000;
/** A disk that takes longer is slower than most commits: then answers wait for flushes as without a journal. */
const SLOW_WRITE_MS = 10;
/** After this many failures in a row that should pass by themselves, it is checked whether the batch is their cause. */
const PATIENCE = 4;
/** A settlement that failed this often alone, while the database worked, is refused for good. */
const REFUSED_AFTER = 5;
const LOCK_NOT_AVAILABLE = "55P03";

/** Group commit: one flush at a time, with everything queued during the previous one. */
export function createSettler(settings: SettlerSettings): Settler {
  return new GroupCommit(settings);
}

class GroupCommit implements Settler {
  private readonly settings: Required<SettlerSettings>;
  private queue: Pending[] = [];
  private inFlight = 0;
  /** Since when the oldest of those in flight waits. */
  private inFlightSince = 0;
  private bytes = 0;
  /** Settlements that failed alone; each is tried again on its own, so that it blocks no other. */
  private readonly aside = new Set<Pending>();
  private running = false;
  private isAway = false;
  private isHurrying = false;
  private readonly gathering: Gathering;
  private idle: (() => void)[] = [];
  /** Of those in the queue, how many must be committed before their answers end. */
  private urgent = 0;
  private readonly givesUp = new Set<() => void>();

  constructor(settings: SettlerSettings) {
    this.settings = {
      journal: noJournal,
      timers: systemTimers,
      maxQueued: 10_000,
      maxQueuedBytes: 64 * 1_048_576,
      maxBatch: 500,
      durableIn: "journal",
      lingerMs: 4,
      patientLingerMs: 100,
      flushTimeoutMs: 15_000,
      onError: () => {},
      onFlush: () => {},
      ...settings,
    };
    this.gathering = new Gathering(this.settings);
  }

  settle(settlement: Settlement, heldBytes = 0, onBooked?: () => void): Promise<void> {
    assertSettlement(settlement);
    const { reservation, task, objects, waitsForCommit = false } = settlement;
    if (reservation) this.settings.leaseBook.settleAt(reservation, settlement.quota);
    const isUrgent = waitsForCommit || task !== undefined || objects !== undefined;
    return this.enqueue(encodeSettlement(settlement), { reservation, heldBytes, onBooked, isUrgent });
  }

  settleRow(row: SettlementRow): Promise<void> {
    return this.enqueue(row, { reservation: null, heldBytes: 0, onBooked: undefined, isUrgent: false });
  }

  note(settlement: Settlement): void {
    assertSettlement(settlement);
    this.settings.journal.note(encodeSettlement(settlement));
  }

  forget(requestId: string): void {
    this.settings.journal.done([requestId]);
  }

  queued(): number {
    return this.queue.length + this.inFlight + this.aside.size;
  }

  oldestMs(): number {
    let since = this.inFlight > 0 ? this.inFlightSince : (this.queue[0]?.since ?? Number.POSITIVE_INFINITY);
    for (const pending of this.aside) since = Math.min(since, pending.since);
    return Math.max(0, this.settings.timers.now() - since);
  }

  queuedBytes(): number {
    return this.bytes;
  }

  hasRoom(): boolean {
    const { maxQueued, maxQueuedBytes, journal } = this.settings;
    return this.queued() < maxQueued && this.bytes < maxQueuedBytes && !(this.isAway && !journal.isSound());
  }

  hurry(): void {
    this.isHurrying = true;
    this.settings.timers.after(HURRY_MS, () => {
      for (const giveUp of this.givesUp) giveUp();
    });
  }

  drain(): Promise<void> {
    if (!this.running && this.aside.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private enqueue(row: SettlementRow, { reservation, heldBytes, onBooked, isUrgent }: Waiting): Promise<void> {
    const { timers, journal, durableIn } = this.settings;
    const now = timers.now();
    this.gathering.arrived(now);
    const bytes = row.json.length;
    this.bytes += bytes + heldBytes;
    const waitsForCommit = isUrgent || durableIn === "database" || !journal.isDurable;
    return new Promise((resolve) => {
      const pending = { row, reservation, since: now, bytes, heldBytes, resolve, onBooked, waitsForCommit };
      if (waitsForCommit) {
        this.urgent += 1;
        journal.add(row);
      } else journal.add(row, () => this.letAnswerEnd(pending));
      this.queue.push(pending);
      if (!this.running) void this.run();
      else this.gathering.queued(this.queue.length, this.urgent > 0);
    });
  }

  /** Its charge is on the disk; when it is booked does not matter to the answer. */
  private letAnswerEnd(pending: Pending): void {
    this.bytes -= pending.heldBytes;
    pending.heldBytes = 0;
    pending.resolve();
    // It is queued for much longer than its answer runs, and would keep what waited for it.
    pending.resolve = RESOLVED;
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.queue.length > 0) {
      const more = this.isHurrying ? null : this.gathering.wait(this.queue.length, this.isPatient());
      if (more) await more;
      const batch = this.queue.splice(0, this.settings.maxBatch);
      for (const { waitsForCommit } of batch) if (waitsForCommit) this.urgent -= 1;
      this.inFlight = batch.length;
      this.inFlightSince = batch[0]?.since ?? 0;
      await this.commit(batch);
      this.inFlight = 0;
    }
    this.running = false;
    this.sayIdle();
  }

  private sayIdle(): void {
    if (this.running || this.aside.size > 0) return;
    for (const resolve of this.idle.splice(0)) resolve();
  }

  private isPatient(): boolean {
    const { journal } = this.settings;
    return this.urgent === 0 && journal.isSound() && journal.writeMs() < SLOW_WRITE_MS;
  }

  /**
   * Retries while the database is at fault. When the batch is, it is halved until the faulty settlement is alone, which
   * is then set aside.
   */
  private async commit(batch: Pending[]): Promise<void> {
    let waitMs = FIRST_RETRY_MS;
    for (let failures = 1; ; failures++) {
      const failed = await this.attempt(batch);
      if (!failed) return;
      if (await this.isBatchAtFault(failed, failures)) return this.part(batch, failed);
      this.isAway = true;
      if (await this.leaveToJournal(batch)) return;
      await pause(this.settings.timers, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
    }
  }

  private async part(batch: Pending[], failed: Failed): Promise<void> {
    const [first, second] = batch;
    if (first && !second) return this.setAside(first, failed);
    const middle = batch.length >> 1;
    await this.commit(batch.slice(0, middle));
    await this.commit(batch.slice(middle));
  }

  /** Null = committed. */
  private async attempt(batch: Pending[]): Promise<Failed | null> {
    try {
      await this.flush(batch).catch(async (error: unknown) => {
        if (!(error instanceof NodeNotRegistered)) throw error;
        await this.settings.leaseBook.rejoin();
        await this.flush(batch);
      });
      this.isAway = false;
      return null;
    } catch (error) {
      this.settings.onError(error, batch.length);
      return { error };
    }
  }

  private async flush(batch: Pending[]): Promise<void> {
    const { store, nodeId, timers, onFlush } = this.settings;
    const rows = batch.map((pending) => pending.row);
    const startedAt = timers.now();
    const result = await this.limited(store.book(nodeId, rows));
    onFlush(batch.length, timers.now() - startedAt);
    this.finish(batch, result.inserted === batch.length ? result.charges : withReplays(result.charges, rows));
  }

  private finish(batch: Pending[], charges: readonly AppliedCharge[]): void {
    const { leaseBook, journal } = this.settings;
    leaseBook.applied(
      charges,
      batch.map((pending) => pending.reservation),
    );
    journal.done(batch.map((pending) => pending.row.requestId));
    this.release(batch);
  }

  private release(batch: readonly Pending[]): void {
    for (const pending of batch) {
      this.bytes -= pending.bytes + pending.heldBytes;
      pending.heldBytes = 0;
      pending.resolve();
      pending.onBooked?.();
    }
  }

  private limited<T>(work: Promise<T>): Promise<T> {
    const { timers, flushTimeoutMs } = this.settings;
    if (this.isHurrying) return within(timers, Math.min(HURRY_MS, flushTimeoutMs), work);
    let giveUp = (): void => {};
    const hurried = new Promise<never>((_, reject) => {
      giveUp = () => reject(new Error("the database did not answer before the shutdown"));
    });
    this.givesUp.add(giveUp);
    return within(timers, flushTimeoutMs, Promise.race([work, hurried])).finally(() => this.givesUp.delete(giveUp));
  }

  private async isBatchAtFault({ error }: Failed, failures: number): Promise<boolean> {
    const code = sqlStateOf(error);
    if (isAboutData(code)) return true;
    if (isDiskFull(code)) return false;
    const mayPass = isTransient(code) && code !== LOCK_NOT_AVAILABLE;
    return mayPass && failures < PATIENCE ? false : this.isDatabaseSound();
  }

  /** Whether the database takes a batch without settlements. */
  private async isDatabaseSound(): Promise<boolean> {
    const { store, nodeId, timers } = this.settings;
    return within(timers, HURRY_MS, store.book(nodeId, [])).then(
      () => true,
      () => false,
    );
  }

  private setAside(pending: Pending, failed: Failed): void {
    this.aside.add(pending);
    void this.retryAlone(pending, failed).then(() => {
      this.aside.delete(pending);
      this.sayIdle();
    });
  }

  private async retryAlone(pending: Pending, first: Failed): Promise<void> {
    let failed: Failed | null = first;
    let waitMs = FIRST_RETRY_MS;
    for (let failures = 1; failed; ) {
      const isRefused = isAboutData(sqlStateOf(failed.error)) || failures >= REFUSED_AFTER;
      if (isRefused && (await this.refuse(pending, failed))) return;
      if (await this.leaveToJournal([pending])) return;
      await pause(this.settings.timers, waitMs);
      waitMs = Math.min(waitMs * 4, LONGEST_RETRY_MS);
      failed = await this.attempt([pending]);
      if (failed && !isDiskFull(sqlStateOf(failed.error)) && (await this.isDatabaseSound())) failures += 1;
    }
  }

  /** False = it could not be kept apart either. */
  private async refuse(pending: Pending, { error }: Failed): Promise<boolean> {
    const { store, timers, flushTimeoutMs, onError } = this.settings;
    const message = error instanceof Error ? error.message : String(error);
    try {
      await within(timers, flushTimeoutMs, store.keepRefused(pending.row, { code: sqlStateOf(error), message }));
    } catch (failure) {
      onError(failure, 1);
      return false;
    }
    this.finish([pending], []);
    return true;
  }

  /** At shutdown: everything queued stays in the journal, for the next process. False = go on trying. */
  private async leaveToJournal(batch: Pending[]): Promise<boolean> {
    const { journal, onError } = this.settings;
    if (!this.isHurrying || !journal.isDurable) return false;
    const left = [...batch, ...this.queue];
    try {
      await journal.sync();
    } catch (error) {
      onError(error, left.length);
      return false;
    }
    this.queue = this.queue.filter((pending) => !left.includes(pending));
    this.urgent = 0;
    for (const { waitsForCommit } of this.queue) if (waitsForCommit) this.urgent += 1;
    this.release(left);
    return true;
  }
}

function assertSettlement({ requestId, createdAt, quota, type }: Settlement): void {
  if (requestId === "" || !Number.isSafeInteger(createdAt))
    throw new RangeError("a settlement needs an id and a moment");
  if (toQuota(quota) < 0 || (type === LOG_TYPE.error && quota !== 0)) throw new RangeError(`not a charge: ${quota}`);
}
