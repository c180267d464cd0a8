import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import { auditEntries, tokens, usageHourly } from "@/db/schema";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { createTokens } from "@/lib/token/batch-commands";
import { readTokenUsage } from "@/lib/token/usage-queries";
import { call, createPerson, type Person, setUpApi } from "./harness";

const api = setUpApi();
const DAY = 86_400;
const now = () => Math.floor(Date.now() / 1000);
const create = async (as: Person, body: object = {}) =>
  (await call(tokenApi, "POST /api/token/", { as, body: { name: "first", ...body } })).json;
const get = async (as: Person, id: number) => (await call(tokenApi, `GET /api/token/${id}`, { as })).json;
const put = async (as: Person, body: object, query = "") =>
  (await call(tokenApi, `PUT /api/token/${query}`, { as, body })).json;

describe("POST /api/token/ (B239)", () => {
  test("makes a token with a key of 48 alphanumerics, stored hashed and sealed, and returns both", async () => {
    const { data } = await create(api.alice, {
      remain_quota: 500_000,
      expired_time: -1,
      model_limits_enabled: true,
      model_limits: "gpt-4o,,o3 ",
    });
    expect(data.key).toMatch(/^[0-9A-Za-z]{48}$/);
    expect(data).toMatchObject({ status: 1, remain_quota: 500_000, expired_time: -1, model_limits: "gpt-4o,o3" });
    const [row] = await api.database.db.select().from(tokens).where(eq(tokens.id, data.id));
    expect(row).toMatchObject({ userId: api.alice.id, keyHash: sha256Hex(data.key) });
    expect(JSON.stringify(row)).not.toContain(data.key);
  });

  test.each([
    ["a name of 31 characters (B189, B277)", { name: "x".repeat(31) }, "令牌名称过长"],
    ["31 Chinese characters (B189)", { name: "长".repeat(31) }, "令牌名称过长"],
    ["no name (B188)", { name: " " }, "请输入令牌名称"],
    ["a negative quota (B191)", { remain_quota: -5 }, "额度必须是不小于 0 的整数"],
    ["half a quota (B191)", { remain_quota: 1.5 }, "额度必须是不小于 0 的整数"],
    ["a strange expiry (B190)", { expired_time: -7 }, "过期时间格式错误！"],
    ["a group that is not open to the user", { group: "svip" }, "分组不存在或无权使用"],
    ["an address that is none", { allow_ips: "10.0.0.1\nlocalhost" }, "第 2 行不是 IP 地址或 CIDR 网段：localhost"],
    [
      "a blocked range that is none (B143)",
      { deny_ips: "10.0.0.0/33" },
      "第 1 行不是 IP 地址或 CIDR 网段：10.0.0.0/33",
    ],
    ["a negative rate (B143)", { rate_limit_count: -1 }, "请求次数必须是 0 到 1000000 之间的整数"],
    ["a rate that is no number (B143)", { rate_limit_count: "5" }, "请求次数必须是 0 到 1000000 之间的整数"],
    ["a window of no length (B143)", { rate_limit_seconds: 0 }, "时间窗口必须是 1 到 2592000 秒之间的整数"],
    ["a negative limit", { tokens_per_minute: -1 }, "限制必须是 0 到 1000000000 之间的整数，0 表示不限制"],
    ["a limit that is no whole number", { concurrency_limit: 1.5 }, "并发上限必须是 0 到 100000 之间的整数"],
    ["a budget that is no number", { budget_day: "5" }, "预算必须是 0 到 1000000000000000 之间的整数，0 表示不限制"],
    [
      "a budget beyond all balances",
      { budget_month: 1e16 },
      "预算必须是 0 到 1000000000000000 之间的整数，0 表示不限制",
    ],
    ["a very long text (B143)", { rate_limit_message: "x".repeat(501) }, "限速报错内容过长（最多 500 个字符）"],
  ])("refuses %s (B143, B188, B189, B190, B191, B277)", async (_what, body, message) => {
    expect(await create(api.alice, body)).toEqual({ success: false, message });
  });

  test("30 characters are not too long, Chinese ones neither; addresses and ranges are kept one a line", async () => {
    const { data } = await create(api.alice, { name: "x".repeat(30), allow_ips: " 10.0.0.1 \n\n2001:db8::/32" });
    expect([data.name.length, data.allow_ips]).toEqual([30, "10.0.0.1\n2001:db8::/32"]);
    expect((await create(api.alice, { name: "长".repeat(30) })).data.name).toHaveLength(30);
  });

  test("read-only and unknown fields are ignored, never written, never an error", async () => {
    const { data, success } = await create(api.alice, {
      id: 4711,
      user_id: api.bob.id,
      key: "k".repeat(48),
      used_quota: 99,
      created_time: 1,
      DeletedAt: null,
      whatever: [1],
    });
    expect([success, data.user_id, data.used_quota]).toEqual([true, api.alice.id, 0]);
    expect(data.id).not.toBe(4711);
    expect(data.key).not.toBe("k".repeat(48));
  });
});

