import { createDatabase } from "@/db/client";
import { env } from "@/lib/env";
import { jobs } from "@/lib/jobs/registry";
import { startJobs } from "@/lib/jobs/run-jobs";
import { logger } from "@/lib/logger";
import { onShutdown } from "./shutdown";

const { DATABASE_URL: url } = env();
if (!url) throw new Error("DATABASE_URL is not set");
const database = createDatabase({ url, max: 4, applicationName: "weir-worker" });
const locks = createDatabase({ url, max: jobs.length, applicationName: "weir-worker-locks" });
const running = startJobs({ work: database.sql, locks: locks.sql }, jobs, {
  onRun: (id, result, tookMs) => logger.debug({ job: id, result, tookMs }, "job done"),
  onError: (id, error) => logger.error({ job: id, err: error }, "job failed; it runs again at its next turn"),
});
process.send?.({ type: "ready" });

onShutdown(async () => {
  await running.stop();
  await Promise.all([database.end(), locks.end()]);
});
