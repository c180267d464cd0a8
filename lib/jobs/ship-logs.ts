import type { Sql } from "@/db/client";
import { env } from "@/lib/env";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { createMigrator } from "@/lib/log-store/clickhouse/migrations";
import { logStoreConfig } from "@/lib/log-store/config";
import { moveOutboxToLog } from "@/lib/log-store/move-commands";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { createShipper, type Shipper } from "@/lib/log-store/ship";
import { countShipped, noteOutbox } from "@/lib/log-store/ship-totals";

const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
/** Without a log store there is nothing to move, but after one was given up. */
const MOVE_MS = 60_000;
/** Counting what waits reads the whole outbox. */
const LOOK_MS = 15_000;

type Current = { url: string; store: LogStore; ship: Shipper; migrate: () => Promise<void> };
let current: Current | null = null;
let pauseMs = 0;
let pausedUntil = 0;
let lookedAt = 0;
let movedAt = 0;

/** Sends what is in the outbox to the log store; without one, puts it into PostgreSQL's log. */
export async function shipLogs(sql: Sql, stopping?: AbortSignal): Promise<string> {
  const shipper = shipperOf(sql);
  if (!shipper) return moveNowAndThen(sql, stopping);
  await look(sql);
  if (Date.now() < pausedUntil) return "the log store did not take the last rows; they wait";
  if (env().WEIR_MIGRATE) await shipper.migrate();
  const shipped = await shipper.ship(stopping);
  countShipped(shipped);
  pauseMs = shipped.failure === null ? 0 : Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || FIRST_PAUSE_MS);
  pausedUntil = Date.now() + pauseMs;
  if (shipped.failure !== null) throw shipped.failure;
  return `${shipped.rows} rows in ${shipped.batches} batches`;
}

async function moveNowAndThen(sql: Sql, stopping?: AbortSignal): Promise<string> {
  if (Date.now() - movedAt < MOVE_MS) return "no log store";
  movedAt = Date.now();
  return `no log store; ${await moveOutboxToLog(sql, stopping)} rows moved into PostgreSQL's log`;
}

function shipperOf(sql: Sql): Current | null {
  const config = logStoreConfig();
  if (!config) return null;
  const url = process.env.LOG_STORE_URL ?? "";
  if (current?.url !== url) {
    void current?.store.end();
    const store = createLogStore(config);
    current = { url, store, ship: createShipper({ sql, store }), migrate: createMigrator(store) };
  }
  return current;
}

async function look(sql: Sql): Promise<void> {
  if (Date.now() - lookedAt < LOOK_MS) return;
  noteOutbox(await readOutbox(sql));
  lookedAt = Date.now();
}
