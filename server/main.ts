import { watch } from "node:fs";
import { join, resolve } from "node:path";
import { migrateDatabase } from "@/db/migrate";
import { directUrlOf } from "@/lib/env";
import { ensureRoot } from "./bootstrap";
import { checkedEnvironment } from "./check-environment";
import { type Child, ChildNeverReady, superviseChild } from "./children";
import { keepSecret, lockDataDirectory, openDataDirectory, randomSecret } from "./data-directory";
import { assertDatabaseAddresses } from "./database-answers";
import { whenDatabaseServes } from "./database-wait";
import { type DrainPlan, planReplacement, planStop } from "./drain-limits";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres";
import { fillWalLater } from "./fill-wal";
import { settleSecret } from "./installation-secret";
import { connectionsAllowed, defaultGateways } from "./machine-share";
import type { ToChild } from "./messages";
import type { MetricsPort } from "./metrics/port";
import { migrateStoreIfAny } from "./migrate-log-store";
import { freePort, listenProblem } from "./ports";
import { BACKGROUND_ENV, BACKGROUND_FLAGS, GATEWAY_FLAGS } from "./processes";
import { createReadiness } from "./readiness";
import { refuseOldSchema } from "./refuse-old-schema";
import { releaseMemory } from "./release-memory";
import { listenToSignals, replaceProcesses } from "./signals";
import { elapsed, say } from "./terminal";

const folders = ["server", "lib", "db"];
const settleMs = 200;

/** Development only: calls `onChange` once after source files have changed, when there are no more changes for 200 ms. */
function watchSources(onChange: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  for (const folder of folders) {
    watch(folder, { recursive: true }, (_event, file) => {
      if (!file || /\.test\.ts$|^testing\//.test(file) || !file.endsWith(".ts")) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, settleMs);
    });
  }
}

/**
 * The supervisor: starts the parts of Weir in order and restarts those that die. On SIGINT or SIGTERM it drains and
 * stops them in reverse order, the database last. On SIGHUP it replaces them one at a time.
 */
const settings = checkedEnvironment();
const knownRoles = ["gateway", "console", "worker"];
const roles = new Set(settings.WEIR_ROLES.split(",").map((role) => role.trim()));
const dataDirectory = resolve(settings.WEIR_DATA_DIR);
const demo = settings.WEIR_DEMO === "1" ? await import("./demo") : null;
const address = `http://localhost:${settings.PORT}`;
const children: Child[] = [];
const stopRequested = new AbortController();
const readiness = createReadiness(() => {
  isProbed = true;
});
let metrics: MetricsPort | null = null;
let postgres: EmbeddedPostgres | null = null;
let unlock = (): void => {};
let newPassword: string | null = null;
let isProbed = false;
let databaseUrl = "";

async function start(): Promise<void> {
  if (settings.WEIR_BASE_PATH) throw new Error(NO_BASE_PATH);
  if (roles.has("gateway")) await assertCanListen();
  openDataDirectory(dataDirectory);
  await openMetrics();
  if (settings.WEIR_SECRET === undefined) keepSecret(dataDirectory, "secret", randomSecret);
  await patiently(() => assertDatabaseAddresses(settings));
  const url = directUrlOf(settings) ?? (await startDatabase());
  databaseUrl = url;
  await bringUpToDate(url);
  const secret = await patiently(() => settleSecret(url, dataDirectory, settings.WEIR_SECRET));
  process.env.WEIR_SECRET = secret;
  const given = settings.WEIR_ROOT_PASSWORD;
  const givenPassword = demo ? demo.demoRootPassword(dataDirectory, given) : given;
  newPassword = await patiently(() => ensureRoot(url, givenPassword));
  say("database up to date");
  const prepared = await demo?.prepareDemo(url, dataDirectory);
  if (prepared) children.push(prepared.upstream);
  await startProcesses({
    ...process.env,
    DATABASE_URL: settings.DATABASE_URL ?? url,
    WEIR_SECRET: secret,
    WEIR_JOURNAL_DIR: resolve(settings.WEIR_JOURNAL_DIR ?? join(dataDirectory, "journal")),
    WEIR_ROOT_PASSWORD: undefined,
  });
  if (stopRequested.signal.aborted) return;
  releaseMemory();
  readiness.started();
  say(`ready in ${elapsed()}: ${address}`);
  if (settings.NODE_ENV === "development") watchSources(reloadProcesses);
  showPassword();
  process.send?.({ type: "ready" });
  if (demo && prepared) process.stdout.write(demo.describeDemo(address, prepared.access, prepared.password));
}

const NO_BASE_PATH =
  "WEIR_BASE_PATH: Weir is not served below a path of a site. Give it a host name of its own (docs/operations/deploy.md).";

/** First of all, so that /readyz tells of a start that takes long. */
async function openMetrics(): Promise<void> {
  const { WEIR_METRICS_PORT: port, WEIR_METRICS_HOST: host, WEIR_METRICS_TOKEN: token } = settings;
  if (port === undefined) return;
  const problem = await listenProblem(port, host, { port: "WEIR_METRICS_PORT", host: "WEIR_METRICS_HOST" });
  if (problem) throw new Error(`${problem.text} ${problem.advice}`);
  const { openMetricsPort } = await import("./metrics/port");
  const slots = () => children.filter(({ name }) => knownRoles.includes(name));
  metrics = await openMetricsPort({ port, host, token, slots, readiness });
  say(`metrics at http://${host}:${metrics.port}/metrics`);
}

/** Also called when the start fails: by then the root user may exist, and nobody has seen its generated password. */
function showPassword(): void {
  if (newPassword) say(`log in as root with the password ${newPassword} (shown only now; change it after the login)`);
  newPassword = null;
}

async function bringUpToDate(url: string): Promise<void> {
  if (!settings.WEIR_MIGRATE) return refuseOldSchema(url);
  await patiently(() => migrateDatabase(url, { tell: say }));
  await migrateStoreIfAny(say);
}

/** For a step of the start that can be repeated. */
function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  const { WEIR_DATABASE_WAIT_SECONDS: seconds } = settings;
  return whenDatabaseServes(work, { seconds, tell: say, signal: stopRequested.signal });
}