test("a token has a blocked list, its own rate limit and its own text for it; null empties them (B143)", async () => {
  const limits = { rate_limit_count: 3, rate_limit_seconds: 10, rate_limit_message: "慢一点" };
  const { data } = await create(api.alice, { deny_ips: "10.0.0.0/8", ...limits });
  expect(data).toMatchObject({ deny_ips: "10.0.0.0/8", ...limits });
  expect((await create(api.alice)).data).toMatchObject({
    rate_limit_count: 0,
    rate_limit_seconds: 60,
    rate_limit_message: "",
  });
  const changed = await put(api.alice, { id: data.id, rate_limit_count: 0, rate_limit_message: null, deny_ips: null });
  expect(changed.data).toMatchObject({ rate_limit_count: 0, rate_limit_message: "", deny_ips: "" });
});

test("a token is limited to operations by its owner; one that does not exist changes nothing (issue 14)", async () => {
  const { data } = await create(api.alice, { operation_limits: "rerank, chat,chat" });
  expect(data.operation_limits).toBe("rerank,chat");
  const change = (operation_limits: unknown) => put(api.alice, { id: data.id, operation_limits });
  expect(await change("chat,drawing-of-cats")).toMatchObject({ success: false });
  expect((await get(api.alice, data.id)).data.operation_limits).toBe("rerank,chat");
  expect((await change(null)).data.operation_limits).toBe("");
});

test("a token's limits and budgets are set by its owner, kept by a change of other fields, and 0 takes them away", async () => {
  const limits = { tokens_per_minute: 9_000, concurrency_limit: 4, budget_day: 5, budget_week: 20, budget_month: 50 };
  const { data } = await create(api.alice, limits);
  expect(data).toMatchObject(limits);
  expect((await put(api.alice, { id: data.id, name: "other" })).data).toMatchObject(limits);
  const { data: less } = await put(api.alice, { id: data.id, budget_day: 0, concurrency_limit: 0 });
  expect(less).toMatchObject({ ...limits, budget_day: 0, concurrency_limit: 0 });
});

describe("rotating a key", () => {
  test("gives the same token another key, keeps all else, and is recorded", async () => {
    const { data } = await create(api.alice, { remain_quota: 7 });
    const rotate = async (as: Person) => (await call(tokenApi, `POST /api/token/${data.id}/rotate`, { as })).json;
    const { data: after } = await rotate(api.alice);
    expect(after.key).toMatch(/^[0-9A-Za-z]{48}$/);
    expect(after.key).not.toBe(data.key);
    expect({ ...after, key: "", key_hint: "" }).toEqual({ ...data, key: "", key_hint: "" });
    const [row] = await api.database.db.select().from(tokens).where(eq(tokens.id, data.id));
    expect(row?.keyHash).toBe(sha256Hex(after.key));
    expect((await rotate(api.bob)).message).toBe("令牌不存在");
    const audits = await api.database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.subject, `token:${data.id}`));
    expect(audits).toMatchObject([{ action: "token.rotate", actorId: api.alice.id }]);
    expect(JSON.stringify(audits)).not.toContain(after.key);
  });

  test("whoever reveals a key leaves a trace", async () => {
    const { data } = await create(api.alice);
    await call(tokenApi, `POST /api/token/${data.id}/key`, { as: api.alice });
    const rows = await api.database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.subject, `token:${data.id}`));
    expect(rows).toMatchObject([{ action: "token.reveal" }]);
  });
});

