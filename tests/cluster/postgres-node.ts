import { chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { processOwner } from "@/server/postgres-binaries";
import { isAlive, until } from "../runtime/weir-process";
import { familyOf, killHard, type Program, startProgram } from "./program";
import type { Values } from "./values";

export type Role = "primary" | "replica";

/** A machine with Patroni and its PostgreSQL. */
export type PostgresNode = {
  name: string;
  address: string;
  /** What Patroni says of it; null = it does not answer, or its PostgreSQL does not run. */
  role: () => Promise<Role | null>;
  /** Whether commits wait for it. */
  isSynchronous: () => Promise<boolean>;
  /** Starts Patroni, which starts PostgreSQL. */
  start: () => void;
  /** As when its machine loses its power: Patroni and all processes of PostgreSQL by SIGKILL. */
  kill: () => Promise<void>;
  /** From now on it sends nothing to its standbys, as when the network between them is stuck. */
  holdBack: () => void;
  /** Without a trace in the machine's memory. */
  stop: () => Promise<void>;
  output: () => string;
};

const STOP_MS = 20_000;

type Machine = Values["machines"][number];

export function postgresNode(folder: string, values: Values, { name, address }: Machine): PostgresNode {
  const home = join(folder, name);
  const owner = processOwner();
  mkdirSync(home, { mode: 0o700 });
  const config = join(home, "patroni.yml");
  writeFileSync(config, values.fill("patroni.yml.in", name));
  if (owner) for (const path of [home, config]) chownSync(path, owner.uid, owner.gid);
  let patroni: Program | null = null;
  const ask = async (path: string): Promise<Response | null> =>
    fetch(`http://${address}:8008${path}`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
  return {
    name,
    address,
    async role() {
      const [primary, replica] = await Promise.all([ask("/primary"), ask("/replica")]);
      if (primary?.status === 200) return "primary";
      return replica?.status === 200 ? "replica" : null;
    },
    isSynchronous: async () => (await ask("/synchronous"))?.status === 200,
    start() {
      if (patroni && !patroni.hasEnded()) return;
      patroni = startProgram("/usr/bin/patroni", [config], { ...owner, env: { HOME: home } });
    },
    async kill() {
      const postmaster = postmasterOf(join(home, "data"));
      const family = postmaster === 0 ? [] : [{ pid: postmaster }, ...familyOf(postmaster)];
      await patroni?.kill();
      for (const { pid } of family) killHard(pid);
    },
    holdBack() {
      const senders = familyOf(postmasterOf(join(home, "data"))).filter(({ command }) => command.includes("walsender"));
      for (const { pid } of senders) process.kill(pid, "SIGSTOP");
    },
    async stop() {
      await patroni?.kill();
      const postmaster = postmasterOf(join(home, "data"));
      if (postmaster === 0) return;
      process.kill(postmaster, "SIGQUIT");
      await until("PostgreSQL has ended", () => !isAlive(postmaster), STOP_MS);
    },
    output: () => patroni?.output() ?? "",
  };
}

/** PostgreSQL is no child of Patroni's, so that it outlives it. 0 = it does not run. */
function postmasterOf(data: string): number {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) return 0;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  // The number may be another process's by now.
  const command = existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "";
  return command.includes(data) ? pid : 0;
}
