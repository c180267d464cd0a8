import type { Sql } from "@/db/client";
import { env } from "@/lib/env";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { logStoreConfig } from "@/lib/log-store/config";
import { moveOutboxToLog } from "@/lib/log-store/move-commands";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { createShipper, type Shipped, type Shipper } from "@/lib/log-store/ship";
import { countShipped, noteOutbox } from "@/lib/log-store/ship-totals";
import { logger } from "@/lib/logger";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
/** Without a log store there is nothing to move, but after one was given up. */
const MOVE_MS = 60_000;
const PREPARE_MS = 60_000;
/** Counting what waits reads the whole outbox. */
const LOOK_MS = 15_000;

type Target = { url: string; store: LogStore; ship: Shipper; isUpToDate: boolean; preparedAt: number };

let current: Target | null = null;
let pauseMs = 0;
let pausedUntil = 0;
let lookedAt = 0;
let movedAt = 0;

/** Sends what is in the outbox to the log store; without one, puts it into PostgreSQL's log. */
export async function shipLogs(sql: Sql, stopping?: AbortSignal): Promise<string> {
  const target = targetOf(sql);
  if (!target) return moveNowAndThen(sql, stopping);
  await look(sql);
  if (Date.now() < pausedUntil) return "the log store did not take the last rows; they wait";
  const shipped = await shipTo(target, stopping);
  countShipped(shipped);
  pauseMs = shipped.failure === null ? 0 : Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || FIRST_PAUSE_MS);
  pausedUntil = Date.now() + pauseMs;
  if (shipped.failure !== null) throw shipped.failure;
  return `${shipped.rows} rows in ${shipped.batches} batches`;
}

/** A server that was away when its tables were made, or is new, gets them first. */
async function shipTo(target: Target, stopping: AbortSignal | undefined): Promise<Shipped> {
  if (!target.isUpToDate && env().WEIR_MIGRATE && Date.now() - target.preparedAt > PREPARE_MS) {
    const isFirst = target.preparedAt === 0;
    target.preparedAt = Date.now();
    // One server that does not answer must not hold up those that do.
    const preparing = prepare(target);
    if (isFirst) await preparing;
  }
  const shipped = await target.ship(stopping);
  if (shipped.failure !== null) target.isUpToDate = false;
  return shipped;
}

async function prepare(target: Target): Promise<void> {
  try {
    target.isUpToDate = (await migrateLogStore(target.store)).away.length === 0;
  } catch (error) {
    logger.warn({ err: error }, "the tables of the log store could not be brought up to date; tried again in a minute");
  }
}

async function moveNowAndThen(sql: Sql, stopping?: AbortSignal): Promise<string> {
  if (Date.now() - movedAt < MOVE_MS) return "no log store";
  movedAt = Date.now();
  return `no log store; ${await moveOutboxToLog(sql, stopping)} rows moved into PostgreSQL's log`;
}

function targetOf(sql: Sql): Target | null {
  const config = logStoreConfig();
  if (!config) return null;
  const url = process.env.LOG_STORE_URL ?? "";
  if (current?.url !== url) {
    void current?.store.end();
    const store = createLogStore(config);
    current = { url, store, ship: createShipper({ sql, store }), isUpToDate: false, preparedAt: 0 };
  }
  return current;
}

async function look(sql: Sql): Promise<void> {
  if (Date.now() - lookedAt < LOOK_MS) return;
  noteOutbox(await readOutbox(sql));
  lookedAt = Date.now();
}