async function startDatabase(): Promise<string> {
  unlock = await lockDataDirectory(dataDirectory);
  say("starting PostgreSQL");
  const directory = join(dataDirectory, "postgres");
  const connections = connectionsAllowed(gatewayCount());
  postgres = await startEmbeddedPostgres({
    directory,
    settings: { max_connections: String(connections) },
    onDeath: say,
  });
  if (settings.WEIR_FILL_WAL) fillWalLater(postgres.localUrl, { directory, say, stopping: stopRequested.signal });
  return postgres.localUrl;
}

function gatewayCount(): number {
  return roles.has("gateway") ? (settings.WEIR_GATEWAY_WORKERS ?? defaultGateways()) : 0;
}

async function startProcesses(shared: NodeJS.ProcessEnv): Promise<void> {
  if (stopRequested.signal.aborted) return;
  const consolePort = settings.WEIR_CONSOLE_PORT ?? (roles.has("console") ? await freePort() : undefined);
  const childEnv = consolePort ? { ...shared, WEIR_CONSOLE_PORT: String(consolePort) } : shared;
  const lifeline = postgres?.lifeline;
  const gateways = gatewayCount();
  for (let index = 0; index < gateways; index++) {
    children.push(
      superviseChild({
        name: "gateway",
        env: childEnv,
        lifeline,
        clustered: true,
        flags: GATEWAY_FLAGS,
        onDeath: say,
        onMessage: (type) => {
          isProbed ||= type === "probed";
        },
      }),
    );
  }
  if (roles.has("console")) {
    // Clustered, so that one can listen before the other stops.
    const onMessage = (type: string): void => void (type === "closed" && tellGateways({ type: "console-replaced" }));
    children.push(
      superviseChild({
        name: "console",
        env: { ...BACKGROUND_ENV, ...childEnv },
        lifeline,
        clustered: true,
        flags: BACKGROUND_FLAGS,
        onDeath: say,
        onMessage,
      }),
    );
  }
  if (roles.has("worker")) {
    children.push(
      superviseChild({
        name: "worker",
        env: { ...BACKGROUND_ENV, ...childEnv },
        lifeline,
        flags: BACKGROUND_FLAGS,
        onDeath: say,
      }),
    );
  }
  say(
    `starting ${gateways} × gateway${roles.has("console") ? ", console" : ""}${roles.has("worker") ? ", worker" : ""}`,
  );
  const stopped = new Promise<void>((done) => stopRequested.signal.addEventListener("abort", () => done()));
  await Promise.race([Promise.all(children.map((child) => child.ready)), stopped]);
}

