import { createServer } from "node:http";
import next from "next";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import type { RelayHost } from "@/lib/playground/relay-host";
import { endRest } from "./end-rest";
import { onShutdown } from "./shutdown";

/** The console: Next.js on a loopback port. Only the gateway connects to it. */
const { WEIR_CONSOLE_PORT: port, NODE_ENV } = env();
if (!port) throw new Error("WEIR_CONSOLE_PORT is not set");
const hostname = "127.0.0.1";
const app = next({ dev: NODE_ENV !== "production", hostname, port });
const handle = app.getRequestHandler();
await app.prepare();

const server = createServer((request, response) => {
  response.once("finish", () => endRest(request));
  handle(request, response).catch((error: unknown) => {
    logger.error({ err: error, path: request.url }, "the console failed to answer");
    response.destroy();
  });
});
// Longer than the gateway keeps idle connections, so that it never writes to a connection that is being closed.
server.keepAliveTimeout = 75_000;
server.headersTimeout = 80_000;
server.requestTimeout = 0;
server.listen(port, hostname, () => process.send?.({ type: "ready" }));

onShutdown(async () => {
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  await closed;
  // Next's bundle stores the relay of the playground here. Stopping it returns its leases now, instead of when the
  // sweep finds it dead.
  await (await (globalThis as { weirRelayHost?: Promise<RelayHost> }).weirRelayHost)?.stop();
  await app.close();
});
