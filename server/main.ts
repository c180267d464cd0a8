import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { migrateDatabase } from "@/db/migrate";
import { env } from "@/lib/env";
import { ensureRoot } from "./bootstrap";
import { type Child, superviseChild } from "./children";
import { keepSecret, lockDataDirectory, openDataDirectory, randomSecret } from "./data-directory";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres";
import { freePort, portIfFree } from "./ports";
import { elapsed, say } from "./terminal";
import { watchSources } from "./watch-sources";

/**
 * The supervisor: starts the parts of Weir in order and restarts those that die. On SIGINT or SIGTERM it drains and
 * stops them in reverse order, the database last.
 */
const settings = env();
const knownRoles = ["gateway", "console", "worker"];
const roles = new Set(settings.WEIR_ROLES.split(",").map((role) => role.trim()));
const dataDirectory = resolve(settings.WEIR_DATA_DIR);
const demo = process.env.WEIR_DEMO === "1" ? await import("./demo") : null;
const address = `http://localhost:${settings.PORT}`;
const children: Child[] = [];
const stopRequested = new AbortController();
let postgres: EmbeddedPostgres | null = null;
let unlock = (): void => {};
let newPassword: string | null = null;

async function start(): Promise<void> {
  for (const role of roles) if (!knownRoles.includes(role)) throw new Error(`WEIR_ROLES: there is no role "${role}"`);
  if (roles.has("gateway")) await assertPortFree();
  openDataDirectory(dataDirectory);
  const secret = settings.WEIR_SECRET ?? keepSecret(dataDirectory, "secret", randomSecret);
  process.env.WEIR_SECRET = secret;
  const url = settings.DATABASE_URL ?? (await startDatabase());
  await migrateDatabase(url);
  const givenPassword = settings.WEIR_ROOT_PASSWORD ?? demo?.demoRootPassword(dataDirectory);
  newPassword = await ensureRoot(url, givenPassword);
  say("database up to date");
  const prepared = await demo?.prepareDemo(url, dataDirectory);
  if (prepared) children.push(prepared.upstream);
  await startProcesses({
    ...process.env,
    DATABASE_URL: url,
    WEIR_SECRET: secret,
    WEIR_JOURNAL_DIR: resolve(settings.WEIR_JOURNAL_DIR ?? join(dataDirectory, "journal")),
    WEIR_ROOT_PASSWORD: undefined,
  });
  if (stopRequested.signal.aborted) return;
  say(`ready in ${elapsed()}: ${address}`);
  if (settings.NODE_ENV === "development") watchSources(reloadProcesses);
  showPassword();
  process.send?.({ type: "ready" });
  if (demo && prepared) process.stdout.write(demo.describeDemo(address, prepared.access, prepared.password));
}

/** Also called when the start fails: by then the root user may exist, and nobody has seen its generated password. */
function showPassword(): void {
  if (newPassword) say(`sign in as root with the password ${newPassword} (shown only now; change it after signing in)`);
  newPassword = null;
}

async function startDatabase(): Promise<string> {
  unlock = lockDataDirectory(dataDirectory);
  say("starting PostgreSQL");
  postgres = await startEmbeddedPostgres({ directory: join(dataDirectory, "postgres"), onDeath: say });
  return postgres.localUrl;
}

async function startProcesses(shared: NodeJS.ProcessEnv): Promise<void> {
  if (stopRequested.signal.aborted) return;
  const consolePort = settings.WEIR_CONSOLE_PORT ?? (roles.has("console") ? await freePort() : undefined);
  const childEnv = consolePort ? { ...shared, WEIR_CONSOLE_PORT: String(consolePort) } : shared;
  const gateways = roles.has("gateway") ? (settings.WEIR_GATEWAY_WORKERS ?? availableParallelism()) : 0;
  for (let index = 0; index < gateways; index++) {
    children.push(superviseChild({ name: "gateway", env: childEnv, clustered: true, onDeath: say }));
  }
  for (const name of ["console", "worker"]) {
    if (roles.has(name)) children.push(superviseChild({ name, env: childEnv, onDeath: say }));
  }
  say(
    `starting ${gateways} × gateway${roles.has("console") ? ", console" : ""}${roles.has("worker") ? ", worker" : ""}`,
  );
  const stopped = new Promise<void>((done) => stopRequested.signal.addEventListener("abort", () => done()));
  await Promise.race([Promise.all(children.map((child) => child.ready)), stopped]);
}

/** The console is left out, because Next.js reloads itself in development. */
function reloadProcesses(): void {
  for (const child of children) if (child.name !== "console") child.reload();
}

async function assertPortFree(): Promise<void> {
  const { PORT: port, HOST: host } = settings;
  if ((await portIfFree(port, host)) !== null) return;
  throw new Error(`Port ${port} is in use. Stop the other program, or choose another one: PORT=${port + 1} npm start`);
}

async function stopAll(): Promise<void> {
  const gateways = children.filter((child) => child.name === "gateway");
  await Promise.all(gateways.map((child) => child.stop()));
  await Promise.all(children.map((child) => child.stop()));
  await postgres?.stop();
  unlock();
}

let firstSignalAt = 0;
function onSignal(signal: string): void {
  // A terminal and npm both forward the same Ctrl-C, so only a signal more than a second later means "stop at once".
  if (firstSignalAt > 0 && Date.now() - firstSignalAt > 1_000) {
    for (const child of children) child.kill();
    postgres?.kill();
    process.exit(1);
  }
  if (firstSignalAt > 0) return;
  firstSignalAt = Date.now();
  say(`${signal}: finishing what is in flight (press again to stop at once)`);
  stopRequested.abort();
}
process.on("SIGINT", () => onSignal("SIGINT"));
process.on("SIGTERM", () => onSignal("SIGTERM"));

let exitCode = 0;
try {
  await start();
  if (!stopRequested.signal.aborted) {
    await new Promise<void>((done) => stopRequested.signal.addEventListener("abort", () => done()));
  }
} catch (error) {
  exitCode = 1;
  say(`could not start: ${error instanceof Error ? error.message : String(error)}`);
}
showPassword();
await stopAll();
say("stopped");
process.exit(exitCode);
