import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@/tools/bench/alternatives";

/** A gateway in a process of its own, which can be killed. */
export type GatewayProcess = {
  url: string;
  pid: number;
  kill: () => Promise<void>;
  /** SIGTERM; resolves to the exit code and how long it took. */
  terminate: () => Promise<{ code: number | null; tookMs: number }>;
};

/** `entry`: the bundled server/gateway. */
export async function startGatewayProcess(
  entry: string,
  databaseUrl: string,
  journalDirectory: string,
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const port = await freePort();
  const child = fork(entry, {
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      WEIR_JOURNAL_DIR: journalDirectory,
      WEIR_LOG_LEVEL: "silent",
      HOST: "127.0.0.1",
      PORT: String(port),
      ...env,
    },
  });
  await ready(child);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
    async terminate() {
      const startedAt = performance.now();
      const exited = once(child, "exit") as Promise<[number | null]>;
      child.kill("SIGTERM");
      const [code] = await exited;
      return { code, tookMs: performance.now() - startedAt };
    },
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", (code) => reject(new Error(`the gateway ended with ${code}`)));
  });
}

/** The files of a journal folder, a character for each byte. Its gateways rename and remove files meanwhile: those are left out. */
export function readJournals(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readFileSync(join(folder, name), "latin1")];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  });
}
