import type { Sql } from "@/db/client";
import { codeOf, type LogStore, LogStoreAway, shardsOf } from "./clickhouse/client";
import { lockForWriting } from "./removal-lock-commands";
import { RowsRefused, sendBatch } from "./send-batch";
import {
  type Batch,
  type BatchBounds,
  endBatch,
  listBatches,
  makeBatch,
  readOutboxRows,
  readServerStart,
  splitBatch,
} from "./ship-commands";

/** Between which a process may end; tests end it there. */
export type ShipStep = "claimed" | "read" | "sent" | "ended";

export type ShipperSettings = {
  sql: Sql;
  store: LogStore;
  bounds?: BatchBounds;
  onStep?: (step: ShipStep, shipped: Readonly<Shipped>) => void | Promise<void>;
};

/** `failure`: why some of it could not be sent; null = nothing is left. */
export type Shipped = { batches: number; rows: number; failure: unknown };

/**
 * Sends what is in the outbox; what comes while the last batch is sent waits for the next run, so that a busy gateway makes
 * few large batches and not many small ones. One at a time; a job's lock takes care of that between processes.
 */
export type Shipper = (stopping?: AbortSignal) => Promise<Shipped>;

/** A batch is held in memory several times over: as text, as rows, and as the body of a request. */
const BOUNDS: BatchBounds = { rows: 10_000, bytes: 8 * 1_048_576 };

export function createShipper(settings: ShipperSettings): Shipper {
  return new Run(settings).run;
}

class Run {
  private readonly settings: Required<ShipperSettings>;
  /** Of the database server; anything older than the first look at it may have been sent by somebody else. */
  private session = { start: "", newest: 0 };
  /** Batches that were made; a look into an empty outbox is none, or runs of one batch would all fill the same shard. */
  private turn = 0;

  constructor(settings: ShipperSettings) {
    this.settings = { bounds: BOUNDS, onStep: () => {}, ...settings };
  }

  run = async (stopping?: AbortSignal): Promise<Shipped> => {
    const shipped: Shipped = { batches: 0, rows: 0, failure: null };
    try {
      await this.look();
      /** Shards that did not take a batch: what comes later waits, because they know only the latest blocks again. */
      const waiting = new Set<number>();
      for (const batch of await listBatches(this.settings.sql)) {
        if (stopping?.aborted) return shipped;
        if (!waiting.has(batch.shard)) await this.ship(batch, true, shipped, waiting);
      }
      while (!stopping?.aborted) {
        const shard = await this.pickShard(waiting, shipped);
        if (shard === null) break;
        const batch = await makeBatch(this.settings.sql, shard, this.settings.bounds);
        if (!batch) break;
        this.turn++;
        await this.settings.onStep("claimed", shipped);
        await this.ship(batch, (batch.outboxIds[0] ?? 0) <= this.session.newest, shipped, waiting);
        if (batch.isLast) break;
      }
    } catch (error) {
      // Whatever it was, nothing that is known of the database holds any more.
      this.session = { start: "", newest: 0 };
      throw error;
    }
    return shipped;
  };

  private async look(): Promise<void> {
    const { start, newest } = await readServerStart(this.settings.sql);
    if (start !== this.session.start) this.session = { start, newest };
  }

  /** In turn, so that all shards grow alike. Null = none can take anything. */
  private async pickShard(waiting: ReadonlySet<number>, shipped: Shipped): Promise<number | null> {
    const known = [...(await shardsOf(this.settings.store)).keys()];
    if (known.length === 0) shipped.failure ??= new LogStoreAway("no server of the log store can be reached");
    const there = known.filter((shard) => !waiting.has(shard)).sort();
    return there[this.turn % Math.max(1, there.length)] ?? null;
  }

  private async ship(batch: Batch, maySent: boolean, shipped: Shipped, waiting: Set<number>): Promise<void> {
    const { sql, store, onStep } = this.settings;
    try {
      const flushes = await readOutboxRows(sql, batch.outboxIds);
      await onStep("read", shipped);
      shipped.rows += await lockForWriting(sql, () => sendBatch(store, batch, flushes, maySent));
      await onStep("sent", shipped);
    } catch (error) {
      if (error instanceof RowsRefused) return this.part(batch, error, shipped, waiting);
      if (!isOfStore(error)) throw error;
      shipped.failure ??= error;
      waiting.add(batch.shard);
      return;
    }
    await endBatch(sql, batch);
    shipped.batches += 1;
    await onStep("ended", shipped);
  }

  /** What is refused is kept, and tried again with every run; the rest goes on. */
  private async part(batch: Batch, error: RowsRefused, shipped: Shipped, waiting: Set<number>): Promise<void> {
    if (batch.outboxIds.length <= 1) {
      shipped.failure ??= error;
      return;
    }
    for (const half of await splitBatch(this.settings.sql, batch)) {
      if (!waiting.has(half.shard)) await this.ship(half, true, shipped, waiting);
    }
  }
}

/** What the log store says, or that it says nothing; anything else ends the run. */
function isOfStore(error: unknown): boolean {
  return error instanceof LogStoreAway || codeOf(error) !== null;
}
