import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import * as logApi from "@/app/api/log/[[...path]]/route";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { channels, totpFactors, usageLogs } from "@/db/schema";
import { builtInPrice } from "@/lib/billing/built-in-terms";
import { documentPath } from "@/lib/http/openapi/naming";
import { fromElsewhere } from "./account-harness";
import { call, PASSWORD, setUpApi, type Table } from "./harness";

// Clients of the compatible calls (scripts, bots, other consoles) and what they rely on where the contract is silent.

const api = setUpApi();
const now = Math.floor(Date.now() / 1000);

beforeAll(async () => {
  const row = { keyCipher: "x", group: "default" };
  await api.database.db.insert(channels).values([
    { ...row, id: 7, name: "seven", baseUrl: "https://upstream.example", tag: "red" },
    { ...row, id: 8, name: "eight", baseUrl: "https://other.example", tag: null },
  ]);
});

describe("list filters that cannot be read are none", () => {
  const numbers = ["NaN", "null", "undefined", "", "x", "1e999", "99999999999999999999"];
  const NUMERIC = ["channel", "channel_id", "type", "start_timestamp", "end_timestamp", "user_id", "p", "page_size"];
  const lists = routeTables().flatMap(({ base, routes, handler }) =>
    routes.flatMap(({ method, path, query }) => {
      const shape = query && "shape" in query ? Object.keys(query.shape as object) : [];
      // Whose keys are listed is no filter: an id that cannot be read must not lead to other keys.
      const isOwner = (name: string) => name === "user_id" && base === "/api/token";
      const names = shape.filter((name) => (NUMERIC.includes(name) && !isOwner(name)) || name === "group");
      // Files and single rows are no lists.
      const isList = !/export|statement|:id/.test(path);
      return method === "GET" && isList && names.length > 0 ? [{ line: documentPath(base, path), names, handler }] : [];
    }),
  );

  test.each(lists.map((list) => [list.line, list] as const))("%s", async (line, { names, handler }) => {
    const table = { GET: handler } as unknown as Table;
    const headers = fromElsewhere();
    const plain = (await call(table, `GET ${line}`, { as: api.root, headers })).json;
    expect(plain.success).toBe(true);
    for (const name of names)
      for (const value of name === "group" ? ["null", "undefined", ""] : numbers) {
        const answer = await call(table, `GET ${line}?${name}=${value}`, { as: api.root, headers: fromElsewhere() });
        expect(answer.json, `${name}=${value}`).toEqual(plain);
      }
  });

  test("clearing the log is no list: an unreadable time clears nothing", async () => {
    const answer = await call(logApi, "DELETE /api/log/?target_timestamp=NaN", { as: api.root });
    expect(answer.json.success).toBe(false);
  });
});

describe("channels", () => {
  const list = async (query: string) =>
    ((await call(channelApi, `GET /api/channel/${query}`, { as: api.admin })).json.data as { id: number }[])
      .map(({ id }) => id)
      .sort();

  test("tag mode lists channels without a tag as well (B220, B221)", async () => {
    expect([await list("?tag_mode=true"), await list("search?tag_mode=true")]).toEqual([
      [7, 8],
      [7, 8],
    ]);
  });

  test("a search looks at id, name and key; the address has a parameter of its own", async () => {
    expect(await list("search?keyword=seven")).toEqual([7]);
    expect(await list("search?keyword=example")).toEqual([]);
    expect(await list("search?base_url=upstream.EXAMPLE")).toEqual([7]);
  });

  describe("fetching models without a type", () => {
    let asked = "";
    const upstream = createServer(({ url, headers }, response) => {
      asked = `${url} ${headers.authorization}`;
      response.end(JSON.stringify({ data: [{ id: "a-model" }] }));
    });
    beforeAll(async () => void (await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done))));
    afterAll(() => upstream.close());

    test("asks as of OpenAI's type", async () => {
      const base_url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
      const body = { base_url, key: "sk-x" };
      const answer = await call(channelApi, "POST /api/channel/fetch_models", { as: api.root, body });
      expect([answer.json.data, asked]).toEqual([["a-model"], "/v1/models Bearer sk-x"]);
    });
  });
});

