import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { type FakeRealtime, startFakeRealtime } from "@/lib/testing/fake-realtime";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { MODEL } from "@/tests/relay/realtime-harness";
import { createSeed } from "@/tests/relay/seed";
import { childrenOf, startWeir, until, type WeirProcess } from "@/tests/runtime/weir-process";
import { freePort } from "@/tools/bench/alternatives";
import { type Haproxy, startHaproxy } from "./haproxy";
import { type MixedLoad, startMixedLoad } from "./mixed-load";
import { needPackages } from "./packages";

// Two machines' worth of processes on one PostgreSQL, behind ops/haproxy/haproxy.cfg, while callers ask for everything.

const entry = setUpBundle(["main", "gateway", "console", "worker"]);
const directories = [createRunFolder("rolling"), createRunFolder("rolling")];
const ports: number[] = [];
const machines: WeirProcess[] = [];
let database: TestDatabase;
let upstream: FakeUpstream;
let realtime: FakeRealtime;
let haproxy: Haproxy;
let key: string;

async function startMachine(index: number): Promise<void> {
  const machine = startWeir(
    {
      NODE_ENV: "production",
      DATABASE_URL: database.url,
      WEIR_SECRET: process.env.WEIR_SECRET ?? "",
      WEIR_DATA_DIR: directories[index] ?? "",
      WEIR_GATEWAY_WORKERS: "1",
      WEIR_DRAIN_SECONDS: "20",
      WEIR_DRAIN_PAUSE_SECONDS: "3",
      HOST: "127.0.0.1",
      TRUST_PROXY: "127.0.0.1",
      PORT: String(ports[index]),
    },
    entry("main"),
  );
  machines[index] = machine;
  await until("Weir is ready", () => machine.output().includes("ready in"), 200_000);
  await haproxy.untilServer(index, "UP");
}

beforeAll(async () => {
  needPackages({ "/usr/sbin/haproxy": "haproxy" });
  ports.push(await freePort(), await freePort());
  [database, upstream, realtime] = await Promise.all([createTestDatabase(), startFakeUpstream(), startFakeRealtime()]);
  const seed = createSeed(database, upstream.url);
  await seed.setPrices(`fake-gpt,fake-gpt:chunks=20:pace=10,fake-gpt:chunks=80:pace=50,${MODEL}`);
  await seed.addChannel({ models: "fake-gpt,fake-gpt:chunks=20:pace=10,fake-gpt:chunks=80:pace=50" });
  await seed.addChannel({ type: CHANNEL_TYPE.openai, baseUrl: realtime.url, models: MODEL });
  key = (await seed.addCaller({ balance: 10_000_000_000 })).token.key;
  haproxy = await startHaproxy(directories[0] ?? "", ports);
  await Promise.all([startMachine(0), startMachine(1)]);
});

afterAll(async () => {
  for (const machine of machines) machine.signal("SIGINT");
  await Promise.all(machines.map(({ ended }) => ended));
  await Promise.all([haproxy?.stop(), upstream?.close(), realtime?.close()]);
  await database?.drop();
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** What happens under load fails no request, and each conversation is charged once. */
async function underLoad(happens: (load: MixedLoad) => Promise<void>): Promise<void> {
  const load = startMixedLoad(haproxy.url, key);
  const kinds = 7;
  const served = () => until("all kinds are served", () => Object.keys(load.counts).length === kinds, 100_000);
  try {
    await served();
    await happens(load);
  } finally {
    await load.stop();
  }
  expect(load.faults).toEqual([]);
  const rows = await database.sql<{ id: string }[]>`
    select request_id as id from usage_logs where type = 2 and model_name like 'fake-gpt%'
      and request_id = any(${load.conversations})`;
  expect(rows.map(({ id }) => id).sort()).toEqual([...load.conversations].sort());
  expect((await reconcile(database.sql)).differences).toEqual([]);
}

test("two machines behind HAProxy are restarted in turn: no request fails, no stream is cut, each is charged once", async () => {
  await underLoad(async () => {
    for (const index of [0, 1]) {
      const machine = machines[index] as WeirProcess;
      machine.signal("SIGTERM");
      expect(await machine.ended).toBe(0);
      await startMachine(index);
    }
  });
  const cut =
    await database.sql`select request_id, content, other from usage_logs where other ->> 'outcome' is not null`;
  expect(cut).toEqual([]);
});

test("SIGHUP replaces every process of both machines under load: no request fails, no stream is cut, each is charged once", async () => {
  const pids = () => machines.flatMap((machine) => childrenOf(machine.pid).map(({ pid }) => pid));
  const before = pids();
  await underLoad(async () => {
    for (const machine of machines) machine.signal("SIGHUP");
    const areReplaced = () => machines.every((machine) => machine.output().includes("all processes are replaced"));
    await until("all are replaced", areReplaced, 180_000);
    await until("the old processes have ended", () => !pids().some((pid) => before.includes(pid)), 100_000);
  });
  expect(pids()).toHaveLength(before.length);
});
