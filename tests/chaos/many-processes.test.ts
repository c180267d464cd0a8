import { expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { until } from "@/lib/testing/until";
import type { TokenValues, UserValues } from "@/tests/relay/seed";
import { USED } from "./held-upstream";
import { killHard } from "./stack";
import {
  askTwice,
  callOnce,
  expectEverywhere,
  expectSoon,
  GATEWAYS,
  type Outcome,
  setUpTwoMachines,
} from "./two-machines";

const REQUESTS = 32;
const TOKENS = 1_600;
const USED_TOKENS = USED.prompt + USED.completion;
/** One quota per prompt token, two per completion token. */
const COST = USED.prompt + 2 * USED.completion;
/** So much of a limit may lie unused in other processes (lib/relay/admission/README.md), and a request that does not fit any more. */
const USABLE = 1 - GATEWAYS / 16;
/** A circuit is probed again within a rest of at most 5 s. */
const REST_MS = 8_000;

const weir = setUpTwoMachines(async ({ seed, primary }) => {
  await seed.addChannel({ models: "held" });
  await seed.addChannel({ models: "few-requests", requestsPerMinute: REQUESTS });
  await seed.addChannel({ models: "few-tokens", tokensPerMinute: TOKENS });
  await seed.addChannel({ models: "shaky", priority: 10, baseUrl: primary.url });
  await seed.addChannel({ models: "shaky" });
  await seed.setPrices("held,few-requests,few-tokens,shaky");
  await seed.setOption("CircuitFailures", "1");
});

test("a key that its owner deletes in one console is refused by all gateways within a second", async () => {
  const { user, key, tokenId } = await weir.newCaller();
  await expectEverywhere(() => weir.askAll(key), 200);
  const url = `${weir.consoles[0]?.url}/api/token/${tokenId}`;
  expect(await callOnce({ url, method: "DELETE", headers: await weir.signIn(user) })).toBe(200);
  await expectEverywhere(() => weir.askAll(key), 401);
});

test("a user who is banned in one console is refused by all gateways and all playgrounds within a second", async () => {
  const { user, key } = await weir.newCaller();
  const as = await weir.signIn(user);
  await expectEverywhere(() => weir.askAll(key), 200);
  await expectEverywhere(() => weir.askPlaygrounds(as), 200);
  const url = `${weir.consoles[1]?.url}/api/user/manage`;
  const body = { id: user, action: "disable" };
  expect(await callOnce({ url, headers: await weir.signInAsRoot(), body })).toBe(200);
  await expectEverywhere(() => weir.askAll(key), 403);
  await expectEverywhere(() => weir.askPlaygrounds(as), "refused");
});

test("of 42 requests on all processes at once, a user with 5 places has 5 in flight, and the others get 429", async () => {
  const { upstream } = weir;
  const { user, key } = await weir.newCaller();
  const as = await weir.signIn(user);
  await weir.database.sql`update users set concurrency_limit = 5 where id = ${user}`;
  await expectEverywhere(() => weir.askAll(key), 200);
  upstream.hold();
  const asked = [...Array.from({ length: 10 }, () => weir.askAll(key)).flat(), ...weir.askPlaygrounds(as)];
  let refused = 0;
  for (const call of asked) {
    void call.then((outcome) => {
      if (outcome === 429) refused += 1;
    });
  }
  await expectSoon(() => [upstream.held(), refused], [5, 37], 10_000);
  expect(upstream.most()).toBe(5);
  upstream.release();
  const statuses = await Promise.all(asked);
  expect(statuses.filter((status) => status === 200)).toHaveLength(5);
});

/** So that a burst lies within one minute of the database: across two, the count slides. */
async function awaitMinuteWithRoom(): Promise<void> {
  const second = async () => {
    const [row] = await weir.database.sql<{ at: number }[]>`
      select (extract(epoch from clock_timestamp())::numeric % 60)::float8 as at`;
    return row?.at ?? 0;
  };
  await until(async () => (await second()) < 46, 20_000);
}

/** Requests on all gateways at once, again and again until `least` have reached the upstream; then once more. */
async function burstUntil(key: string, model: string, least: number): Promise<void> {
  const { upstream } = weir;
  await awaitMinuteWithRoom();
  upstream.forget();
  const outcomes = new Set<Outcome>();
  const burst = async (rounds: number): Promise<void> => {
    const asked = Array.from({ length: rounds }, () => weir.askAll(key, model)).flat();
    for (const outcome of await Promise.all(asked)) outcomes.add(outcome);
  };
  await until(async () => {
    await burst(10);
    return upstream.count() >= least;
  }, 12_000);
  await burst(5);
  expect([...outcomes].sort()).toEqual([200, 429]);
}

type Limited = [of: string, model: string, user?: UserValues, token?: TokenValues];

test.each<Limited>([
  ["token", "held", {}, { rateLimitCount: REQUESTS, rateLimitSeconds: 60 }],
  ["user", "held", { requestsPerMinute: REQUESTS }],
  ["channel", "few-requests"],
])(
  "requests per minute of a %s: a burst on all gateways never gets more, and nearly all of them",
  async (_of, model, ofUser, ofToken) => {
    const { key } = await weir.newCaller(ofUser, ofToken);
    await burstUntil(key, model, REQUESTS * USABLE);
    expect(weir.upstream.count()).toBeLessThanOrEqual(REQUESTS);
  },
);

test.each<Limited>([
  ["token", "held", {}, { tokensPerMinute: TOKENS }],
  ["user", "held", { tokensPerMinute: TOKENS }],
  ["channel", "few-tokens"],
])(
  "tokens per minute of a %s: a burst on all gateways never uses more, and nearly all of them",
  async (_of, model, ofUser, ofToken) => {
    const { key } = await weir.newCaller(ofUser, ofToken);
    await burstUntil(key, model, (TOKENS / USED_TOKENS) * USABLE);
    expect(weir.upstream.count() * USED_TOKENS).toBeLessThanOrEqual(TOKENS);
  },
);

test("a token's budget for the day is never exceeded by whole answers on all gateways, and nearly all of it can be spent", async () => {
  const budget = 200 * COST;
  const { key, tokenId } = await weir.newCaller({}, { budgetDay: budget });
  const spent = async (): Promise<number> => {
    const [row] = await weir.database.sql<{ used: number }[]>`
      select used_quota::int as used from tokens where id = ${tokenId}`;
    return row?.used ?? 0;
  };
  const outcomes = new Set<Outcome>();
  const burst = async (): Promise<number> => {
    const asked = Array.from({ length: 20 }, () => weir.askAll(key)).flat();
    for (const outcome of await Promise.all(asked)) outcomes.add(outcome);
    return spent();
  };
  await until(async () => (await burst()) >= budget * USABLE, 8_000);
  expect(await burst()).toBeLessThanOrEqual(budget);
  expect([...outcomes].sort()).toEqual([200, 429]);
});

/** How many of a round of requests at every gateway, twice, reach the primary. */
async function shareOfPrimary(key: string): Promise<number> {
  const { primary } = weir;
  primary.forget();
  const outcomes = await askTwice(() => weir.askAll(key, "shaky"));
  expect(outcomes.filter((one) => one !== 200)).toEqual([]);
  return primary.count();
}

/** One gateway finds out that the primary fails. */
async function breakPrimary(key: string): Promise<void> {
  weir.primary.fail();
  expect(await weir.askOne(key, "shaky")).toBe(200);
}

test("a channel that failed at one gateway is left alone by all within a second, and no caller sees an error", async () => {
  const { key } = await weir.newCaller();
  expect(await shareOfPrimary(key)).toBe(2 * GATEWAYS);
  await breakPrimary(key);
  await expectSoon(() => shareOfPrimary(key), 0);
});

test("after its rest a channel gets one probe from all gateways under load, and is in use everywhere when that succeeds", async () => {
  const { primary } = weir;
  const { key } = await weir.newCaller();
  await breakPrimary(key);
  await expectSoon(() => shareOfPrimary(key), 0);
  primary.forget();
  primary.hold();
  const asked: Promise<Outcome>[] = [];
  let answered = 0;
  const ask = (): void => {
    for (const one of weir.askAll(key, "shaky")) {
      asked.push(one);
      void one.then(() => {
        answered += 1;
      });
    }
  };
  await until(() => {
    ask();
    return primary.held() > 0;
  }, REST_MS);
  for (let i = 0; i < 15; i++) ask();
  await until(() => answered === asked.length - 1, 10_000);
  expect(primary.count()).toBe(1);
  primary.release();
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
  await expectSoon(() => shareOfPrimary(key), 2 * GATEWAYS);
});

test("a circuit that an administrator closes in one console is closed on all gateways within a second", async () => {
  const { primary, database } = weir;
  const { key } = await weir.newCaller();
  await breakPrimary(key);
  await expectSoon(() => shareOfPrimary(key), 0);
  primary.release();
  const [open] = await database.sql<{ id: number }[]>`
    select channel_id as id from channel_circuits where closed_at is null`;
  const url = `${weir.consoles[0]?.url}/api/channel/circuits/${open?.id}`;
  const headers = await weir.signInAsRoot();
  expect(await callOnce({ url, method: "DELETE", headers, body: { model: "shaky" } })).toBe(200);
  await expectSoon(() => shareOfPrimary(key), 2 * GATEWAYS);
});

test("kill -9 of a gateway with requests in flight: its places and its part of a budget come back, and limits stay", async () => {
  const { upstream, database } = weir;
  const { sql } = database;
  const places = 2 * GATEWAYS;
  const limits = { concurrencyLimit: places, requestsPerMinute: REQUESTS, budgetDay: 1_000_000 };
  // Each gateway has charged somebody, so that each has a journal.
  const { key: another } = await weir.newCaller();
  await expectEverywhere(() => weir.askAll(another), 200);
  const { user, key } = await weir.newCaller(limits);
  const begunAt = performance.now();
  upstream.forget();
  upstream.hold();
  const asked = [...weir.askAll(key), ...weir.askAll(key)];
  await until(() => upstream.held() === places, 5_000);
  const [victim] = weir.gateways();
  const name = `gateway ${victim}`;
  const [hold] = await sql<{ node: string }[]>`
    select node_id as node from budget_holds join nodes on nodes.id = node_id
    where owner_id = ${user} and nodes.name = ${name}`;
  expect(hold).toBeDefined();
  killHard(victim ?? 0);
  await until(() => upstream.held() < places);
  upstream.release();
  const outcomes = await Promise.all(asked);
  const lost = outcomes.filter((one) => one === "broken").length;
  expect(lost).toBeGreaterThan(0);
  expect(outcomes.filter((one) => one === 200)).toHaveLength(places - lost);

  // The gateway that is started in its place finds its journal.
  await until(async () => (await sql`select 1 from nodes where name = ${name}`).length === 0, 20_000);
  expect(await sql`select 1 from budget_holds where node_id = ${hold?.node ?? ""}`).toHaveLength(0);

  upstream.hold();
  const again: Promise<Outcome>[] = [];
  await until(() => {
    if (upstream.held() < places) again.push(...weir.askAll(key));
    return upstream.held() === places;
  }, 5_000);
  expect(upstream.most()).toBe(places);
  upstream.release();
  await Promise.all(again);
  for (let i = 0; i < 5; i++) await askTwice(() => weir.askAll(key));
  // Across two minutes the count slides.
  const minutes = (performance.now() - begunAt) / 60_000;
  expect(upstream.count()).toBeLessThanOrEqual(Math.ceil(REQUESTS * (1 + minutes)));
});

test("the books agree", async () => {
  expect((await reconcile(weir.database.sql)).differences).toEqual([]);
});
