// Processes of Weir and its ClickHouse are killed in the middle of a load: charges and log rows are there once each.

import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { type Charge, LOAD_MODELS, priceOf, wronglyCharged } from "../chaos/charges";
import { setUpWeir } from "../chaos/harness";
import { type Load, startLoad } from "../chaos/load";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const CALLERS = 8;
const WAIT_MS = 120_000;
const HOUR = 3_600;
let clickhouse: OwnClickHouse;
let load: Load;
const weir = setUpWeir(LOAD_MODELS, async () => {
  clickhouse = await startOwnClickHouse(join(createRunFolder("log-store-kills"), "store"));
  return { LOG_STORE_URL: clickhouse.url };
});

beforeAll(async () => {
  load = startLoad(weir.stack.port, weir.key, CALLERS);
  await served(20);
});
afterAll(async () => {
  await load?.stop();
  await clickhouse?.stop();
});

function served(more: number): Promise<void> {
  const target = load.whole.length + more;
  return until(() => load.whole.length >= target, WAIT_MS);
}

/** One that was killed before may not have been started again yet. */
function killed(role: Parameters<typeof weir.stack.kill>[0]): Promise<void> {
  return until(() => weir.stack.kill(role) > 0, WAIT_MS);
}

/** All rows, as a reader finds them that takes no care: also those that are there twice. */
async function charges(): Promise<Charge[]> {
  const store = createLogStore(parseLogStoreUrl(clickhouse.url));
  try {
    const rows = await store.query<Record<keyof Charge, string>>(
      `select request_id as requestId, prompt_tokens - 12 as seed, quota, is_stream as isStream,
         visitParamExtractBool(other, 'estimated') as isEstimated
       from usage_logs where type = 2`,
    );
    return rows.map(({ requestId, seed, quota, isStream, isEstimated }) => ({
      requestId,
      seed: Number(seed),
      quota: Number(quota),
      isStream: Number(isStream) === 1,
      isEstimated: Number(isEstimated) === 1,
    }));
  } finally {
    await store.end();
  }
}

test("the load goes on whatever is killed, and every answer has one charge of its price and one row in ClickHouse", async () => {
  const store = clickhouse.servers[0];
  await killed("worker");
  await served(20);
  await store?.kill();
  await served(40);
  await killed("worker");
  await killed("gateway");
  await served(20);
  await store?.startAgain();
  await killed("postgres");
  await served(40);
  await store?.kill();
  weir.stack.kill("everything");
  await store?.startAgain();
  await weir.startAgain();
  await served(20);
  await load.stop();
  // A gateway that was killed has a journal, which another one books.
  await weir.stack.stop();
  await weir.startAgain();
  await until(async () => (await readOutbox(weir.database.sql)).rows === 0, WAIT_MS);
  const all = await charges();
  expect(load.whole.length).toBeGreaterThan(150);
  expect(wronglyCharged(load.whole, all)).toEqual([]);
  expect(new Set(all.map(({ requestId }) => requestId)).size).toBe(all.length);
  const reported = all.filter(({ isEstimated }) => !isEstimated);
  expect(reported.filter(({ seed, quota, isStream }) => quota !== priceOf(seed, isStream))).toEqual([]);
  await expectOneSum(all);
});

/** Log, hours, user and token come to the same. */
async function expectOneSum(all: readonly Charge[]): Promise<void> {
  const sum = all.reduce((total, { quota }) => total + quota, 0);
  const [sums] = await weir.database.sql<Record<string, number>[]>`
    select (select sum(quota)::bigint from usage_hourly) as hours, u.used_quota as used, u.request_count as counted,
      (select sum(used_quota)::bigint from tokens) as token,
      (select count(*)::int from usage_logs where type = 2) as elsewhere
    from users u where username = 'bench'`;
  expect(sums).toEqual({ hours: sum, used: sum, token: sum, counted: all.length, elsewhere: 0 });
  expect((await reconcile(weir.database.sql)).differences).toEqual([]);
  process.env.LOG_STORE_URL = clickhouse.url;
  const now = Math.floor(Date.now() / 1_000);
  const range = { from: now - (now % HOUR) - HOUR, until: now - (now % HOUR) + HOUR };
  expect((await reconcileHours(weir.database.sql, [range])).differences).toEqual([]);
}
