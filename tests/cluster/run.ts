// A whole cluster on this machine, under mixed load, while every part of it is killed in turn (docs/cluster.md):
//   node --import tsx tests/cluster/run.ts --minutes 10 [--asynchronous [--lag-seconds 2]]
// Needs root of a Debian machine. Prints how long each part was missed and, at the end, whether every answer was charged once.
import { chmodSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createBundleFolder, createRunFolder } from "@/lib/testing/run-folder";
// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { bundleServer } from "@/scripts/bundle.mjs";
import { createSeed } from "@/tests/relay/seed";
import { type Keys, MODELS, startTroubleLoad, type TroubleLoad, tableOf } from "../operations/trouble-load";
import type { Addition, Trial } from "./addition";
import { type Cluster, startCluster } from "./cluster";
import { addLogStore } from "./log-store";
import { type Machines, startMachines } from "./machines";
import type { PostgresNode } from "./postgres-node";
import { chargesIn, judge } from "./verdict";

const ADDITIONS: ((folder: string) => Promise<Addition>)[] = [addLogStore];

const ADMITS_MS = 30_000;
const MACHINES = 2;
const DOWN_MS = 2_000;
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    asynchronous: { type: "boolean", default: false },
    "lag-seconds": { type: "string", default: "0" },
  },
});
const minutes = Number(values.minutes);
const lagMs = Number(values["lag-seconds"]) * 1_000;
process.env.WEIR_SECRET ??= "cluster-run-secret-cluster-run-secret";
process.env.WEIR_LOG_LEVEL ??= "warn";
const say = (line: string): void => void process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);

/** Without synchronous replication commits go on while the standbys lack them, and are lost with the primary. */
async function holdBack(primary: PostgresNode): Promise<void> {
  if (lagMs === 0) return;
  primary.holdBack();
  await delay(lagMs);
}

function trialsOf(cluster: Cluster, machines: Machines): Trial[] {
  const whole = () => cluster.untilWhole();
  // systemd would start it again. Of three etcd one may be away.
  const parts = [...cluster.etcds.slice(0, 1), cluster.pgbouncer, cluster.haproxy].map((part) => ({
    name: part.name,
    async happen() {
      await part.kill();
      await delay(DOWN_MS);
      part.start();
    },
    repair: async () => {},
  }));
  let fallen = "";
  const node = () => cluster.nodes.find(({ name }) => name === fallen);
  const fell = (role: "primary" | "replica"): Trial => ({
    name: role === "primary" ? "the primary" : "a replica",
    async happen() {
      const primary = await cluster.primary();
      const found = role === "primary" ? primary : cluster.nodes.find(({ name }) => name !== primary.name);
      fallen = found?.name ?? "";
      if (role === "primary") await holdBack(primary);
      await found?.kill();
    },
    async repair() {
      node()?.start();
      await whole();
    },
  });
  return [
    fell("primary"),
    { name: "a gateway", happen: async () => machines.kill(0, "gateway"), repair: async () => {} },
    {
      name: "the workers",
      happen: async () => {
        for (let at = 0; at < machines.count; at++) machines.kill(at, "worker");
      },
      repair: async () => {},
    },
    fell("replica"),
    ...parts,
    { name: "a machine with Weir", happen: () => machines.restart(1), repair: async () => {} },
  ];
}

async function addCallers(database: DatabaseHandle, upstreamUrl: string): Promise<Keys> {
  const seed = createSeed(database, upstreamUrl);
  await seed.setPrices(MODELS);
  await seed.addChannel({ models: MODELS });
  const busy = await seed.addCaller({ balance: 1_000_000_000 });
  const keys: string[] = [];
  for (let left = Math.ceil(minutes * 60 + 300) * 2; left > 0; left--) keys.push((await seed.addCaller()).token.key);
  const half = keys.length / 2;
  return { busy: busy.token.key, known: keys.slice(half), unknown: keys.slice(0, half) };
}

/** Returns what took too long. */
async function tryAll(trials: readonly Trial[], load: TroubleLoad, until: number): Promise<string[]> {
  const late: string[] = [];
  for (let round = 0; Date.now() < until; round++) {
    const trial = trials[round % trials.length] as Trial;
    const from = performance.now();
    await trial.happen();
    await load.untilAnswered(1);
    const ms = performance.now() - from;
    say(`killed ${trial.name}: everything admitted after ${(ms / 1_000).toFixed(1)} s`);
    if (ms > ADMITS_MS) late.push(`${trial.name}: admitted after ${(ms / 1_000).toFixed(1)} s`);
    await trial.repair();
    await load.untilAnswered(5);
  }
  return late;
}

const folder = createRunFolder("cluster-run");
const bundle = createBundleFolder("bundle");
chmodSync(folder, 0o711);
const ends: (() => unknown)[] = [
  () => rmSync(bundle, { recursive: true, force: true }),
  () => rmSync(folder, { recursive: true, force: true }),
];
let problems: string[] = [];
try {
  await bundleServer({ names: ["main", "gateway", "worker"], outdir: bundle });
  const cluster = await startCluster({ etcds: 3, postgres: 3, isSynchronous: !values.asynchronous });
  ends.push(() => cluster.stop());
  say("PostgreSQL under Patroni with etcd, HAProxy and PgBouncer is up");
  const additions: Addition[] = [];
  for (const start of ADDITIONS) additions.push(await start(folder));
  for (const { stop } of additions) ends.push(stop);
  // The check of the books at the end reads the same places.
  for (const addition of additions) Object.assign(process.env, addition.env);
  const url = cluster.env.DATABASE_DIRECT_URL;
  await migrateDatabase(url);
  const database = createDatabase({ url, max: 4, applicationName: "cluster-run" });
  ends.push(() => database.end());
  const upstream = await startFakeUpstream();
  ends.push(() => upstream.close());
  const keys = await addCallers(database, upstream.url);
  const env = Object.assign({}, cluster.env, ...additions.map((addition) => addition.env)) as Record<string, string>;
  const machines = await startMachines(`${bundle}/main.js`, folder, MACHINES, env);
  ends.push(() => machines.stop());
  say(`${MACHINES} machines with Weir are up; load for ${minutes} minutes`);
  const load = startTroubleLoad(machines.url, keys);
  ends.push(() => load.stop());
  await load.untilAnswered(3);
  const trials = [...trialsOf(cluster, machines), ...additions.flatMap((addition) => addition.trials)];
  problems = await tryAll(trials, load, Date.now() + minutes * 60_000);
  await load.stop();
  for (const addition of additions) await addition.settle(database);
  await machines.stop();
  const ownLog = additions.find(({ charges }) => charges)?.charges;
  const verdict = await judge(database, load.seen, await (ownLog ? ownLog() : chargesIn(database)));
  say(`what callers saw:\n${tableOf(load.seen)}`);
  for (const line of verdict.lines) say(line);
  problems.push(...verdict.problems);
  for (const addition of additions) problems.push(...(await addition.problems(database)));
} finally {
  for (const end of ends.reverse()) await Promise.resolve(end()).catch((error: unknown) => say(String(error)));
}
for (const problem of problems) say(`PROBLEM ${problem}`);
say(problems.length === 0 ? "all is right" : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
