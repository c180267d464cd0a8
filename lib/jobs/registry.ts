import type { Sql } from "@/db/client";
import { evaluateAlerts, removeOldFirings } from "@/lib/alert/evaluate-commands";
import { sweepSignIns } from "@/lib/auth/sweep";
import { addChannelCharges } from "@/lib/billing/channel-charge-commands";
import { retryRefused } from "@/lib/billing/refused-commands";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import { createNodeSweeper, createSweepStore } from "@/lib/billing/sweep";
import { checkBooks, isCheckDue } from "@/lib/books/check-books-commands";
import { purgeCaptures } from "@/lib/capture/store-commands";
import { forgetOldDeletions } from "@/lib/channel/bulk-undo-commands";
import { tellOfLongOpenCircuits } from "@/lib/channel/circuit-commands";
import { nowSeconds } from "@/lib/clock";
import { env } from "@/lib/env";
import { deleteOldModelHealth, rollUpModelHealth } from "@/lib/health/model-rollup-commands";
import { deleteOldChannelHealth, rollUpChannelHealth } from "@/lib/health/rollup-commands";
import { forgetSettled } from "@/lib/log-store/settled-commands";
import {
  deleteOldUnknownKeys,
  pollTasks,
  sweepCircuits,
  sweepCounters,
  sweepKeys,
  sweepObjects,
} from "@/lib/relay/side";
import { rollUpUsage } from "@/lib/statistics/rollup-commands";
import { closeLastMonth } from "@/lib/topup/issued-statement-commands";
import { checkOpenOrders } from "@/lib/topup/open-order-commands";
import { expireOrdersBy } from "@/lib/topup/order-commands";
import { checkReversals } from "@/lib/topup/reversal-poll-commands";
import { clearLogs } from "./clear-logs";
import {
  cleanNotifications,
  deliverNotifications,
  warnOfBudgets,
  warnOfExpiringKeys,
  warnOfLowBalances,
} from "./deliver-notifications";
import { ensureLogPartitions } from "./ensure-log-partitions";
import { eraseNames } from "./erase-names";
import { pollOpen } from "./poll-open-charges";
import { LOG_SHIPPING, shipEveryMs, shipLogs } from "./ship-logs";
import { testChannels } from "./test-channels";

export type Job = {
  id: string;
  everyMs: number;
  /**
   * Returns a short result for the log. Runs in one process at a time, across all machines. `stopping`: the process stops;
   * a job that may take minutes ends early then, and what is left is for the next run.
   */
  run: (sql: Sql, stopping?: AbortSignal) => Promise<string>;
};

/** Its watch lasts as long as this process. */
const sweepNodes = createNodeSweeper();

export const jobs: Job[] = [
  { id: "lease-sweep", everyMs: 5_000, run: async (sql) => `${await sweepNodes(createSweepStore(sql))} processes` },
  { id: "channel-charges", everyMs: 10_000, run: async (sql) => `${await addChannelCharges(sql)} rows` },
  { id: "refused-charges", everyMs: 600_000, run: bookRefusedCharges },
  { id: "idempotency-sweep", everyMs: 600_000, run: async (sql) => `${await sweepKeys(sql)} keys` },
  { id: "upstream-objects", everyMs: 3_600_000, run: async (sql) => `${await sweepObjects(sql)} objects` },
  { id: "open-charges", everyMs: 5_000, run: pollOpen },
  { id: "log-clearing", everyMs: 60_000, run: clearLogs },
  { id: "erased-names", everyMs: 600_000, run: eraseNames },
  {
    id: "counter-sweep",
    everyMs: 3_600_000,
    run: async (sql) => `${await sweepCounters(sql, env().CRITICAL_RATE_LIMIT_DURATION)} counters`,
  },
  { id: "sign-in-sweep", everyMs: 600_000, run: sweepSignIns },
  { id: "notification-delivery", everyMs: 2_000, run: deliverNotifications },
  { id: "low-balance", everyMs: 30_000, run: warnOfLowBalances },
  { id: "alerts", everyMs: 60_000, run: watchAlerts },
  { id: "alert-cleanup", everyMs: 6 * 3_600_000, run: cleanAlerts },
  { id: "budget-warnings", everyMs: 60_000, run: warnOfBudgets },
  { id: "key-expiry", everyMs: 600_000, run: warnOfExpiringKeys },
  { id: "captures", everyMs: 300_000, run: purgeOldCaptures },
  { id: "unknown-keys", everyMs: 3_600_000, run: forgetUnknownKeys },
  { id: "notification-cleanup", everyMs: 6 * 3_600_000, run: cleanNotifications },
  { id: "channel-tests", everyMs: 30_000, run: testChannels },
  { id: "channel-health", everyMs: 60_000, run: rollUpHealth },
  { id: "usage-sums", everyMs: 60_000, run: sumUsage },
  { id: "open-circuits", everyMs: 60_000, run: async (sql) => `${await tellOfLongOpenCircuits(sql)} channels` },
  { id: "circuit-sweep", everyMs: 3_600_000, run: async (sql) => `${await sweepCircuits(sql)} circuits` },
  { id: "channel-deletions", everyMs: 3_600_000, run: forgetDeletions },
  { id: "tasks", everyMs: 15_000, run: followTasks },
  { id: "open-orders", everyMs: 60_000, run: askAboutOpenOrders },
  { id: "reversals", everyMs: 300_000, run: askAboutReversals },
  { id: "unpaid-orders", everyMs: 300_000, run: expireUnpaidOrders },
  { id: "month-close", everyMs: 60_000, run: closeLastMonth },
  { id: "books", everyMs: 600_000, run: checkBooksNightly },
  { id: "log-partitions", everyMs: 3_600_000, run: ensureLogPartitions },
  {
    id: "settled-requests",
    everyMs: 3_600_000,
    run: async (sql) => ((await forgetSettled(sql)) ? "a day" : "nothing"),
  },
  {
    id: LOG_SHIPPING,
    get everyMs() {
      return shipEveryMs();
    },
    run: shipLogs,
  },
];

