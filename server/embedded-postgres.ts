import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { getPriority, setPriority } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { makeOwnFolder } from "./data-directory";
import { type Lifeline, startLifeline } from "./lifeline";
import { usableBytes } from "./machine-share";
import { freePort, portIfFree } from "./ports";
import { findBinaries, type ProcessOwner, prepareClusterDirectory, processOwner } from "./postgres-binaries";
import { socketFolder } from "./socket-folder";

export type EmbeddedPostgres = {
  url: string;
  /**
   * The same database over a Unix socket, if possible: cheaper for processes on this machine. For `db/connect.ts`;
   * postgres.js itself does not support this form of URL.
   */
  localUrl: string;
  port: number;
  /** For children that must not lose their database when this process is killed: see lifeline.ts. */
  lifeline: Lifeline["end"] | null;
  stop: () => Promise<void>;
  /** Stops it immediately; PostgreSQL recovers at the next start. */
  kill: () => void;
};

export type EmbeddedPostgresOptions = {
  /** Directory of the cluster, its password, its port and its log. */
  directory: string;
  /** Additional server settings, for example `{ fsync: "off" }` in tests. */
  settings?: Record<string, string>;
  onDeath?: (message: string) => void;
};

type Cluster = {
  data: string;
  logFile: string;
  passwordFile: string;
  portFile: string;
  /**
   * Exists while the cluster is being created. If it is there at a start, an earlier setup was interrupted and its
   * files are deleted.
   */
  setupMarker: string;
  binaries: string;
  owner: ProcessOwner;
  settings: Record<string, string>;
};

const user = "weir";
/** When it cannot start it ends by itself. After a crash it first replays what it has logged, which may take minutes. */
const startTimeoutMs = 600_000;
const stopTimeoutMs = 30_000;
const logBytesMax = 10_000_000;
/** How much nicer than this process: where both want a core, a stream's next bytes go before a flush (tools/bench/README.md). */
const niceness = 5;
const nicenessMax = 19;

/** Starts the built-in PostgreSQL and restarts it when it dies, until `stop` or `kill`. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const cluster = prepareCluster(options);
  await stopOrphan(cluster.data);
  if (existsSync(cluster.setupMarker) || !existsSync(join(cluster.data, "PG_VERSION"))) initialise(cluster);
  const port = await choosePort(cluster.portFile);
  // Only the cluster's account (and root) can enter the data directory, so the socket is protected too.
  const sockets = await socketFolder(cluster.data, port);
  const lifeline = startLifeline({
    data: cluster.data,
    directory: resolve(options.directory),
    owner: cluster.owner,
    tell: options.onDeath,
  });
  let server = await launchOnce();
  let stopping = false;
  let restart: Promise<void> | null = null;

  async function launchOnce(): Promise<ChildProcess> {
    const launched = await launch(cluster, port, sockets);
    if (launched.pid !== undefined) lifeline?.watch(launched.pid);
    return launched;
  }
  function watch(): void {
    server.once("exit", () => {
      if (!stopping) restart = revive();
    });
  }
  async function revive(): Promise<void> {
    options.onDeath?.("PostgreSQL stopped by itself; starting it again");
    for (let waitMs = 100; !stopping; waitMs = Math.min(waitMs * 2, 5_000)) {
      await delay(waitMs);
      try {
        server = await launchOnce();
        return watch();
      } catch (error) {
        options.onDeath?.(error instanceof Error ? error.message : String(error));
      }
    }
  }
  watch();
  return {
    port,
    lifeline: lifeline?.end ?? null,
    url: clusterUrl(cluster, port),
    localUrl: localUrl(cluster, port, sockets),
    async stop() {
      stopping = true;
      await restart;
      await stopServer(server);
      lifeline?.cut();
    },
    kill() {
      stopping = true;
      server.kill("SIGQUIT");
    },
  };
}

function prepareCluster(options: EmbeddedPostgresOptions): Cluster {
  const directory = resolve(options.directory);
  const owner = processOwner();
  const binaries = findBinaries(owner);
  makeOwnFolder(directory);
  const data = join(directory, "data");
  prepareClusterDirectory(data, owner);
  return {
    data: realpathSync(data),
    logFile: join(directory, "postgres.log"),
    passwordFile: join(directory, "password"),
    portFile: join(directory, "port"),
    setupMarker: join(directory, "being-made"),
    binaries,
    owner,
    settings: options.settings ?? {},
  };
}

function clusterUrl(cluster: Cluster, port: number): string {
  const password = readFileSync(cluster.passwordFile, "utf8").trim();
  return `postgres://${user}:${password}@127.0.0.1:${port}/postgres`;
}

function localUrl(cluster: Cluster, port: number, sockets: string): string {
  const url = clusterUrl(cluster, port);
  return sockets === "" ? url : `${url}?host=${encodeURIComponent(sockets)}`;
}

function spawnOptions(cluster: Cluster) {
  const { WEIR_SECRET: _secret, WEIR_ROOT_PASSWORD: _password, ...inherited } = process.env;
  const env = { ...inherited, LC_ALL: "C", TZ: "UTC" };
  return { ...(cluster.owner ?? {}), env, cwd: cluster.data };
}

function initialise(cluster: Cluster): void {
  writeFileSync(cluster.passwordFile, `${randomBytes(24).toString("hex")}\n`, { mode: 0o600 });
  if (existsSync(cluster.setupMarker)) {
    for (const name of readdirSync(cluster.data)) rmSync(join(cluster.data, name), { recursive: true, force: true });
  }
  writeFileSync(cluster.setupMarker, "");
  // initdb runs as the cluster's account, so it needs a copy of the password that it can read.
  const handover = join(cluster.data, "..", `initial-password-${process.pid}`);
  writeFileSync(handover, readFileSync(cluster.passwordFile), { mode: 0o600 });
  if (cluster.owner) chownSync(handover, cluster.owner.uid, cluster.owner.gid);
  const result = spawnSync(
    join(cluster.binaries, "initdb"),
    [
      `--pgdata=${cluster.data}`,
      `--username=${user}`,
      `--pwfile=${handover}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--no-instructions",
      ...(cluster.settings.fsync === "off" ? ["--no-sync"] : []),
    ],
    { ...spawnOptions(cluster), encoding: "utf8" },
  );
  rmSync(handover, { force: true });
  if (result.status !== 0) {
    const said = result.error?.message ?? (result.stderr || result.stdout);
    if (said.includes("effective user ID")) throw new Error(NAMELESS);
    throw new Error(`PostgreSQL could not be set up: ${said}`);
  }
  rmSync(cluster.setupMarker);
}

const NAMELESS =
  "The built-in PostgreSQL cannot be set up by an account that has no name in /etc/passwd: run as one that has, or set DATABASE_URL.";

async function choosePort(portFile: string): Promise<number> {
  const remembered = existsSync(portFile) ? Number(readFileSync(portFile, "utf8")) : 0;
  const port = (await portIfFree(remembered)) ?? (await freePort());
  writeFileSync(portFile, `${port}\n`, { mode: 0o600 });
  return port;
}

/**
 * shared_buffers: an eighth of the memory, because the gateways run on this machine too. Lists and charts read the same
 * indexes repeatedly. Unused pages take no memory.
 */
