import { logger } from "@/lib/logger";

const forceMs = 30_000;

/**
 * Runs `drain` once on SIGTERM or when the supervisor has exited, then exits. SIGINT is ignored: only the supervisor
 * handles Ctrl-C.
 */
export function onShutdown(drain: () => Promise<void>): void {
  let started = false;
  async function shutdown(): Promise<void> {
    if (started) return;
    started = true;
    setTimeout(() => process.exit(1), forceMs).unref();
    try {
      await drain();
    } catch (error) {
      logger.error({ err: error }, "draining failed");
    }
    process.exit(0);
  }
  process.on("SIGTERM", shutdown);
  process.on("disconnect", shutdown);
  process.on("SIGINT", () => {});
}
