import "./tell-failure";
import { createDatabase } from "@/db/client";
import { watchPools } from "@/db/pool-watch";
import { directUrlOf, env } from "@/lib/env";
import { JobLocks } from "@/lib/jobs/job-locks";
import { jobs } from "@/lib/jobs/registry";
import { startJobs } from "@/lib/jobs/run-jobs";
import { LOG_SHIPPING } from "@/lib/jobs/ship-logs";
import { logStoreOutage } from "@/lib/log-store/outage";
import { isStoreTrouble } from "@/lib/log-store/trouble";
import { logger } from "@/lib/logger";
import { JobTotals } from "@/lib/metrics/job-totals";
import { readArchives, readLogStore } from "@/lib/metrics/log-store";
import { readRefunds } from "@/lib/metrics/refunds";
import { startTracing } from "@/lib/relay/http/tracing";
import { tellSupervisor } from "./messages";
import { answerReports } from "./metrics/report";
import { createReadiness } from "./readiness";
import { refuseOldSchema } from "./refuse-old-schema";
import { releaseMemory } from "./release-memory";
import { onShutdown } from "./shutdown";

const settings = env();
const { WEIR_METRICS_PORT: metricsPort } = settings;
/** Never through a pooler: jobs have locks that outlive transactions, and statements that take minutes. */
const url = directUrlOf(settings);
if (!url) throw new Error("DATABASE_URL is not set");
await refuseOldSchema(url);
if (metricsPort !== undefined) watchPools();
/** Statements of jobs may take minutes, so after this long without a word it is asked whether the server is at work. */
const askAfterMs = 5_000;
const lockStatementMs = 5_000;

const database = createDatabase({ url, max: 4, applicationName: "weir-worker", askAfterMs });
const locks = createDatabase({
  url,
  max: 2,
  applicationName: "weir-worker-locks",
  statementTimeoutMs: lockStatementMs,
});
const tracing = await startTracing(settings);
const readiness = createReadiness();
const totals = new JobTotals();
const running = startJobs({ work: database.sql, locks: new JobLocks(locks.sql) }, jobs, {
  onRun(id, result, tookMs) {
    totals.done(id, tookMs);
    // That job says itself whether it could send: it also ends well while it waits for its next try.
    if (id !== LOG_SHIPPING) logStoreOutage.worked(id);
    logger.debug({ job: id, result, tookMs }, "job done");
  },
  onError(id, error) {
    totals.failed(id);
    if (isStoreTrouble(error)) return logStoreOutage.failed(id, error);
    logger.error({ job: id, err: error }, "job failed; it runs again at its next turn");
  },
});
answerReports(
  {
    reason: readiness.reason,
    families: () => [...totals.read(), ...readRefunds(), ...readArchives(), ...readLogStore()],
  },
  metricsPort !== undefined,
);
releaseMemory();
readiness.started();
tellSupervisor({ type: "ready" });

onShutdown(async () => {
  readiness.draining();
  await running.stop();
  await tracing?.stop();
  await Promise.all([database.end(), locks.end()]);
});
