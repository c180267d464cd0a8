import "./tell-failure";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import next from "next";
import { watchPools } from "@/db/pool-watch";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import { readReplicaFigures } from "@/lib/metrics/replica-figures";
import type { RelayHost } from "@/lib/playground/relay-host";
import { startTracing } from "@/lib/relay/http/tracing";
import { compressAnswer } from "./compressed-answer";
import { drainServer } from "./drain";
import { endRest } from "./end-rest";
import { answerPage } from "./failed-page";
import { onSupervisor, tellSupervisor } from "./messages";
import { answerReports } from "./metrics/report";
import { createReadiness } from "./readiness";
import { releaseMemory, releaseWhenQuiet } from "./release-memory";
import { onShutdown } from "./shutdown";
import { createStaticFiles } from "./static-files";

/** The console: Next.js on a loopback port. Only the gateway connects to it. */
const settings = env();
const { WEIR_CONSOLE_PORT: port, WEIR_METRICS_PORT: metricsPort, NODE_ENV } = settings;
if (!port) throw new Error("WEIR_CONSOLE_PORT is not set");
const hostname = "127.0.0.1";
const readiness = createReadiness();
/** Next's bundle stores the relay of the playground here. */
const holder = globalThis as { weirRelayHost?: Promise<RelayHost> };
if (metricsPort !== undefined) watchPools();
const families = async () => [...((await holder.weirRelayHost)?.figures() ?? []), ...readReplicaFigures()];
answerReports({ reason: readiness.reason, families }, metricsPort !== undefined);
const tracing = await startTracing(settings);
const isProduction = NODE_ENV === "production";
if (isProduction) takeBuiltConfig();
const app = next({ dev: !isProduction, hostname, port });
const handle = app.getRequestHandler();
await app.prepare();
// The copies beside the files of a development build would be those of an earlier production build.
const sendStatic = isProduction ? createStaticFiles(join(".next", "static")) : async () => false;

/**
 * Next.js would load its compiler to read next.config.ts, which stays, 33 MB. Its own standalone server hands over what the
 * build made of that file in the same way.
 */
function takeBuiltConfig(): void {
  const { config } = JSON.parse(readFileSync(join(".next", "required-server-files.json"), "utf8")) as {
    config: object;
  };
  process.env.__NEXT_PRIVATE_STANDALONE_CONFIG = JSON.stringify(config);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (await sendStatic(request, response)) return;
  compressAnswer(request, response);
  await answerPage(request, response, () => handle(request, response));
}

releaseMemory();
const use = releaseWhenQuiet();
const server = createServer((request, response) => {
  use.begin();
  response.once("finish", () => endRest(request)).once("close", use.end);
  answer(request, response).catch((error: unknown) => {
    logger.error({ err: error, path: request.url }, "the console failed to answer");
    response.destroy();
  });
});
// Longer than the gateway keeps idle connections, so that it never writes to a connection that is being closed.
server.keepAliveTimeout = 75_000;
server.headersTimeout = 80_000;
server.requestTimeout = 0;
server.listen(port, hostname, () => {
  readiness.started();
  tellSupervisor({ type: "ready" });
});

async function cutOff(): Promise<void> {
  (await holder.weirRelayHost)?.cutOff();
}

onSupervisor("cut-off", cutOff);
onShutdown(async (plan) => {
  readiness.draining();
  const drained = {
    server,
    onClosing: () => {},
    onClosed: () => tellSupervisor({ type: "closed" }),
    onDeadline: () => void cutOff(),
  };
  await drainServer(drained, plan);
  // Returns the leases now, instead of when the sweep finds this process dead.
  await (await holder.weirRelayHost)?.stop();
  await app.close();
  await tracing?.stop();
});
