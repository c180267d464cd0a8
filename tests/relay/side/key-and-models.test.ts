/**
 * What programs read of a site before they send anything: which models there are, what they can and cost in the caller's group, and what
 * is left of the key. The numbers are those that the relay itself decides and charges by.
 */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { chatBody, setUpRelay, until } from "../harness";

const MANY = Array.from({ length: 1_000 }, (_, index) => `many-${index}`);
const relay = setUpRelay({
  options: {
    GroupRatio: { default: 1, vip: 2 },
    UserUsableGroups: { default: "default", vip: "vip" },
    ModelRatio: {
      "gpt-4o": 1.25,
      "my-own": 1,
      "text-embedding-3-small": 0.01,
      ...Object.fromEntries(MANY.map((name) => [name, 1])),
    },
    CompletionRatio: { "gpt-4o": 4, "my-own": 2 },
    ModelPrice: { "fake-gpt": 0.04 },
    QuotaPerUnit: 500_000,
  },
  channels: [
    { models: "gpt-4o,text-embedding-3-small,fake-gpt", group: "default,vip" },
    { models: "my-own", modelMapping: '{"my-own":"gpt-4o"}' },
    { models: MANY.join(","), group: "many" },
  ],
});
let key: string;
beforeAll(async () => {
  key = (await relay.addCaller()).token.key;
});

type Model = { id?: string; name?: string; pricing?: Record<string, string>; [name: string]: unknown };
async function get(path: string, own: string, headers: Record<string, string> = {}) {
  const response = await fetch(relay.url + path, { headers: { authorization: `Bearer ${own}`, ...headers } });
  return { status: response.status, json: await response.json() };
}
const find = async (model: string, own = key, headers = {}): Promise<Model> =>
  (await get(`/v1/models/${model}`, own, headers)).json;

describe("the list of models says what they can, and what they cost in the caller's group", () => {
  test("in the names of OpenRouter and LiteLLM, for every dialect that has a list", async () => {
    const facts = {
      mode: "chat",
      context_length: 128_000,
      max_output_tokens: 16_384,
      architecture: { input_modalities: expect.arrayContaining(["text", "image"]), output_modalities: ["text"] },
      top_provider: { context_length: 128_000, max_completion_tokens: 16_384 },
      pricing: { prompt: "0.0000025", completion: "0.00001", request: "0" },
    };
    expect(await find("gpt-4o")).toMatchObject({ id: "gpt-4o", object: "model", ...facts });
    expect(await find("gpt-4o", key, { "anthropic-version": "2023-06-01" })).toMatchObject({ type: "model", ...facts });
    expect((await get(`/v1beta/models/gpt-4o?key=${key}`, key)).json).toMatchObject({
      name: "models/gpt-4o",
      ...facts,
    });
    expect(await find("text-embedding-3-small")).toMatchObject({
      mode: "embedding",
      pricing: { prompt: "0.00000002" },
    });
    expect(await find("fake-gpt")).toMatchObject({ pricing: { prompt: "0", completion: "0", request: "0.04" } });
  });

  test("another group pays its own price, and a name of the operator's has the facts of the model behind it", async () => {
    const { token } = await relay.addCaller({}, { group: "vip" });
    expect((await find("gpt-4o", token.key)).pricing).toMatchObject({ prompt: "0.000005", completion: "0.00002" });
    expect((await find("gpt-4o")).pricing).toMatchObject({ prompt: "0.0000025" });
    const own = await find("my-own");
    expect(own).toMatchObject({ context_length: 128_000, pricing: { prompt: "0.000002", completion: "0.000004" } });
    expect((await find("fake-gpt", token.key)).pricing).toMatchObject({ request: "0.08" });
  });

  test("what is not known of a model is left out, never 0", async () => {
    const { token } = await relay.addCaller({ group: "many" });
    const one = await find("many-7", token.key);
    expect(one).toMatchObject({ id: "many-7", mode: "chat", pricing: expect.anything() });
    for (const name of ["context_length", "max_output_tokens", "architecture", "top_provider"])
      expect(one).not.toHaveProperty(name);
  });

  test("the official clients read it as before", async () => {
    const openai = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    const names: string[] = [];
    for await (const { id } of openai.models.list()) names.push(id);
    expect(names).toContain("gpt-4o");
    const anthropic = new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });
    expect(await anthropic.models.retrieve("gpt-4o")).toMatchObject({ id: "gpt-4o", type: "model" });
    const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: relay.url } });
    const listed: (string | undefined)[] = [];
    for await (const { name, inputTokenLimit } of await google.models.list()) listed.push(`${name} ${inputTokenLimit}`);
    expect(listed).toContain("models/gpt-4o 128000");
  });

  test("a list of 1,000 models is made once: the second costs no more than its text", async () => {
    const { token } = await relay.addCaller({ group: "many" });
    const ask = async () => {
      const before = process.cpuUsage();
      const { json } = await get("/v1/models", token.key);
      const { user, system } = process.cpuUsage(before);
      return { count: json.data.length, ms: (user + system) / 1_000 };
    };
    await ask();
    const again = await Promise.all([await ask(), await ask(), await ask()]);
    expect(again.map(({ count }) => count)).toEqual([1_000, 1_000, 1_000]);
    // Generous: gateway and client share this process.
    expect(Math.min(...again.map(({ ms }) => ms))).toBeLessThan(150);
  });
});

