import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "@/bench/alternatives";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { reconcile } from "@/lib/billing/reconcile";
import { startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { createSeed } from "@/tests/relay/seed";
import { startStack } from "../chaos/stack";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres";
import { type Keys, MODELS, startTroubleLoad, type TroubleLoad, tableOf } from "./trouble-load";

type Disk = { fill: () => void; free: () => void };

type TroublePlace = {
  postgres: OwnPostgres;
  database: DatabaseHandle;
  load: TroubleLoad;
  /** Where `smallDisk` says so; else absent. */
  disk?: Disk | undefined;
  /** Ends the load and the service, and compares what callers saw with what was charged. */
  expectBooksRight: () => Promise<void>;
};

type TroubleSettings = {
  main: string;
  name: string;
  /** Of PostgreSQL. */
  settings?: string[];
  /** Whether the service gives back by itself what it reserved; else it is stopped at once. */
  isIdleAwaited?: boolean;
  /** What is on a small disk of its own: PostgreSQL's data, or the journal. */
  smallDisk?: { of: "database" | "journal"; megabytes: number };
  /** What stands between the service and PostgreSQL: returns the service's own variables. */
  through?: (url: string, folder: string, ends: (() => unknown)[]) => Promise<Record<string, string>>;
};

const NEW_CALLERS = 120;
/** A part of a balance goes back after 30 s; one whose grant the process never heard of, within a minute more. */
const IDLE_MS = 120_000;

/** Runs `test` with a PostgreSQL and a service of its own under load, and removes everything afterwards. */
export async function inTrouble(
  settings: TroubleSettings,
  test: (place: TroublePlace) => Promise<void>,
): Promise<void> {
  const folder = createRunFolder("trouble");
  chmodSync(folder, 0o711);
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    await test(await startPlace(settings, folder, ends));
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function startPlace(
  { main, name, settings = [], smallDisk, through, isIdleAwaited = false }: TroubleSettings,
  folder: string,
  ends: (() => unknown)[],
): Promise<TroublePlace> {
  const [own, data, journal] = [join(folder, "own"), join(folder, "weir"), join(folder, "journal")];
  for (const path of [own, data, journal]) mkdirSync(path);
  const disk = smallDisk && mountDisk(smallDisk.of === "database" ? own : journal, smallDisk.megabytes, ends);
  const postgres = await startOwnPostgres(own, settings);
  ends.push(() => postgres.stop());
  await migrateDatabase(postgres.url);
  const database = createDatabase({ url: postgres.url, max: 4, applicationName: "test" });
  ends.push(() => database.end());
  const upstream = await startFakeUpstream();
  ends.push(() => upstream.close());
  const keys = await addCallers(database, upstream.url);
  const port = await freePort();
  const stack = await startStack(main, data, port, {
    DATABASE_URL: postgres.url,
    ...(await through?.(postgres.url, folder, ends)),
    WEIR_JOURNAL_DIR: journal,
    WEIR_GATEWAY_WORKERS: "1",
    WEIR_DRAIN_PAUSE_SECONDS: "0",
  });
  ends.push(() => stack.stop());
  const url = `http://127.0.0.1:${port}`;
  await makeKnown(url, keys.known);
  const load = startTroubleLoad(url, keys);
  ends.push(() => load.stop());
  await load.untilAnswered(3);
  async function expectBooksRight(): Promise<void> {
    await load.stop();
    process.stdout.write(`\nWhat callers saw, ${name}:\n${tableOf(load.seen)}\n`);
    expect(load.seen.flatMap(({ fault }) => (fault ? [fault] : []))).toEqual([]);
    const reserved = () => reservedIn(database);
    if (isIdleAwaited) await until(async () => (await reserved()).length === 0, IDLE_MS);
    await stack.stop();
    await expectCharged(database, load);
    expect((await reconcile(database.sql)).differences).toEqual([]);
    expect(await reservedIn(database)).toEqual([]);
    expect(readdirSync(journal), "files of the journal").toEqual([]);
  }
  return { postgres, database, load, disk, expectBooksRight };
}

async function addCallers(database: DatabaseHandle, upstreamUrl: string): Promise<Keys> {
  const seed = createSeed(database, upstreamUrl);
  await seed.setPrices(MODELS);
  await seed.addChannel({ models: MODELS });
  const busy = await seed.addCaller({ balance: 1_000_000_000 });
  const others = await Promise.all(Array.from({ length: NEW_CALLERS * 2 }, () => seed.addCaller()));
  const keys = others.map(({ token }) => token.key);
  return { busy: busy.token.key, known: keys.slice(NEW_CALLERS), unknown: keys.slice(0, NEW_CALLERS) };
}

/** The gateway has seen the keys then, and reserved nothing. */
async function makeKnown(url: string, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const listed = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(listed.status).toBe(200);
    await listed.text();
  }
}

/** Balances of which a part is reserved, and by which process. */
async function reservedIn({ sql }: DatabaseHandle) {
  return await sql`
    select users.id, users.reserved, leases.amount, nodes.name, now() - nodes.heartbeat_at as silent
    from users left join leases on leases.user_id = users.id left join nodes on nodes.id = leases.node_id
    where users.reserved <> 0 or leases.amount <> 0`;
}

/** Every request that was answered has one charge, of its price, and no other request has any. */
async function expectCharged({ sql }: DatabaseHandle, { seen }: TroubleLoad): Promise<void> {
  const rows = await sql<{ id: string; quota: number }[]>`
    select request_id as id, quota::bigint as quota from usage_logs where type = 2`;
  const charged = rows.map(({ id, quota }) => `${id} ${quota}`).sort();
  const expected = seen.filter(({ isWhole }) => isWhole).map(({ id, price }) => `${id} ${price}`);
  expect(charged).toEqual(expected.sort());
}

function mountDisk(path: string, megabytes: number, ends: (() => unknown)[]): Disk {
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0711`, "tmpfs", path], {
    encoding: "utf8",
  });
  expect(mounted.stderr, "needs root: mount -t tmpfs").toBe("");
  ends.push(() => spawnSync("umount", [path]));
  const filler = join(path, "filler");
  return {
    fill() {
      const file = openSync(filler, "w");
      for (const size of [1 << 20, 1 << 12]) fillBy(file, Buffer.alloc(size));
      closeSync(file);
    },
    free: () => rmSync(filler, { force: true }),
  };
}

function fillBy(file: number, part: Buffer): void {
  try {
    for (;;) writeSync(file, part);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}
