import "./tell-failure";
import { executionAsyncResource } from "node:async_hooks";
import { watchPools } from "@/db/pool-watch";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import { createRequestLog } from "@/lib/relay";
import { startTracing } from "@/lib/relay/http/tracing";
import { createRequestLines } from "@/lib/request-lines";
import { createGateway } from "./gateway-server";
import { onSupervisor, tellSupervisor } from "./messages";
import { answerReports } from "./metrics/report";
import { refuseOldSchema } from "./refuse-old-schema";
import { releaseMemory } from "./release-memory";
import { onShutdown } from "./shutdown";

/** Keeps the object alive; never read. */
const kept = new Set<object>();

/**
 * Keeps one of the objects that process.nextTick creates alive for the life of the process. V8 learns their shape from
 * the first one and forgets it with the last: after a garbage collection that finds none alive, every later nextTick
 * takes five times as long (250 ns rather than 50 on Node.js 20). A request makes ten of them, a chunk four.
 */
function keepTickShape(): void {
  process.nextTick(() => {
    kept.add(executionAsyncResource());
  });
}

/** One gateway process; all gateway processes share the port through node:cluster. */
const settings = env();
const {
  DATABASE_URL: databaseUrl,
  DATABASE_DIRECT_URL: directUrl,
  PORT: port,
  HOST: host,
  WEIR_CONSOLE_PORT: consolePort,
  WEIR_CONSOLE_REQUESTS_PER_CLIENT: perClient,
  WEIR_JOURNAL_DIR: journalDirectory,
  WEIR_DURABLE_CHARGE: durableIn,
  TRUST_PROXY: trustProxy,
  WEIR_METRICS_PORT: metricsPort,
} = settings;
if (!databaseUrl) throw new Error("DATABASE_URL is not set");

const isMeasured = metricsPort !== undefined;
await refuseOldSchema(directUrl ?? databaseUrl);
if (isMeasured) watchPools();
keepTickShape();
process.on("unhandledRejection", (error) => logger.error({ err: error }, "unhandled rejection"));

const tracing = await startTracing(settings);
const gateway = await createGateway({
  databaseUrl,
  directUrl,
  consolePort,
  trustProxy,
  journalDirectory,
  durableIn,
  consoleLimits: { perClient },
  isMeasured,
  tracing,
  onEnd: createRequestLog({ lines: createRequestLines(), share: settings.WEIR_REQUEST_LOG }),
  onProbed: () => tellSupervisor({ type: "probed" }),
});
answerReports({ reason: gateway.readiness.reason, families: gateway.figures }, isMeasured);
releaseMemory();
gateway.server.listen(port, host, () => tellSupervisor({ type: "ready" }));
onSupervisor("console-replaced", gateway.renewConsole);
onShutdown(async (plan) => {
  await gateway.stop(plan);
  await tracing?.stop();
});