describe("GET /v1/key says of a key what it may know", () => {
  const read = async (own: string) => (await get("/v1/key", own)).json.data;

  test("balance, its own limit, budgets and rates with what is left of them, and when they begin anew (B329)", async () => {
    const { user, token } = await relay.addCaller(
      { balance: 5_000_000 },
      {
        unlimitedQuota: false,
        remainQuota: 1_000_000,
        budgetDay: 250_000,
        rateLimitCount: 10,
        rateLimitSeconds: 60,
        modelLimitsEnabled: true,
        modelLimits: "fake-gpt,gpt-4o",
      },
    );
    const before = await read(token.key);
    expect(before).toMatchObject({
      balance: 2,
      limit: 2,
      limit_remaining: 2,
      usage: 0,
      models: ["fake-gpt", "gpt-4o"],
      expires_at: null,
      budgets: [{ scope: "key", period: "day", limit: 0.5, remaining: 0.5, is_used_up: false }],
      rate_limits: [{ scope: "key", of: "requests", limit: 10, remaining: 10, interval_seconds: 60 }],
    });
    expect(Date.parse(before.budgets[0].resets_at)).toBeGreaterThan(Date.now());
    expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBe(200);
    await until(async () => (await relay.logsOf(user)).length === 1);
    const after = await read(token.key);
    expect(after.rate_limits[0].remaining).toBe(9);
    expect(after).toMatchObject({ usage: 0.04, limit_remaining: 1.96, balance: 1.96 });
    expect(after.budgets[0]).toMatchObject({ remaining: 0.46 });
  });

  test("and nothing of the account but what its own calls would tell", async () => {
    const { token } = await relay.addCaller(
      { balance: 4_000_000, budgetMonth: 3_000_000, requestsPerMinute: 30 },
      { unlimitedQuota: false, remainQuota: 500_000, name: "what the owner calls it" },
    );
    const data = await read(token.key);
    expect(data.balance).toBe(1);
    const [month] = data.budgets;
    expect(Object.keys(month).sort()).toEqual(["is_used_up", "period", "resets_at", "scope"]);
    expect(data.rate_limits).toMatchObject([{ scope: "account", limit: 30 }]);
    const text = JSON.stringify(data);
    for (const secret of ["what the owner", token.key, "8000000", '"username"', "@"])
      expect(text).not.toContain(secret);
  });

  test("in each of the ways in which clients send a key, on each path that leads there, and to HEAD", async () => {
    const { token } = await relay.addCaller({ balance: 1_000_000 });
    const ways: [path: string, headers: Record<string, string>][] = [
      ["/v1/key", { authorization: `Bearer ${token.key}` }],
      ["/v1/key", { authorization: token.key }],
      ["/v1/key", { "x-api-key": token.key }],
      ["/v1/key", { "x-api-key": token.key, "anthropic-version": "2023-06-01" }],
      ["/v1/key", { "x-goog-api-key": token.key }],
      [`/v1/key?key=${token.key}`, {}],
      [`/v1/key/?key=${token.key}`, {}],
      ["/key", { authorization: `Bearer ${token.key}` }],
      ["/key", { "x-goog-api-key": token.key }],
      [`/key?key=${token.key}`, {}],
      ["/v1/v1/key", { "x-api-key": token.key }],
    ];
    for (const [path, headers] of ways) {
      const answer = await fetch(relay.url + path, { headers });
      const text = await answer.text();
      expect([answer.status, text], `${path} ${Object.keys(headers)}`).toEqual([
        200,
        expect.stringContaining('"balance":2'),
      ]);
    }
    const head = await fetch(`${relay.url}/v1/key`, { method: "HEAD", headers: { "x-api-key": token.key } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("also of one that is used up; one that is expired, off or from elsewhere hears only that", async () => {
    const { token } = await relay.addCaller({}, { unlimitedQuota: false, remainQuota: 0, status: 4 });
    expect(await read(token.key)).toMatchObject({ balance: 0, limit_remaining: 0 });
    expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBeGreaterThan(400);
    const usedUp = { unlimitedQuota: false, remainQuota: 0, status: 4 };
    const closed = [
      { status: 2 },
      { expiredTime: 1 },
      { ...usedUp, expiredTime: 1 },
      { allowIps: "192.0.2.77" },
      { ...usedUp, allowIps: "192.0.2.77" },
    ];
    for (const settings of closed) {
      const other = (await relay.addCaller({ balance: 7_654_321 }, settings)).token;
      const answer = await get("/v1/key", other.key);
      expect([401, 403], JSON.stringify(settings)).toContain(answer.status);
      expect(answer.json.data).toBeUndefined();
    }
    const banned = (await relay.addCaller({ status: 2 }, usedUp)).token;
    expect((await get("/v1/key", banned.key)).status).toBeGreaterThan(400);
  });

  test("a wrong key learns nothing, and asking costs the key nothing", async () => {
    expect((await get("/v1/key", "sk-wrong")).status).toBe(401);
    const { token } = await relay.addCaller({}, { rateLimitCount: 2, rateLimitSeconds: 60 });
    for (let i = 0; i < 4; i++) expect((await read(token.key)).rate_limits[0].remaining).toBe(2);
  });
});
