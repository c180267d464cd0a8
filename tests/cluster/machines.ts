import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@/tools/bench/alternatives";
import { type Role, type Stack, startStack } from "../chaos/stack";
import { type Haproxy, startHaproxy } from "../operations/haproxy";

/** Machines with Weir, behind HAProxy with ops/haproxy/haproxy.cfg. */
export type Machines = {
  url: string;
  count: number;
  /** By SIGKILL; the supervisor starts the role again. */
  kill: (machine: number, role: Role) => void;
  /** The whole machine by SIGKILL, and then on again with its disk. */
  restart: (machine: number) => Promise<void>;
  stop: () => Promise<void>;
};

export async function startMachines(
  main: string,
  folder: string,
  count: number,
  env: Record<string, string>,
): Promise<Machines> {
  const ports: number[] = [];
  for (let machine = 0; machine < count; machine++) ports.push(await freePort());
  const start = (machine: number): Promise<Stack> => {
    const data = join(folder, `machine-${machine + 1}`);
    mkdirSync(data, { recursive: true });
    return startStack(main, data, ports[machine] ?? 0, {
      ...env,
      WEIR_GATEWAY_WORKERS: "1",
      WEIR_DRAIN_PAUSE_SECONDS: "0",
      TRUST_PROXY: "127.0.0.1",
    });
  };
  const haproxy: Haproxy = await startHaproxy(folder, ports);
  const stacks: Stack[] = [];
  for (let machine = 0; machine < count; machine++) stacks.push(await start(machine));
  for (let machine = 0; machine < count; machine++) await haproxy.untilServer(machine, "UP");
  return {
    url: haproxy.url,
    count,
    kill: (machine, role) => void stacks[machine]?.kill(role),
    async restart(machine) {
      stacks[machine]?.kill("everything");
      stacks[machine] = await start(machine);
      await haproxy.untilServer(machine, "UP");
    },
    async stop() {
      await Promise.all(stacks.map((stack) => stack.stop()));
      await haproxy.stop();
    },
  };
}
