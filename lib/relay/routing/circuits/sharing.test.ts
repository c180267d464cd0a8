import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createDatabase } from "@/db/client";
import { channelCircuits, channelKeys, channels } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { createSnapshotStore } from "@/lib/snapshot/store";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { until } from "@/lib/testing/until";
import type { CircuitFailure } from "./circuit";
import { Circuits } from "./circuits";
import { STORED_LATE_MS, sweepCircuits } from "./commands";
import { shareCircuits } from "./sharing";

const MODEL = "m";
const FAULT: CircuitFailure = { cause: "overload", retryAfterMs: null };
const LIMITS = { failures: 3, restMaxMs: 25_000 };

type Process = Awaited<ReturnType<typeof startProcess>>;

let database: TestDatabase;
let channel: number;
const running = new Set<Process>();

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.db.delete(channels);
  const [row] = await database.db
    .insert(channels)
    .values({ name: "one", keyCipher: seal("sk") })
    .returning();
  channel = row?.id ?? 0;
});
afterEach(async () => {
  await Promise.all([...running].map(({ stop }) => stop()));
});

/** What a gateway process has: its own pool, its own listening connection, its own memory. */
async function startProcess() {
  const own = createDatabase({ url: database.url, max: 3, applicationName: "weir-test process" });
  const store = createSnapshotStore({ sql: own.sql, db: own.db });
  await store.start();
  const sharing = shareCircuits({ sql: own.sql, snapshot: store });
  const circuits = new Circuits({ limits: () => LIMITS, sharing });
  sharing.follow(circuits);
  const process = {
    circuits,
    /** Loses the database for good. */
    lose: () => own.sql.end(),
    isOpen: () => circuits.isOpen(channel, MODEL),
    fail: (times = 1) => {
      for (let i = 0; i < times; i++) circuits.failed(channel, MODEL, FAULT, circuits.begin(channel, MODEL));
    },
    async stop() {
      running.delete(process);
      await Promise.all([sharing.stop(), store.stop()]);
      await own.end();
    },
  };
  running.add(process);
  return process;
}

async function stored() {
  return (await database.db.select().from(channelCircuits))[0];
}

/** Ends the rest of all circuits, as time would. */
async function endRest(): Promise<void> {
  await database.sql`update channel_circuits set open_until = clock_timestamp()`;
  await database.sql`select pg_notify('weir', ${`circuits:${channel}`})`;
}

/** Claims until one of the processes may probe. */
async function untilProbe(processes: readonly Process[]): Promise<Process> {
  let found: Process | undefined;
  await until(async () => {
    const claims = await Promise.all(processes.map(async ({ circuits }) => circuits.claim(channel, MODEL)));
    const granted = processes.filter((_process, at) => claims[at]);
    expect(granted.length).toBeLessThan(2);
    [found] = granted;
    return found !== undefined;
  });
  return found as Process;
}

test("what one process finds out all of them know: opening, cause, and closing", async () => {
  const [one, other] = await Promise.all([startProcess(), startProcess()]);
  one.fail(3);
  expect(one.isOpen()).toBe(true);
  await until(other.isOpen);
  expect(await stored()).toMatchObject({
    channelId: channel,
    model: MODEL,
    cause: "overload",
    level: 1,
    closedAt: null,
  });
  const late = await startProcess();
  await until(late.isOpen);
  other.circuits.succeeded(channel, MODEL, other.circuits.begin(channel, MODEL));
  expect(other.isOpen()).toBe(false);
  await until(() => !one.isOpen() && !late.isOpen());
});

test("two processes that open it at once agree on one rest", async () => {
  const [one, other] = await Promise.all([startProcess(), startProcess()]);
  for (const process of [one, other]) process.fail(3);
  await until(async () => (await stored()) !== undefined);
  const restOf = ({ circuits }: Process) => circuits.begin(channel, MODEL)?.circuit.until ?? 0;
  await until(() => Math.abs(restOf(one) - restOf(other)) <= STORED_LATE_MS);
  expect((await stored())?.level).toBe(1);
});

test("of all processes one probes; its failure lengthens the rest of all, its success ends it", async () => {
  const processes = await Promise.all([startProcess(), startProcess(), startProcess()]);
  processes[0]?.fail(3);
  await until(() => processes.every(({ isOpen }) => isOpen()));
  await endRest();
  const first = await untilProbe(processes);
  const trials = processes.flatMap(({ circuits }) => Array.from({ length: 16 }, () => circuits.begin(channel, MODEL)));
  const probes = trials.filter((trial) => trial?.isProbe);
  expect(probes).toHaveLength(1);
  await until(() => processes.every(({ isOpen }) => isOpen()));
  first.circuits.failed(channel, MODEL, FAULT, probes[0] ?? null);
  await until(async () => (await stored())?.level === 2);
  await endRest();
  const second = await untilProbe(processes);
  second.circuits.succeeded(channel, MODEL, second.circuits.begin(channel, MODEL));
  await until(() => processes.every(({ circuits }) => !circuits.hasOpen));
});

test("the claim of a process that died while probing runs out", async () => {
  const [one, dying] = await Promise.all([startProcess(), startProcess()]);
  one.fail(3);
  await until(dying.isOpen);
  await endRest();
  await untilProbe([dying]);
  dying.circuits.begin(channel, MODEL);
  await until(async () => ((await stored())?.probeUntil?.getTime() ?? 0) > Date.now() + 20_000);
  await dying.stop();
  expect(one.isOpen()).toBe(true);
  await database.sql`update channel_circuits set probe_until = clock_timestamp()`;
  await endRest();
  expect((await untilProbe([one])).circuits.begin(channel, MODEL)?.isProbe).toBe(true);
});

test("without a database a circuit opens, rests and closes in this process", async () => {
  const alone = await startProcess();
  await alone.lose();
  alone.fail(3);
  expect(alone.isOpen()).toBe(true);
  alone.circuits.succeeded(channel, MODEL, alone.circuits.begin(channel, MODEL));
  expect(alone.isOpen()).toBe(false);
});

test("a channel whose key, address or state was changed is tried at once", async () => {
  const process = await startProcess();
  const repairs = [
    () => database.db.update(channels).set({ keyCipher: seal("sk-new") }),
    () => database.db.update(channels).set({ baseUrl: "http://127.0.0.1:2" }),
    () => database.db.insert(channelKeys).values({ channelId: channel, keyCipher: seal("sk-b"), fingerprint: "b" }),
  ];
  for (const repair of repairs) {
    process.fail(3);
    await until(async () => (await stored())?.closedAt === null);
    await repair();
    await until(() => !process.circuits.hasOpen);
  }
  process.fail(3);
  await until(async () => (await stored())?.closedAt === null);
  await database.db.update(channels).set({ usedQuota: 5, priority: 3 });
  expect((await stored())?.closedAt).toBeNull();
});

test("a channel that is deleted takes its circuits with it; what is a day old is swept", async () => {
  const process = await startProcess();
  process.fail(3);
  await until(async () => (await stored()) !== undefined);
  expect(await sweepCircuits(database.sql)).toBe(0);
  await database.sql`update channel_circuits set updated_at = now() - interval '25 hours'`;
  expect(await sweepCircuits(database.sql)).toBe(1);
  await database.db.delete(channels);
  process.fail(3);
  process.circuits.failed(channel, "another", { cause: "key", retryAfterMs: null }, null);
  await until(() => !process.circuits.isOpen(channel, "another"));
  expect(await stored()).toBeUndefined();
});
