import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { until } from "@/lib/testing/until";
import { processOwner } from "@/server/postgres-binaries";
import { freePort } from "@/tools/bench/alternatives";
import { childrenOf } from "../runtime/weir-process";
import { needPackages } from "./packages";

const POSTGRES_15 = "/usr/lib/postgresql/15/bin";

export type OwnPostgres = {
  url: string;
  /** Stops all of its processes where they are, without a word to anybody. */
  freeze: () => void;
  thaw: () => void;
  /** As `pg_ctl stop -m immediate`: what it has not written is recovered at the next start. */
  crash: () => Promise<void>;
  /** After a crash of either kind, also one that is only now ending. Resolves when it takes writes, or answers as a standby. */
  startAgain: () => Promise<void>;
  stop: () => Promise<void>;
};

/** Starts Debian's PostgreSQL 15 with an empty database. Installs it where it is missing. */
export async function startOwnPostgres(directory: string, settings: string[] = []): Promise<OwnPostgres> {
  needPackages({ [join(POSTGRES_15, "postgres")]: "postgresql-15" });
  const account = processOwner();
  const owner = account ?? {};
  const data = join(directory, "data");
  if (!existsSync(data)) {
    mkdirSync(directory, { recursive: true, mode: 0o711 });
    mkdirSync(data, { mode: 0o700 });
    if (account) chownSync(data, account.uid, account.gid);
    const made = spawnSync(
      join(POSTGRES_15, "initdb"),
      ["-D", data, "-U", "weir", "--auth=trust", "--encoding=UTF8", "--no-sync"],
      {
        ...owner,
        cwd: "/",
        encoding: "utf8",
      },
    );
    if (made.status !== 0) throw new Error(made.stderr);
  }
  const port = await freePort();
  const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", ...settings];
  const url = `postgres://weir@127.0.0.1:${port}/postgres`;
  const launch = (): ChildProcess =>
    spawn(join(POSTGRES_15, "postgres"), args, { ...owner, cwd: "/", stdio: "ignore" });
  let server = launch();
  // One that dies while it is looked at, or that leftovers of the one before keep from starting, is started once more.
  const untilUp = () =>
    until(async () => {
      if (hasEnded(server)) server = launch();
      return await isUp(url);
    }, 100_000);
  await untilUp();
  const signalAll = (signal: NodeJS.Signals): void => {
    if (hasEnded(server)) return;
    // The one that starts others first.
    server.kill(signal);
    for (const { pid } of childrenOf(server.pid ?? 0)) {
      try {
        process.kill(pid, signal);
      } catch {
        // It ended since it was listed, as backends of closed connections do.
      }
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (hasEnded(server)) return;
    signalAll("SIGCONT");
    server.kill(signal);
    await once(server, "exit");
  };
  return {
    url,
    freeze: () => signalAll("SIGSTOP"),
    thaw: () => signalAll("SIGCONT"),
    crash: () => end("SIGQUIT"),
    startAgain: untilUp,
    stop: () => end("SIGINT"),
  };
}

/** Copies a running server into a folder, from which `startOwnPostgres` starts a hot standby of it. Returns the folder. */
export function copyStandby(source: OwnPostgres, target: string): string {
  const owner = processOwner();
  mkdirSync(target, { mode: 0o711 });
  if (owner) chownSync(target, owner.uid, owner.gid);
  const { port } = new URL(source.url);
  const from = ["-h", "127.0.0.1", "-p", port, "-U", "weir", "-D", join(target, "data"), "-R", "-c", "fast"];
  const made = spawnSync(join(POSTGRES_15, "pg_basebackup"), from, { ...owner, cwd: "/", encoding: "utf8" });
  if (made.status !== 0) throw new Error(made.stderr);
  return target;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function isUp(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`
      select case when pg_is_in_recovery() then null else pg_logical_emit_message(true, 'test', 'a write to its log') end`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
