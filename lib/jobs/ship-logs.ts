import type { Sql } from "@/db/client";
import { env } from "@/lib/env";
import { createCompleter } from "@/lib/log-store/by-user-commands";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { createMigrator } from "@/lib/log-store/clickhouse/migrations";
import { logStoreConfig } from "@/lib/log-store/config";
import { logStoreOutage } from "@/lib/log-store/outage";
import { moveOutboxToLog } from "@/lib/log-store/outbox-commands";
import { countWaitingRows, readOutbox } from "@/lib/log-store/outbox-queries";
import { createShipper, type Shipped, type Shipper, type ShipStep } from "@/lib/log-store/ship";
import { countShipped, noteOutbox } from "@/lib/log-store/ship-totals";
import { isStoreTrouble } from "@/lib/log-store/trouble";

/** Its name in the registry, and in what is said of an outage. */
export const LOG_SHIPPING = "log-shipping";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
const SHIP_MS = 2_000;
/** Without a log store there is nothing to move, but after one was given up. */
const MOVE_MS = 60_000;
/** Counting what waits reads the whole outbox. */
const LOOK_MS = 15_000;

export const shipEveryMs = (): number => (logStoreConfig() ? SHIP_MS : MOVE_MS);

type Current = {
  url: string;
  store: LogStore;
  ship: Shipper;
  migrate: () => Promise<void>;
  complete: (stopping?: AbortSignal) => Promise<void>;
};
let current: Current | null = null;
let pauseMs = 0;
let pausedUntil = 0;
let lookedAt = 0;

/** Sends what is in the outbox to the log store; without one, puts it into PostgreSQL's log. */
export async function shipLogs(sql: Sql, stopping?: AbortSignal): Promise<string> {
  const shipper = shipperOf(sql);
  if (!shipper) return `no log store; ${await moveOutboxToLog(sql, stopping)} rows moved into PostgreSQL's log`;
  await look(sql);
  if (Date.now() < pausedUntil) return "the log store did not take the last rows; they wait";
  const shipped = await noting(sql, async () => {
    if (env().WEIR_MIGRATE) await shipper.migrate();
    return shipper.ship(stopping);
  });
  countShipped(shipped);
  pauseMs = shipped.failure === null ? 0 : Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || FIRST_PAUSE_MS);
  pausedUntil = Date.now() + pauseMs;
  if (shipped.failure !== null) throw shipped.failure;
  await shipper.complete(stopping);
  return `${shipped.rows} rows in ${shipped.batches} batches`;
}

/** While the log store was away: how many rows waited before this run. */
let waitedRows: number | null = null;

/** Says when the log store goes away, and as soon as it has taken a batch again. */
async function noting(sql: Sql, ship: () => Promise<Shipped>): Promise<Shipped> {
  waitedRows = logStoreOutage.isAway ? await countWaitingRows(sql) : null;
  const shipped = await ship().catch((failure: unknown) => {
    if (!isStoreTrouble(failure)) throw failure;
    return { batches: 0, rows: 0, failure };
  });
  if (shipped.failure === null) logStoreOutage.worked(LOG_SHIPPING, waitedRows);
  else if (isStoreTrouble(shipped.failure))
    logStoreOutage.failed(LOG_SHIPPING, shipped.failure, await countWaitingRows(sql));
  return shipped;
}

function shipperOf(sql: Sql): Current | null {
  const config = logStoreConfig();
  if (!config) return null;
  const url = process.env.LOG_STORE_URL ?? "";
  if (current?.url !== url) {
    void current?.store.end();
    const store = createLogStore(config);
    const ship = createShipper({ sql, store, onStep });
    current = { url, store, ship, migrate: createMigrator(store), complete: createCompleter(sql, store) };
  }
  return current;
}

function onStep(step: ShipStep, { failure }: Readonly<Shipped>): void {
  // What a server did not take comes first, so that this is one that takes rows again.
  if (step === "ended" && failure === null) logStoreOutage.worked(LOG_SHIPPING, waitedRows);
}

async function look(sql: Sql): Promise<void> {
  if (Date.now() - lookedAt < LOOK_MS) return;
  noteOutbox(await readOutbox(sql));
  lookedAt = Date.now();
}