describe("a batch of tokens", () => {
  const ctxOf = ({ id, username }: Person): ServiceContext => {
    const { db, sql } = consoleDatabase();
    return {
      db,
      sql,
      actor: { type: "user", id, username, role: 1, group: "default", via: "session" },
      clientIp: "",
    };
  };

  test("the first has the name, the others the name with a dash and six characters (B193, B286)", async () => {
    const user = await createPerson(api.database, "batcher", 1);
    const { made, failure } = await createTokens(ctxOf(user), { name: "team", count: 3, remainQuota: 5 });
    expect(failure).toBeNull();
    expect(made[0]?.name).toBe("team");
    for (const { name } of made.slice(1)) expect(name).toMatch(/^team-[A-Za-z0-9]{6}$/);
    expect(new Set(made.map(({ key }) => key)).size).toBe(3);
    expect((await call(tokenApi, "GET /api/token/", { as: user })).json.data).toHaveLength(3);
  });

  test("it stops at the first failure and keeps what was made (B193)", async () => {
    const user = await createPerson(api.database, "stopper", 1);
    const { made, failure } = await createTokens(ctxOf(user), { name: "x".repeat(28), count: 5 });
    expect([made.length, failure?.messageKey]).toEqual([1, "tokenNameTooLong"]);
    expect((await call(tokenApi, "GET /api/token/", { as: user })).json.data).toHaveLength(1);
  });

  test.each([0, -1, 1.5, Number.NaN, 101])("a batch of %s is refused and makes nothing (B192)", async (count) => {
    const user = await createPerson(api.database, `none${count}`, 1);
    await expect(createTokens(ctxOf(user), { name: "n", count })).rejects.toMatchObject({
      messageKey: "tokenCountInvalid",
    });
    expect((await call(tokenApi, "GET /api/token/", { as: user })).json.data).toEqual([]);
  });

  test("what tokens used in the last seven days is read for their owner only", async () => {
    const user = await createPerson(api.database, "spender", 1);
    const { made } = await createTokens(ctxOf(user), { name: "used", count: 2 });
    const [first, second] = made;
    const hour = now() - (now() % 3_600);
    const row = { userId: user.id, channelId: 1, modelName: "m", group: "default", tokenId: first?.id ?? 0 };
    await api.database.db.insert(usageHourly).values([
      { ...row, hour, quota: 5, count: 1 },
      { ...row, hour, modelName: "n", quota: 2, count: 1 },
      { ...row, hour: hour - 6 * DAY, quota: 7, count: 2 },
      { ...row, hour: hour - 8 * DAY, quota: 100, count: 1 },
    ]);
    const ids = [first?.id ?? 0, second?.id ?? 0];
    expect(await readTokenUsage(ctxOf(user), ids)).toEqual({
      [ids[0] ?? 0]: { quota: [7, 0, 0, 0, 0, 0, 7], count: 4 },
    });
    expect(await readTokenUsage(ctxOf(api.alice), ids)).toEqual({});
  });
});

