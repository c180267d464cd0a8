import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createConnection } from "mysql2/promise";
import { until } from "@/tests/runtime/weir-process";
import { freePort } from "@/tools/bench/alternatives";
import { needPackages } from "./packages";

const SERVER = "/usr/sbin/mariadbd";
const INSTALL = "/usr/bin/mariadb-install-db";
const PASSWORD = "p@ss:w/rd";

export type OwnMariadb = { url: string; stop: () => Promise<void> };

/** Starts Debian's MariaDB with an empty database `there`. Installs it where it is missing. */
export async function startOwnMariadb(directory: string): Promise<OwnMariadb> {
  needPackages({ [SERVER]: "mariadb-server", [INSTALL]: "mariadb-server" });
  mkdirSync(directory, { recursive: true });
  const data = join(directory, "data");
  // It refuses root unless told so.
  const owner = process.getuid?.() === 0 ? ["--user=root"] : [];
  const made = spawnSync(
    INSTALL,
    ["--no-defaults", ...owner, `--datadir=${data}`, "--auth-root-authentication-method=normal", "--skip-test-db"],
    { encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(made.stderr || made.stdout);
  const port = await freePort();
  const options = [
    `--datadir=${data}`,
    `--port=${port}`,
    "--bind-address=127.0.0.1",
    `--socket=${join(directory, "s")}`,
  ];
  const server: ChildProcess = spawn(
    SERVER,
    ["--no-defaults", ...owner, ...options, "--innodb-flush-log-at-trx-commit=0"],
    {
      stdio: "ignore",
    },
  );
  const root = `mysql://root@127.0.0.1:${port}/mysql`;
  await until("MariaDB answers", async () => (await ask(root, ["select 1"])) || server.exitCode !== null, 100_000);
  await ask(root, [
    "create database there character set utf8mb4",
    `create user reader@'%' identified by '${PASSWORD}'`,
    "grant all on there.* to reader@'%'",
  ]);
  return {
    url: `mysql://reader:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/there`,
    async stop() {
      if (server.exitCode !== null) return;
      server.kill("SIGKILL");
      await once(server, "exit");
    },
  };
}

async function ask(url: string, statements: string[]): Promise<boolean> {
  try {
    const connection = await createConnection(url);
    for (const statement of statements) await connection.query(statement);
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
