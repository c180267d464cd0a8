import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";
import { freePort } from "@/bench/alternatives";
import { until } from "@/lib/testing/until";
import { processOwner } from "@/server/postgres-binaries";
import { needPackages } from "./packages";

const POSTGRES_15 = "/usr/lib/postgresql/15/bin";

export type OwnPostgres = { url: string; stop: () => Promise<void> };

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
  const server: ChildProcess = spawn(join(POSTGRES_15, "postgres"), args, { ...owner, cwd: "/", stdio: "ignore" });
  const url = `postgres://weir@127.0.0.1:${port}/postgres`;
  await until(() => isUp(url), 100_000);
  return {
    url,
    async stop() {
      if (server.exitCode !== null) return;
      server.kill("SIGINT");
      await once(server, "exit");
    },
  };
}

async function isUp(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => {} });
  try {
    await sql`select 1`;
    return true;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
