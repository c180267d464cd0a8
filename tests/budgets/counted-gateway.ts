import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { freePort } from "@/tools/bench/alternatives";
import type { Costs } from "./budgets";

const preload = pathToFileURL(join(import.meta.dirname, "count-costs.mjs")).href;
/**
 * The young space holds what a hundred answers allocate, so that nothing is collected while it is counted. When V8 optimises a
 * function depends on how busy the machine is, and optimised code allocates less.
 */
const flags = [
  "--expose-gc",
  "--min-semi-space-size=64",
  "--max-semi-space-size=64",
  "--no-memory-reducer",
  "--no-opt",
  "--no-flush-bytecode",
  "--no-lazy-feedback-allocation",
];

/** What the process does beside its work with each request, for the proof that the budgets see it. */
export type Fault = "none" | "promise" | "timer" | "bytes";
export type Counted = Costs & {
  /** Of garbage; bytes are right only without any. */
  collections: number;
  /** Where promises and timers were made, with WEIR_BUDGET_PLACES=1. */
  places: [string, number][];
};

/** A gateway as `npm start` runs it, in a process that counts (count-costs.mjs). */
export async function startCountedGateway(entry: string, env: Record<string, string>) {
  const port = await freePort();
  const child = fork(entry, {
    execArgv: ["--import", preload, ...flags, ...(process.env.WEIR_BUDGET_PLACES ? ["--enable-source-maps"] : [])],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...process.env,
      WEIR_LOG_LEVEL: "info",
      ...env,
      HOST: "127.0.0.1",
      PORT: String(port),
      NODE_ENV: "production",
    },
  });
  await started(child);

  function ask(costs: string, more: object = {}): Promise<unknown> {
    return new Promise((resolve) => {
      // The gateway tells its supervisor things, too.
      const hear = (message: { costs?: string; answer?: unknown }): void => {
        if (message.costs !== costs) return;
        child.off("message", hear);
        resolve(message.answer);
      };
      child.on("message", hear);
      child.send({ costs, ...more });
    });
  }

  return {
    port,
    standStill: (stepMs: number) => ask("standStill", { stepMs }),
    begin: (isBytes: boolean, fault: Fault) => ask("begin", { isBytes, fault }),
    end: () => ask("end") as Promise<Counted>,
    goOn: () => ask("goOn"),
    total: () => ask("total") as Promise<Costs>,
    async stop(): Promise<void> {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function started(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the gateway ended with ${code}`);
  });
  await Promise.race([once(child, "message"), ended]);
}