/** All but the simulated provider of the demo, which keeps its port. */
function isOfWeir({ name }: Child): boolean {
  return knownRoles.includes(name);
}

function tellGateways(message: ToChild): void {
  for (const child of children) if (child.name === "gateway") child.tell(message);
}

/** The console is left out, because Next.js reloads itself in development. */
function reloadProcesses(): void {
  for (const child of children) if (child.name !== "console") void child.replace(planReplacement());
}

async function assertCanListen(): Promise<void> {
  const { PORT: port, HOST: host } = settings;
  const problem = await listenProblem(port, host);
  if (problem) throw new Error(`${problem.text} ${problem.advice}`);
}

async function stopAll(plan: DrainPlan): Promise<void> {
  const endsAt = Date.now() + plan.drainMs;
  const parts = (...names: string[]) => children.filter((child) => names.includes(child.name));
  const stopping = parts("worker").map((child) => child.stop({ ...plan, pauseMs: 0 }));
  // The console is drained after the gateways, through which all of its requests come.
  const tellConsole = () => {
    for (const child of parts("console")) child.tell({ type: "cut-off" });
  };
  const cutOff = setTimeout(tellConsole, Math.max(0, plan.drainMs - CONSOLE_FIRST_MS));
  await Promise.all(parts("gateway").map((child) => child.stop(plan)));
  clearTimeout(cutOff);
  const left = { ...plan, pauseMs: 0, drainMs: Math.max(CONSOLE_FIRST_MS, endsAt - Date.now()) };
  await Promise.all([...stopping, ...children.map((child) => child.stop(left))]);
  await postgres?.stop();
  await metrics?.close();
  unlock();
}

/** An answer of the playground is cut off before the gateway would do it, which has no words for it. */
const CONSOLE_FIRST_MS = 1_000;
let plan = planStop({ isProbed: false, isTyped: true });
// Those of bin/run-built.mjs, which only end the process.
for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
listenToSignals(
  {
    onStop(signal, isTyped) {
      say(`${signal}: finishing what is in flight (press again to stop at once)`);
      plan = planStop({ isProbed, isTyped });
      readiness.draining();
      stopRequested.abort();
    },
    onStopAtOnce() {
      for (const child of children) child.kill();
      postgres?.kill();
      process.exit(1);
    },
    onReplace: () =>
      replaceProcesses({ children: children.filter(isOfWeir), say, migrate: () => bringUpToDate(databaseUrl) }),
  },
  process.stdin.isTTY === true,
);

// The shell that npx starts dies of a signal without handing it on.
const parent = process.ppid;
if (process.env.npm_execpath) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 1_000).unref();
}

let exitCode = 0;
try {
  await start();
  if (!stopRequested.signal.aborted) {
    await new Promise<void>((done) => stopRequested.signal.addEventListener("abort", () => done()));
  }
} catch (error) {
  // Who asks it to stop while it waits for the database does not hear of a failure.
  exitCode = stopRequested.signal.aborted ? 0 : error instanceof ChildNeverReady ? error.exitCode : 1;
  say(
    `${exitCode === 0 ? "stopped before it had started" : "could not start"}: ${error instanceof Error ? error.message : String(error)}`,
  );
}
showPassword();
await stopAll(plan);
say("stopped");
process.exit(exitCode);