/** Asks payment providers about unpaid orders. */
async function askAboutOpenOrders(sql: Sql): Promise<string> {
  const { asked, credited } = await checkOpenOrders(sql);
  return `${asked} asked about, ${credited} credited`;
}

/** Asks payment providers about refunds and disputes. */
async function askAboutReversals(sql: Sql): Promise<string> {
  return `${await checkReversals(sql)} new`;
}

async function expireUnpaidOrders(sql: Sql): Promise<string> {
  return `${await expireOrdersBy(sql)} given up`;
}

/** Tries to book charges again that PostgreSQL refused: what was wrong may have been put right. */
async function bookRefusedCharges(sql: Sql): Promise<string> {
  const { booked, refused } = await retryRefused(sql, createSettlementStore(sql));
  return `${booked} booked, ${refused} still refused`;
}

/** Checks the books once a night. */
async function checkBooksNightly(sql: Sql): Promise<string> {
  if (!(await isCheckDue(sql))) return "not due";
  return `${(await checkBooks(sql)).length} differences`;
}

/** Evaluates the alert rules that are due. */
async function watchAlerts(sql: Sql): Promise<string> {
  return `${await evaluateAlerts(sql, nowSeconds())} rules`;
}

/** Removes the history of alerts that is too old. */
async function cleanAlerts(sql: Sql): Promise<string> {
  return `${await removeOldFirings(sql, nowSeconds())} firings`;
}

/** Asks upstreams how far their tasks are (contract §7); does nothing where UPDATE_TASK is off. */
async function followTasks(sql: Sql): Promise<string> {
  if (!env().UPDATE_TASK) return "switched off";
  const { asked, ended } = await pollTasks(sql);
  return `${asked} asked about, ${ended} ended`;
}

/** Removes the stored copies of deleted channels whose undo period is over. */
async function forgetDeletions(sql: Sql): Promise<string> {
  return `${await forgetOldDeletions(sql)} forgotten`;
}

/** Deletes old counts of requests with unknown API keys. */
async function forgetUnknownKeys(sql: Sql): Promise<string> {
  return `${await deleteOldUnknownKeys(sql, nowSeconds())} counts`;
}

/** Deletes captured requests whose time is over. */
async function purgeOldCaptures(sql: Sql): Promise<string> {
  return `${await purgeCaptures(sql, nowSeconds())} captures`;
}

/** Sums the finished hours of the usage log by channel and by model, and deletes sums that are too old. */
async function rollUpHealth(sql: Sql): Promise<string> {
  const now = nowSeconds();
  const hours = (await rollUpChannelHealth(sql, now)) + (await rollUpModelHealth(sql, now));
  const deleted = (await deleteOldChannelHealth(sql, now)) + (await deleteOldModelHealth(sql, now));
  return deleted === 0 ? `${hours} hours` : `${hours} hours, ${deleted} old rows deleted`;
}

/** Sums the finished hours of metered consumption. */
async function sumUsage(sql: Sql): Promise<string> {
  return `${await rollUpUsage(sql)} hours`;
}