function sharedMib(): number {
  return Math.min(4_096, Math.max(128, Math.floor(usableBytes() / 8 / 1_048_576)));
}

async function launch(cluster: Cluster, port: number, sockets: string): Promise<ChildProcess> {
  removeStaleLocks(cluster.data);
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: sockets,
    max_connections: "200",
    shared_buffers: `${sharedMib()}MB`,
    // Creating a new WAL file takes the disk some 60 ms, during which nothing is committed. This keeps the files that
    // fill-wal.ts has made.
    min_wal_size: "512MB",
    log_min_messages: "warning",
    timezone: "UTC",
    ...cluster.settings,
  };
  const args = Object.entries(settings).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  const tooLong = existsSync(cluster.logFile) && statSync(cluster.logFile).size > logBytesMax;
  const log = openSync(cluster.logFile, tooLong ? "w" : "a", 0o600);
  // Detached: Ctrl-C in the terminal must reach only the supervisor, which stops the database last.
  const server = spawn(join(cluster.binaries, "postgres"), ["-D", cluster.data, "-p", String(port), ...args], {
    ...spawnOptions(cluster),
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  // The processes that it starts inherit it.
  if (server.pid !== undefined) setPriority(server.pid, Math.min(nicenessMax, getPriority() + niceness));
  let failure: string | null = null;
  server.once("error", (error) => {
    failure = error.message;
  });
  server.once("exit", (code) => {
    failure = `it ended with code ${code}`;
  });
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await delay(20)) {
    if (failure !== null) break;
    if (readLock(cluster.data)?.ready) return server;
  }
  if (failure === null) server.kill("SIGQUIT");
  const tail = readFileSync(cluster.logFile, "utf8").trim().split("\n").slice(-5).join("\n");
  throw new Error(`PostgreSQL did not start (${failure ?? "timeout"}):\n${tail}`);
}

function readLock(data: string): { pid: number; ready: boolean } | null {
  try {
    const lines = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
    return { pid: Number(lines[0]), ready: lines[7]?.trim() === "ready" };
  } catch {
    return null;
  }
}

/** Whether the process really is a PostgreSQL server of this directory. Its process id may have been reused. */
function isServer(pid: number, data: string): boolean {
  if (process.platform === "linux") {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      return words.includes(data) && /postgres$/.test(words[0] ?? "");
    } catch {
      return false;
    }
  }
  if (process.platform === "win32") return true;
  const answer = spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], {
    encoding: "utf8",
  });
  return answer.stdout.includes("postgres") && answer.stdout.includes(data);
}

function removeStaleLocks(data: string): void {
  const lock = readLock(data);
  if (lock && isServer(lock.pid, data)) return;
  // These files contain a process id that may now belong to another program.
  for (const name of readdirSync(data)) {
    if (name === "postmaster.pid" || name.startsWith(".s.")) rmSync(join(data, name), { force: true });
  }
}

/** When the supervisor is killed, its database keeps running: stop that one before starting a new one. */
async function stopOrphan(data: string): Promise<void> {
  const lock = readLock(data);
  if (!lock || !isServer(lock.pid, data)) return;
  for (const signal of ["SIGINT", "SIGQUIT"] as const) {
    process.kill(lock.pid, signal);
    for (const deadline = Date.now() + 10_000; Date.now() < deadline; await delay(50)) {
      if (!isServer(lock.pid, data)) return;
    }
  }
  throw new Error(`An older PostgreSQL (process ${lock.pid}) still holds ${data}; stop it first.`);
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<void>((done) => server.once("exit", () => done()));
  server.kill("SIGINT");
  const timer = setTimeout(() => server.kill("SIGQUIT"), stopTimeoutMs);
  await ended;
  clearTimeout(timer);
}
