import { logger } from "@/lib/logger";
import { type DrainPlan, exitMsOf, planReplacement } from "./drain-limits";
import { onSupervisor } from "./messages";

/** A SIGTERM that reaches the whole process group reaches the supervisor too, and its plan follows. */
const PLAN_MS = 1_000;

/**
 * Runs `drain` once when the supervisor says so, on SIGTERM, or when the supervisor has exited; then exits. SIGINT and
 * SIGHUP are ignored: only the supervisor handles Ctrl-C and a terminal that is closed.
 */
export function onShutdown(drain: (plan: DrainPlan) => Promise<void>): void {
  let isStarted = false;
  async function shutdown(plan: DrainPlan): Promise<void> {
    if (isStarted) return;
    isStarted = true;
    setTimeout(() => process.exit(1), exitMsOf(plan)).unref();
    try {
      await drain(plan);
    } catch (error) {
      logger.error({ err: error }, "draining failed");
    }
    process.exit(0);
  }
  onSupervisor("drain", ({ plan }) => shutdown(plan));
  process.on("SIGTERM", () => setTimeout(() => shutdown(planReplacement()), process.connected ? PLAN_MS : 0));
  process.on("disconnect", () => shutdown(planReplacement()));
  process.on("SIGINT", () => {});
  process.on("SIGHUP", () => {});
}