describe("options", () => {
  const put = (body: object) => call(optionApi, "PUT /api/option/", { as: api.root, body });
  const read = async (key: string) => {
    const { data } = (await call(optionApi, "GET /api/option/", { as: api.root })).json;
    return (data as { key: string; value: string }[]).find((option) => option.key === key)?.value;
  };
  const stored = (key: string) => api.database.sql`select value from options where key = ${key}`;

  test("a secret without a value, or with an empty one, stays", async () => {
    await put({ key: "ServerAddress", value: "https://weir.example" });
    await put({ key: "EpayKey", value: "kept" });
    const before = await stored("EpayKey");
    for (const value of [undefined, null, ""]) {
      expect((await put({ key: "EpayKey", value })).json).toMatchObject({ success: true });
    }
    expect(await stored("EpayKey")).toEqual(before);
    const plain = await put({ key: "SystemName" });
    expect([plain.status, plain.json.success]).toEqual([400, false]);
  });

  test("slashes at the end go, and an emptied number is its default", async () => {
    await put({ key: "CustomCallbackAddress", value: "https://pay.example/back//" });
    expect(await read("CustomCallbackAddress")).toBe("https://pay.example/back");
    await put({ key: "MinTopUp", value: "12" });
    expect((await put({ key: "MinTopUp", value: " " })).json.success).toBe(true);
    expect(await read("MinTopUp")).toBe("1");
  });

  test("prices are read as they are in force, and sending them back fixes none", async () => {
    await put({ key: "ModelRatio", value: JSON.stringify({ "my-model": 3, "gpt-4o": 99 }) });
    const ratios = JSON.parse((await read("ModelRatio")) ?? "");
    expect(ratios).toMatchObject({ "my-model": 3, "gpt-4o": 99, "gpt-4o-mini": builtInPrice("gpt-4o-mini")?.ratio });
    expect(Object.keys(JSON.parse((await read("CompletionRatio")) ?? ""))).toContain("gpt-4o-mini");
    expect(Object.keys(JSON.parse((await read("ModelPrice")) ?? "")).length).toBeGreaterThan(0);
    await put({ key: "ModelRatio", value: JSON.stringify(ratios) });
    expect(JSON.parse((await stored("ModelRatio"))[0]?.value)).toEqual({ "my-model": 3, "gpt-4o": 99 });
  });

  test("resetting the ratios says so, in the language asked for", async () => {
    const headers = { "accept-language": "en" };
    const answer = await call(optionApi, "POST /api/option/rest_model_ratio", { as: api.root, headers });
    expect(answer.json).toEqual({ success: true, message: "The model ratios were reset to the built-in ones" });
    expect(JSON.parse((await read("ModelRatio")) ?? "")["gpt-4o"]).toBe(builtInPrice("gpt-4o")?.ratio);
  });
});

test("a sign-in that needs a second factor is no success, and has the ticket beside its message", async () => {
  await api.database.db.insert(totpFactors).values({ userId: api.bob.id, secretCipher: "x", enabledAt: 1 });
  const body = { username: "bob", password: PASSWORD };
  const answer = await call(userApi, "POST /api/user/login", { body, headers: fromElsewhere() });
  expect(answer.json).toMatchObject({ success: false, data: { require_2fa: true, ticket: expect.any(String) } });
  expect(answer.json.message).not.toBe("");
});

describe("searching the log", () => {
  const write = (userId: number, fields: Partial<typeof usageLogs.$inferInsert>) =>
    api.database.db.insert(usageLogs).values({
      requestId: crypto.randomUUID(),
      createdAt: now - 100,
      userId,
      username: "",
      modelName: "m",
      channelId: 7,
      ...fields,
    });
  const contents = async (line: string, as = api.alice) =>
    ((await call(logApi, `GET ${line}`, { as })).json.data as { content: string }[])
      .map(({ content }) => content)
      .sort();

  beforeAll(async () => {
    await write(api.alice.id, { type: 3, content: "given 10%" });
    await write(api.alice.id, { type: 2, content: "given" });
    await write(api.alice.id, { type: 4, content: "not given" });
    await write(api.bob.id, { type: 3, content: "given to bob" });
    await write(api.alice.id, { type: 3, content: "given long ago", createdAt: now - 10 * 86_400 });
  });

  test("by type or beginning, own rows for users and all for administrators", async () => {
    expect(await contents("/api/log/self/search?keyword=3")).toEqual(["given 10%"]);
    expect(await contents("/api/log/self/search?keyword=given")).toEqual(["given", "given 10%"]);
    expect(await contents("/api/log/self/search?keyword=given%2010%25")).toEqual(["given 10%"]);
    expect(await contents("/api/log/self/search?keyword=%25")).toEqual([]);
    expect(await contents("/api/log/search?keyword=given", api.admin)).toEqual([
      "given",
      "given 10%",
      "given long ago",
      "given to bob",
    ]);
    expect((await call(logApi, "GET /api/log/search?keyword=3", { as: api.alice })).json.success).toBe(false);
  });

  test("by a token's key, for any site, without channel data", async () => {
    const { data } = (await call(tokenApi, "POST /api/token/", { as: api.alice, body: { name: "t" } })).json;
    await write(api.alice.id, { type: 2, tokenId: data.id, content: "by key", other: { admin_info: { a: 1 } } });
    const byKey = (key: string) => call(logApi, `GET /api/log/token?key=${key}`, { headers: fromElsewhere() });
    for (const key of [data.key, `sk-${data.key}`]) {
      const answer = await byKey(key);
      expect(answer.json.data).toMatchObject([{ content: "by key", channel: 0, other: "{}" }]);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
    for (const key of ["", "sk-", "nonsense"]) expect((await byKey(key)).json.success).toBe(false);
  });
});
