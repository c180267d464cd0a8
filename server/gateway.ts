import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import { createGateway } from "./gateway-server";
import { keepTickShape } from "./keep-tick-shape";
import { onShutdown } from "./shutdown";

/** One gateway process; all gateway processes share the port through node:cluster. */
const {
  DATABASE_URL: databaseUrl,
  PORT: port,
  HOST: host,
  WEIR_CONSOLE_PORT: consolePort,
  WEIR_CONSOLE_REQUESTS_PER_CLIENT: perClient,
  WEIR_JOURNAL_DIR: journalDirectory,
  TRUST_PROXY: trustProxy,
} = env();
if (!databaseUrl) throw new Error("DATABASE_URL is not set");

keepTickShape();
process.on("unhandledRejection", (error) => logger.error({ err: error }, "unhandled rejection"));

const gateway = await createGateway({
  databaseUrl,
  consolePort,
  trustProxy,
  journalDirectory,
  consoleLimits: { perClient },
});
gateway.server.listen(port, host, () => process.send?.({ type: "ready" }));
onShutdown(gateway.stop);