describe("GET /api/token/ (B236)", () => {
  test("pages count from 0, newest first, size at most 100, with the owner's keys (B140, contract §13.2)", async () => {
    const user = await createPerson(api.database, "lister", 1);
    const made: { id: number; key: string }[] = [];
    for (let i = 0; i < 12; i++) made.push((await create(user, { name: `t${i}` })).data);
    const list = async (query: string) => (await call(tokenApi, `GET /api/token/?${query}`, { as: user })).json.data;
    const newest = made.map(({ id }) => id).reverse();
    const ids = (rows: { id: number }[]) => rows.map(({ id }) => id);
    expect(ids(await list("p=0"))).toEqual(newest.slice(0, 10));
    expect(ids(await list(""))).toEqual(newest.slice(0, 10));
    expect(ids(await list("p=1"))).toEqual(newest.slice(10));
    expect(ids(await list("p=2&size=5"))).toEqual(newest.slice(10));
    expect(await list("p=0&size=100")).toHaveLength(12);
    expect(await list("p=0&size=0")).toHaveLength(10);
    expect((await list("size=1"))[0].key).toBe(made.at(-1)?.key);
    expect(Array.isArray(await list("p=abc&size=1e9"))).toBe(true);
  });

  test("an option takes the keys out of lists; the reply that creates a token still has it", async () => {
    const option = (value: boolean) =>
      call(optionApi, "PUT /api/option/", { as: api.root, body: { key: "TokenKeyInListEnabled", value } });
    await option(false);
    const { data } = await create(api.alice);
    expect(data.key).toHaveLength(48);
    expect((await get(api.alice, data.id)).data).toMatchObject({
      key: "",
      key_hint: expect.stringMatching(/^.{4}….{4}$/),
    });
    const reveal = async (as: Person) => (await call(tokenApi, `POST /api/token/${data.id}/key`, { as })).json;
    expect((await reveal(api.alice)).data).toEqual({ key: data.key });
    expect((await reveal(api.root)).success).toBe(false);
    await option(true);
    expect((await get(api.alice, data.id)).data.key).toBe(data.key);
  });
});

describe("search (B238)", () => {
  test("by part of the name, taken literally, and by part of the key, with or without sk-", async () => {
    const user = await createPerson(api.database, "seeker", 1);
    const { data } = await create(user, { name: "50%_off" });
    await create(user, { name: "plain" });
    const search = async (query: string) =>
      (await call(tokenApi, `GET /api/token/search?${query}`, { as: user })).json.data.map(
        (row: { name: string }) => row.name,
      );
    expect(await search("keyword=%25_")).toEqual(["50%_off"]);
    expect(await search("keyword=&token=")).toHaveLength(2);
    expect(await search(`token=sk-${data.key}`)).toEqual(["50%_off"]);
    expect(await search(`token=${data.key.slice(10, 30)}`)).toEqual(["50%_off"]);
    expect(await search("token=sk-nothing-like-it")).toEqual([]);
    expect((await call(tokenApi, `GET /api/token/search?token=${data.key}`, { as: api.alice })).json.data).toEqual([]);
  });
});

describe("ownership (B237)", () => {
  test("another's token does not exist: read, change, switch, delete, for administrators too", async () => {
    const { data } = await create(api.alice, { remain_quota: 5 });
    for (const other of [api.bob, api.root]) {
      const answers = [
        await get(other, data.id),
        await put(other, { ...data, user_id: undefined, name: "mine" }),
        await put(other, { id: data.id, status: 2 }, "?status_only=true"),
        (await call(tokenApi, `DELETE /api/token/${data.id}/`, { as: other })).json,
      ];
      expect(answers).toEqual(Array(4).fill({ success: false, message: "令牌不存在" }));
    }
    expect((await get(api.alice, data.id)).data).toMatchObject({ name: "first", status: 1 });
  });
});

