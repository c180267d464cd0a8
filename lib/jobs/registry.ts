import type { Sql } from "@/db/client";
import { sweepSignIns } from "@/lib/auth/sweep";
import { addChannelCharges } from "@/lib/billing/channel-charge-commands";
import { createNodeSweeper, createSweepStore } from "@/lib/billing/sweep";
import { tellOfLongOpenCircuits } from "@/lib/channel/circuit-commands";
import { env } from "@/lib/env";
import { forgetSettled } from "@/lib/log-store/settled-commands";
import { sweepCounters } from "@/lib/relay/admission/limits/commands";
import { sweepObjects } from "@/lib/relay/base/upstream-objects/commands";
import { sweepKeys } from "@/lib/relay/pipeline/idempotency/commands";
import { sweepCircuits } from "@/lib/relay/routing/circuits/commands";
import { closeLastMonth } from "@/lib/topup/issued-statement-commands";
import { askAboutOpenOrders, askAboutReversals } from "./ask-about-open-orders";
import { bookRefusedCharges } from "./book-refused-charges";
import { checkBooksNightly } from "./check-books";
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
import { cleanAlerts, watchAlerts } from "./evaluate-alerts";
import { expireUnpaidOrders } from "./expire-orders";
import { followTasks } from "./follow-tasks";
import { forgetDeletions } from "./forget-deletions";
import { forgetUnknownKeys } from "./forget-unknown-keys";
import { pollOpen } from "./poll-open-charges";
import { purgeOldCaptures } from "./purge-captures";
import { rollUpHealth } from "./roll-up-health";
import { sumUsage } from "./roll-up-usage";
import { LOG_SHIPPING, shipLogs } from "./ship-logs";
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
  { id: LOG_SHIPPING, everyMs: 2_000, run: shipLogs },
];
