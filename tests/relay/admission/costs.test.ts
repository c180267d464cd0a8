// What every request costs upstream, by the price of the channel that served it, is in its log row and in the hourly sums.
import { beforeEach, describe, expect, test } from "vitest";
import { chatBody, setUpRelay, until } from "../harness";

const relay = setUpRelay({
  // One quota a prompt token, two a completion token: the fake upstream's 12 and 13 tokens are sold for 38.
  prices: "m,fake-gpt,fake-cut,fake-error-500,fake-error-504",
  options: { RetryTimes: "2" },
});
let user: number;
let key: string;

beforeEach(async () => {
  await relay.reset();
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});

type Costs = { type: number; quota: number; cost: number | null; unbilled: number; unknown: number; channel: number };

const costsOf = (id: number): Promise<Costs[]> =>
  relay.database.sql<Costs[]>`
    select type, quota, cost, unbilled_cost as unbilled, unknown_costs as unknown, channel_id as channel
    from usage_logs where user_id = ${id} order by id`;
const hourOf = (id: number) =>
  relay.database.sql`
    select sum(quota)::bigint as quota, sum(cost)::bigint as cost, sum(unbilled_cost)::bigint as unbilled,
      sum(unknown_costs)::bigint as unknown
    from usage_hourly where user_id = ${id}`.then(([row]) => row);
const setting = (cost: object) => JSON.stringify(cost);
const mapTo = (model: string) => JSON.stringify({ m: model });

describe("a request costs what its channel's upstream takes", () => {
  test.each([
    ["nothing said: the list price", {}, 38],
    ["a factor of the list price", { cost_factor: 0.5 }, 19],
    ["a free upstream", { cost_factor: 0 }, 0],
    ["a dear one: a loss", { cost_factor: 1.5 }, 57],
    ["a price of its own, in USD per million tokens", { cost_prices: { "fake-gpt": { input: 1, output: 10 } } }, 71],
    ["a price by call", { cost_prices: { "fake-gpt": { per_call: 0.0002 } } }, 100],
  ])("%s", async (_name, cost, expected) => {
    await relay.addChannel({ models: "fake-gpt", setting: setting(cost) });
    await relay.inForce();
    expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
    expect(await costsOf(user)).toMatchObject([{ quota: 38, cost: expected, unbilled: 0, unknown: 0 }]);
    expect(await hourOf(user)).toEqual({ quota: 38, cost: expected, unbilled: 0, unknown: 0 });
  });

  test("streamed too, and under the upstream's name of the model", async () => {
    const prices = { "fake-gpt": { input: 4, output: 4 }, m: { input: 400, output: 400 } };
    await relay.addChannel({ models: "m", modelMapping: mapTo("fake-gpt"), setting: setting({ cost_prices: prices }) });
    await relay.inForce();
    await relay.post(key, chatBody("m", { stream: true }));
    // 25 tokens at two quota each.
    expect(await costsOf(user)).toMatchObject([{ quota: 38, cost: 50 }]);
  });

  test("a setting that cannot be read makes the cost unknown, never nothing", async () => {
    await relay.addChannel({ models: "fake-gpt", setting: setting({ cost_factor: "cheap" }) });
    await relay.inForce();
    await relay.post(key, chatBody("fake-gpt"));
    expect(await costsOf(user)).toMatchObject([{ quota: 38, cost: null, unknown: 1 }]);
  });
});

describe("fail-over", () => {
  test("an upstream that refused costs nothing, the one that answered its own price", async () => {
    const refusing = {
      models: "m",
      priority: 10,
      modelMapping: mapTo("fake-error-503"),
      setting: setting({ cost_factor: 9 }),
    };
    const failing = await relay.addChannel(refusing);
    const good = await relay.addChannel({
      models: "m",
      modelMapping: mapTo("fake-gpt"),
      setting: setting({ cost_factor: 0.5 }),
    });
    await relay.inForce();
    expect((await relay.post(key, chatBody("m"))).status).toBe(200);
    expect(await costsOf(user)).toMatchObject([{ channel: good, quota: 38, cost: 19, unbilled: 0, unknown: 0 }]);
    const [row] = await relay.logsOf(user);
    expect(row?.other.admin_info).toMatchObject({
      attempts: [
        { channel: failing, cost: 0 },
        { channel: good, cost: 19 },
      ],
    });
  });

  test("an upstream that something in between gave up on may bill: unknown, and the caller pays nothing", async () => {
    await relay.addChannel({ models: "fake-error-504" });
    await relay.inForce();
    await relay.post(key, chatBody("fake-error-504"));
    await until(async () => (await costsOf(user)).length === 1);
    expect(await costsOf(user)).toMatchObject([{ type: 5, quota: 0, cost: null, unknown: 1 }]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  });
});

test("a cut stream costs what was delivered of it, at the channel's price", async () => {
  await relay.addChannel({ models: "fake-cut", setting: setting({ cost_factor: 2 }) });
  await relay.inForce();
  await relay.post(key, chatBody("fake-cut", { stream: true }));
  await until(async () => (await costsOf(user)).length === 1);
  const [row] = await costsOf(user);
  expect(row?.quota).toBeGreaterThan(0);
  expect(row).toMatchObject({ cost: (row?.quota ?? 0) * 2, unbilled: 0, unknown: 0 });
});

test("what a gateway answers says nothing of its costs", async () => {
  await relay.addChannel({
    models: "fake-gpt",
    setting: setting({ cost_prices: { "fake-gpt": { per_call: 0.777 } } }),
  });
  await relay.inForce();
  const { text, headers } = await relay.post(key, chatBody("fake-gpt"));
  expect(`${text}${JSON.stringify([...headers])}`).not.toMatch(/cost|388500|0\.777/);
});
