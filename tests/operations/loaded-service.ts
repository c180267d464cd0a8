import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { reconcile } from "@/lib/billing/reconcile";
import { startFakeUpstream } from "@/lib/testing/fake-upstream";
import { until } from "@/lib/testing/until";
import { createSeed } from "@/tests/relay/seed";
import { freePort } from "@/tools/bench/alternatives";
import { startStack } from "../chaos/stack";
import { type Keys, MODELS, startTroubleLoad, type TroubleLoad, tableOf } from "./trouble-load";

export type LoadedService = {
  database: DatabaseHandle;
  load: TroubleLoad;
  /** Ends the load and the service, and compares what callers saw with what was charged. */
  expectBooksRight: () => Promise<void>;
};

type Settings = {
  main: string;
  name: string;
  /** Holds the service's data and its journal. */
  folder: string;
  /** PostgreSQL itself. */
  url: string;
  /** The service's own variables, beside DATABASE_URL. */
  env?: Record<string, string>;
  /** Whether the service gives back by itself what it reserved; else it is stopped at once. */
  isIdleAwaited?: boolean;
};

const NEW_CALLERS = 120;
/** A part of a balance goes back after 30 s; one whose grant the process never heard of, within a minute more. */
const IDLE_MS = 120_000;

/** A service on this database, under load. What must be ended is added to `ends`. */
export async function startLoadedService(
  { main, name, folder, url: databaseUrl, env = {}, isIdleAwaited = false }: Settings,
  ends: (() => unknown)[],
): Promise<LoadedService> {
  const [data, journal] = [join(folder, "weir"), join(folder, "journal")];
  for (const path of [data, journal]) mkdirSync(path, { recursive: true });
  await migrateDatabase(databaseUrl);
  const database = createDatabase({ url: databaseUrl, max: 4, applicationName: "test" });
  ends.push(() => database.end());
  const upstream = await startFakeUpstream();
  ends.push(() => upstream.close());
  const keys = await addCallers(database, upstream.url);
  const port = await freePort();
  const stack = await startStack(main, data, port, {
    DATABASE_URL: databaseUrl,
    ...env,
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
  return { database, load, expectBooksRight };
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
