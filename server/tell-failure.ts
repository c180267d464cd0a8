import { tellSupervisor } from "./messages";

/**
 * The first import of each process: an error that ends it, also while the other imports run, is told to the supervisor, which ends
 * the start with it when the process cannot be started at all.
 */
process.on("uncaughtExceptionMonitor", (error: unknown) => {
  if (!process.connected) return;
  tellSupervisor({ type: "failed", reason: error instanceof Error ? error.message : String(error) });
});
