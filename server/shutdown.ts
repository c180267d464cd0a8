import { logger } from "@/lib/logger";

const forceMs = 30_000;

/** Runs `drain` once on SIGTERM, or when the supervisor is gone, then ends the process. Ctrl-C is the supervisor's. */
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
