import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { channels } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { call, type Person, setUpApi } from "./harness";

const api = setUpApi();
const seen: { url: string; headers: Record<string, unknown> }[] = [];
const answers = new Map<string, unknown>();
const server = createServer((request, response) => {
  const url = request.url ?? "";
  seen.push({ url, headers: request.headers });
  const answer = answers.get(url.split("?")[0] ?? "");
  response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
  response.end(JSON.stringify(answer ?? { error: "unknown" }));
});
let base = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function addChannel(type: number, changes: object = {}): Promise<number> {
  const row = { type, name: `type ${type}`, models: "m", keyCipher: seal("sk-upstream"), baseUrl: base, ...changes };
  const [made] = await api.database.db.insert(channels).values(row).returning({ id: channels.id });
  if (!made) throw new Error("no row");
  return made.id;
}
const get = async (path: string, as: Person = api.admin) =>
  (await call(channelApi, `GET /api/channel/${path}`, { as })).json;
const rowOf = async (id: number) => (await api.database.db.select().from(channels).where(eq(channels.id, id)))[0];

describe("GET /api/channel/update_balance/{id}/ (B231)", () => {
  test.each([
    [
      1,
      {
        "/v1/dashboard/billing/subscription": { hard_limit_usd: 120, has_payment_method: true },
        "/v1/dashboard/billing/usage": { total_usage: 2_050 },
      },
      99.5,
    ],
    [10, { "/api/report/getUserOverview": { data: { totalPoints: 7.25 } } }, 7.25],
    [12, { "/dashboard/billing/credit_grants": { total_remaining: 3 } }, 3],
    [13, { "/dashboard/billing/credit_grants": { total_available: 4 } }, 4],
    [20, { "/v1/credits": { data: { total_credits: 10, total_usage: 2.5 } } }, 7.5],
    [25, { "/v1/users/me/balance": { data: { available_balance: 49.5 } } }, 49.5],
    [40, { "/v1/user/info": { code: 20_000, data: { totalBalance: "88.00" } } }, 88],
    [43, { "/user/balance": { balance_infos: [{ currency: "CNY", total_balance: "11.5" }] } }, 11.5],
  ])("type %i: reads, returns and stores what is left", async (type, given, expected) => {
    answers.clear();
    for (const [path, answer] of Object.entries(given)) answers.set(path, answer);
    const id = await addChannel(type);
    expect(await get(`update_balance/${id}/`)).toMatchObject({ success: true, balance: expected });
    const row = await rowOf(id);
    expect(row?.balance).toBe(expected);
    expect(row?.balanceUpdatedTime).toBeGreaterThan(0);
    const { authorization, "api-key": apiKey } = seen.at(-1)?.headers ?? {};
    expect(apiKey ?? authorization).toBe(type === 10 ? "sk-upstream" : "Bearer sk-upstream");
  });

  test.each([
    ["an answer without the figure", 20, { "/v1/credits": { data: {} } }, "上游返回的内容无法识别"],
    ["a refusal", 20, {}, "上游返回了状态码 404"],
    ["a type that cannot tell", 24, {}, "该类型的渠道不支持查询余额"],
  ])("%s is an error and changes nothing", async (_what, type, given, message) => {
    answers.clear();
    for (const [path, answer] of Object.entries(given)) answers.set(path, answer);
    const id = await addChannel(type, { balance: 5 });
    expect(await get(`update_balance/${id}`)).toEqual({ success: false, message });
    expect((await rowOf(id))?.balance).toBe(5);
  });

  test("all enabled channels at once: one that fails does not stop the others (B031)", async () => {
    await api.database.db.delete(channels);
    answers.clear();
    answers.set("/v1/credits", { data: { total_credits: 2, total_usage: 1 } });
    const good = await addChannel(20);
    const bad = await addChannel(25);
    const off = await addChannel(20, { status: 2 });
    expect(await get("update_balance")).toMatchObject({
      success: true,
      data: { updated: 1, failed: [{ id: bad, name: "type 25" }] },
    });
    expect([(await rowOf(good))?.balance, (await rowOf(off))?.balance]).toEqual([1, 0]);
  });

  test("an ordinary user is refused", async () => {
    expect((await get("update_balance", api.alice)).success).toBe(false);
  });
});

describe("model lists of upstreams (B234)", () => {
  test("of a saved channel", async () => {
    answers.set("/v1/models", { data: [{ id: "gpt-4o" }, { id: "o3" }, { id: "gpt-4o" }] });
    const id = await addChannel(1);
    expect((await get(`fetch_models/${id}`)).data).toEqual(["gpt-4o", "o3"]);
  });

  test("of an unsaved one; Gemini's path differs", async () => {
    answers.set("/v1beta/openai/models", { data: [{ id: "gemini-2.5-pro" }] });
    const body = { base_url: `${base}/`, type: 24, key: "g-key" };
    const { json } = await call(channelApi, "POST /api/channel/fetch_models", { as: api.root, body });
    expect(json.data).toEqual(["gemini-2.5-pro"]);
  });

  test("Anthropic gets its own headers; a type without a list says so and asks nobody", async () => {
    answers.set("/v1/models", { data: [{ id: "claude-x" }] });
    const ask = (type: number) =>
      call(channelApi, "POST /api/channel/fetch_models", {
        as: api.root,
        body: { base_url: base, type, key: "sk-ant" },
      });
    expect((await ask(14)).json.data).toEqual(["claude-x"]);
    expect(seen.at(-1)?.headers).toMatchObject({ "x-api-key": "sk-ant", "anthropic-version": "2023-06-01" });
    const before = seen.length;
    expect((await ask(2)).json).toMatchObject({ success: false, message: "该类型的渠道不支持获取模型列表" });
    expect(seen.length).toBe(before);
  });

  test("an upstream that refuses connections is a failure in words, never the database's (A212)", async () => {
    const body = { base_url: "http://127.0.0.1:9", type: 1, key: "sk-x" };
    const { status, json } = await call(channelApi, "POST /api/channel/fetch_models", { as: api.root, body });
    expect([status, json.success]).toEqual([200, false]);
    expect(json.message).not.toBe("");
  });

  test("an administrator who is not root cannot make the server ask its own network", async () => {
    const before = seen.length;
    const body = { base_url: base, type: 1, key: "sk-x" };
    const { json } = await call(channelApi, "POST /api/channel/fetch_models", { as: api.admin, body });
    expect(json.success).toBe(false);
    expect(seen.length).toBe(before);
  });
});
