import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createGateway, type Gateway } from "@/server/gateway-server";
import { modelsOf, quickTimes } from "@/tools/bench/faults/fault";
import { prepareRows } from "@/tools/bench/faults/prepare";
import { closeTable, knownBroken, openTable, type Result, runTable } from "@/tools/bench/faults/table";
import type { OpenRow } from "@/tools/bench/faults/upstream";
import { prepareDatabase } from "@/tools/bench/weir";

/** More slack than the bench has: the machine may be busy with other tests. */
const times = { ...quickTimes, slackMs: 8_000, crowdSlackMs: 8_000 };

let database: TestDatabase;
let rows: OpenRow[];
let gateway: Gateway;
let results: Result[];

beforeAll(async () => {
  database = await createTestDatabase();
  rows = await openTable(times);
  const key = await prepareDatabase(database.url, null, modelsOf(rows).join(","));
  await prepareRows(database.db, rows, times);
  gateway = await createGateway({ databaseUrl: database.url });
  await new Promise<void>((done) => gateway.server.listen(0, "127.0.0.1", () => done()));
  const url = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`;
  results = await runTable(rows, { url, key, sql: database.sql });
}, 120_000);

afterAll(async () => {
  gateway.server.closeAllConnections();
  await gateway.stop();
  await closeTable(rows);
  await database.drop();
});

test("no row of the fault table breaks a rule, but those that are known to (issue 12)", () => {
  const known = new Set(knownBroken);
  const broken = results.filter((result) => result.broken.length > 0);
  const isBroken = new Set(broken.map(({ name }) => name));
  expect({
    newlyBroken: broken.filter(({ name }) => !known.has(name)).map(({ name, broken: rules }) => [name, rules]),
    mended: knownBroken.filter((name) => !isBroken.has(name)),
  }).toEqual({ newlyBroken: [], mended: [] });
});
