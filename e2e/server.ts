import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, lstatSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { startFakeUpstream } from "../lib/testing/fake-upstream";
import { createRunFolder } from "../lib/testing/run-folder";

/** A busy machine takes minutes for what takes seconds on a quiet one. */
const START_MS = 240_000;

export type TestServer = {
  url: string;
  password: string;
  upstreamUrl: string;
  /** The server's data directory. */
  directory: string;
  /** The end of what it has said so far. */
  output: () => string;
  stop: () => Promise<void>;
};

const password = "e2e-root-password";

/** Starts the built server on its own port, with root's account and a fake upstream. */
export async function startTestServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const upstream = await startFakeUpstream();
  const directory = createRunFolder("e2e");
  copyTemplate(directory);
  const port = await freePort();
  const server = launch(directory, { PORT: String(port), ...settings });
  const stop = async () => {
    await stopServer(server.process);
    await upstream.close();
    rmSync(directory, { recursive: true, force: true });
  };
  if (!(await server.ready)) {
    await stop();
    throw new Error(`the server did not start:\n${server.output()}`);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    password,
    upstreamUrl: upstream.url,
    directory,
    output: server.output,
    stop,
  };
}

/**
 * Creates a data directory with a migrated database and root's account; later servers start from a copy. Its database
 * does not survive a crash (fsync is off), so that the tests need not wait for the disk.
 */
export async function makeTemplate(): Promise<{ directory: string; remove: () => void }> {
  const directory = createRunFolder("e2e-template");
  // The worker alone is enough to set the database up.
  const server = launch(directory, { WEIR_ROLES: "worker" });
  const isReady = await server.ready;
  await stopServer(server.process);
  if (!isReady) throw new Error(`the database could not be set up:\n${server.output()}`);
  appendFileSync(
    join(directory, "postgres", "data", "postgresql.conf"),
    "\nfsync = off\nfull_page_writes = off\nsynchronous_commit = off\n",
  );
  // Copies that start at the same time must not use the same port.
  rmSync(join(directory, "postgres", "port"), { force: true });
  return { directory, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Copies the template. Without one, or if its data is a symbolic link, the server sets up its own database. */
function copyTemplate(directory: string): void {
  const template = process.env.WEIR_E2E_TEMPLATE ?? "";
  if (template === "" || !existsSync(template)) return;
  if (lstatSync(join(template, "postgres", "data")).isSymbolicLink()) return;
  // Unlike Node's own copy, `cp -a` keeps the owner of the files, which is the account that PostgreSQL runs under.
  const answer = spawnSync("cp", ["-a", `${template}/.`, directory], { encoding: "utf8" });
  if (answer.status !== 0) throw new Error(`the template could not be copied: ${answer.stderr}`);
}

function launch(directory: string, settings: Record<string, string>) {
  const server = spawn(process.execPath, [join("dist", "main.js")], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      WEIR_DATA_DIR: directory,
      WEIR_ROOT_PASSWORD: password,
      WEIR_GATEWAY_WORKERS: "1",
      // The tests' message receivers are on loopback.
      WEIR_EGRESS_ALLOW: "127.0.0.1",
      // All browsers of the run have one IP address.
      GLOBAL_API_RATE_LIMIT_ENABLE: "false",
      CRITICAL_RATE_LIMIT_ENABLE: "false",
      // A page that is opened right after a request has its row.
      WEIR_DURABLE_CHARGE: "database",
      // There is a server for each worker, and the memory of the machine is their disk.
      WEIR_FILL_WAL: "false",
      DATABASE_URL: undefined,
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  server.stdout?.on("data", collect);
  server.stderr?.on("data", collect);
  return { process: server, ready: becomesReady(server), output: () => output };
}

/** True when the server reports that it is ready; false when it exits first or the time is over. */
function becomesReady(server: ChildProcess): Promise<boolean> {
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), START_MS);
    const settle = (isReady: boolean) => {
      clearTimeout(timer);
      done(isReady);
    };
    server.on("message", (message) => {
      if (typeof message === "object" && "type" in message && message.type === "ready") settle(true);
    });
    server.once("exit", () => settle(false));
    server.once("error", () => settle(false));
  });
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const exited = new Promise<void>((done) => server.once("exit", () => done()));
  server.kill("SIGTERM");
  await exited;
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}