describe("PUT and DELETE (B239)", () => {
  test("a whole row sent back changes only what may be changed", async () => {
    const { data } = await create(api.alice, { remain_quota: 10 });
    await api.database.db.update(tokens).set({ usedQuota: 7, remainQuota: 3 }).where(eq(tokens.id, data.id));
    const row = { ...data, name: "renamed", used_quota: 0, user_id: api.bob.id, key: "x", created_time: 5, status: 3 };
    const { data: after } = await put(api.alice, row);
    expect(after).toEqual({ ...data, name: "renamed", used_quota: 7, remain_quota: 3 });
  });

  test("fields that are left out stay", async () => {
    const { data } = await create(api.alice, { remain_quota: 10, model_limits_enabled: true, model_limits: "o3" });
    expect((await put(api.alice, { id: data.id, name: "n" })).data).toEqual({ ...data, name: "n" });
  });

  test("status_only switches between 1 and 2 and leaves the rest alone", async () => {
    const { data } = await create(api.alice, { remain_quota: 10 });
    const off = await put(api.alice, { id: data.id, status: 2, name: "ignored" }, "?status_only=true");
    expect(off.data).toEqual({ ...data, status: 2 });
    expect((await put(api.alice, { id: data.id, status: 1 }, "?status_only=true")).data.status).toBe(1);
    expect((await put(api.alice, { id: data.id, status: 4 }, "?status_only=true")).success).toBe(false);
  });

  test("enabling is refused while expired or out of quota, until that is changed (B160)", async () => {
    const { data } = await create(api.alice, { remain_quota: 10 });
    const set = (values: object) => api.database.db.update(tokens).set(values).where(eq(tokens.id, data.id));
    const enable = () => put(api.alice, { id: data.id, status: 1 }, "?status_only=true");
    await set({ status: 2, expiredTime: now() - 5 });
    expect((await enable()).message).toMatch(/^令牌已过期/);
    await set({ expiredTime: -1, remainQuota: 0, grantedQuota: 0 });
    expect((await enable()).message).toMatch(/^令牌可用额度已用尽/);
    await set({ unlimitedQuota: true });
    expect((await enable()).data.status).toBe(1);
    await set({ status: 3, expiredTime: now() - 5 });
    expect((await put(api.alice, { id: data.id, expired_time: now() + DAY })).data.status).toBe(1);
    await set({ status: 4, unlimitedQuota: false, remainQuota: 0, grantedQuota: 0 });
    expect((await put(api.alice, { id: data.id, remain_quota: 5 })).data.status).toBe(1);
  });

  test("an enabled token past its expiry shows as expired, without quota as exhausted (B159)", async () => {
    const { data: old } = await create(api.alice, { unlimited_quota: true, expired_time: now() - 5 });
    const { data: spent } = await create(api.alice, { remain_quota: 0 });
    expect([old.status, spent.status]).toEqual([3, 4]);
  });

  test("several tokens are deleted by one call, and nothing where the ids cannot be read", async () => {
    const ids = [(await create(api.alice)).data.id, (await create(api.alice)).data.id];
    const batch = async (body: unknown) =>
      (await call(tokenApi, "POST /api/token/batch", { as: api.alice, body })).json;
    for (const wrong of [
      {},
      { ids: [] },
      { ids: [...ids, "x"] },
      { ids: [...ids, 0] },
      { ids: [...ids, 2 ** 40] },
      { ids: ids[0] },
    ])
      expect((await batch(wrong)).success, JSON.stringify(wrong)).toBe(false);
    const { data: bobs } = await create(api.bob);
    expect(await batch({ ids: [...ids, bobs.id] })).toEqual({ success: true, message: "", data: 2 });
    expect((await get(api.alice, ids[0])).success).toBe(false);
    expect((await get(api.bob, bobs.id)).success).toBe(true);
  });

  test("a deleted token is gone from every answer, its row stays for the books", async () => {
    const { data } = await create(api.alice);
    expect((await call(tokenApi, `DELETE /api/token/${data.id}/`, { as: api.alice })).json).toEqual({
      success: true,
      message: "",
    });
    expect((await get(api.alice, data.id)).success).toBe(false);
    const rows = await api.database.db.select().from(tokens).where(eq(tokens.id, data.id));
    expect(rows).toHaveLength(1);
  });
});
