import type { Server, ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { CUT_MS, type DrainPlan } from "./drain-limits";

/** What is served, and how it ends. */
export type Drained = {
  server: Server;
  /** From now on no answer keeps its connection. `endsAt`: when what still runs will be cut off, of performance.now(). */
  onClosing: (endsAt: number) => void;
  /** The port is closed; what is open goes on. */
  onClosed?: () => void;
  /** Tells all that still runs that it ends, and ends it. */
  onDeadline: () => void;
};

const SWEEP_MS = 100;
/** Between the first `connection: close` and the closed port, for who keeps connections. */
const LAST_MS = 1_000;
/** Where another process takes new connections: how long kept ones stay open that nobody uses. */
const KEPT_MS = 10_000;

/**
 * Ends the service of a port: pause, `connection: close` on every answer, the port, what runs, and at the deadline what
 * is left. Resolves when no connection is open any more.
 */
export async function drainServer(
  { server, onClosing, onClosed, onDeadline }: Drained,
  plan: DrainPlan,
): Promise<void> {
  const { pauseMs, drainMs, isReplaced } = plan;
  const endsAt = performance.now() + drainMs;
  await delay(pauseMs);
  // Before the listener that answers.
  server.prependListener("request", closesConnection);
  onClosing(endsAt);
  if (pauseMs > 0) await delay(Math.min(LAST_MS, pauseMs));
  // The server's own `close` also closes kept connections at once, perhaps in the moment when a request arrives on one,
  // and no longer looks for those on which nothing ever arrives.
  const closed = new Promise<void>((done) => void NetServer.prototype.close.call(server, () => done()));
  onClosed?.();
  const sweepsFrom = performance.now() + (isReplaced ? Math.min(KEPT_MS, drainMs / 2) : 0);
  // Connections become idle only when their response ends, so idle ones are closed again and again.
  const sweep = setInterval(() => performance.now() >= sweepsFrom && server.closeIdleConnections(), SWEEP_MS);
  if (!isReplaced) server.closeIdleConnections();
  const left = Math.max(0, endsAt - performance.now());
  let last: NodeJS.Timeout | undefined;
  const deadline = setTimeout(() => {
    onDeadline();
    last = setTimeout(() => server.closeAllConnections(), Math.min(CUT_MS, Math.max(50, drainMs)));
  }, left);
  await closed;
  clearInterval(sweep);
  clearTimeout(deadline);
  clearTimeout(last);
}

function closesConnection(_request: unknown, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}
