import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A complete Weir (supervisor, PostgreSQL, gateways, worker; no console) whose processes a test can kill. */
export type Stack = {
  port: number;
  /** Kills every process with this role by SIGKILL; returns how many. */
  kill: (role: Role | "everything") => number;
  /** The process ids of its gateways. */
  gateways: () => number[];
  stop: () => Promise<void>;
};

export type Role = "gateway" | "worker" | "postgres";

const readyTimeoutMs = 100_000;

/**
 * Starts the bundled supervisor with the given data directory and waits until it is ready. With a DATABASE_URL in
 * `more` it is a second machine beside another stack.
 */
export async function startStack(
  main: string,
  dataDirectory: string,
  port: number,
  more: Record<string, string> = {},
): Promise<Stack> {
  const supervisor = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      DATABASE_URL: undefined,
      PORT: String(port),
      HOST: "127.0.0.1",
      WEIR_DATA_DIR: dataDirectory,
      WEIR_ROLES: "gateway,worker",
      WEIR_GATEWAY_WORKERS: "2",
      WEIR_ROOT_PASSWORD: "chaos-root-password",
      ...more,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  await waitUntilReady(supervisor).catch((error: unknown) => {
    supervisor.kill("SIGKILL");
    throw error;
  });
  return {
    port,
    kill: (role) => killProcesses(supervisor, role, dataDirectory),
    gateways: () =>
      descendants(supervisor.pid ?? 0, dataDirectory)
        .filter(({ command }) => isRole(command, "gateway"))
        .map(({ pid }) => pid),
    stop: async () => {
      if (supervisor.exitCode !== null || supervisor.signalCode !== null) return;
      supervisor.kill("SIGTERM");
      await once(supervisor, "exit");
    },
  };
}

/** The embedded server stores its port and password beside its data. */
export function databaseUrl(directory: string): string {
  const read = (name: string) => readFileSync(join(directory, "postgres", name), "utf8").trim();
  return `postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`;
}

async function waitUntilReady(supervisor: ChildProcess): Promise<void> {
  let output = "";
  for (const stream of [supervisor.stdout, supervisor.stderr]) {
    stream?.on("data", (part: Buffer) => {
      output = (output + part.toString()).slice(-20_000);
    });
  }
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready in time:\n${output}`)), readyTimeoutMs);
    supervisor.on("message", () => {
      clearTimeout(timer);
      resolve();
    });
    supervisor.once("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`the supervisor ended with ${code}:\n${output}`));
    });
  });
}

function killProcesses(supervisor: ChildProcess, role: Role | "everything", dataDirectory: string): number {
  const family = descendants(supervisor.pid ?? 0, dataDirectory);
  const victims = family.filter(({ command }) => role === "everything" || isRole(command, role));
  if (role === "everything") supervisor.kill("SIGKILL");
  for (const { pid } of victims) killHard(pid);
  return victims.length;
}

/** A process that has exited in the meantime is left alone. */
export function killHard(pid: number): void {
  // 0 would be every process of this run.
  if (!(pid > 0)) throw new Error(`there is no process ${pid} to kill`);
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

function isRole(command: string, role: Role): boolean {
  if (role === "postgres") return command.includes("postgres");
  return command.includes(`/${role}.js`);
}

type Process = { pid: number; parent: number; command: string };

/** All processes below the supervisor, and the PostgreSQL of its data directory even after it was re-parented. */
function descendants(root: number, dataDirectory: string): Process[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)));
  const parents = new Map(all.map((process) => [process.pid, process.parent]));
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && parent > 1 && (parent === root || isBelow(parent));
  };
  return all.filter(
    ({ pid, command }) => isBelow(pid) || (command.includes("postgres") && command.includes(dataDirectory)),
  );
}

function readProcess(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    return [{ pid, parent, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") }];
  } catch {
    return [];
  }
}
