import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { auditEntries, ledgerEntries, redemptions, usageLogs, users } from "@/db/schema";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { revealRedemptions } from "@/lib/redemption/commands";
import { listRedemptions } from "@/lib/redemption/queries";
import { call, createPerson, type Person, setUpApi } from "./harness";

const api = setUpApi();
const create = async (body: object, as: Person = api.admin) =>
  (await call(redemptionApi, "POST /api/redemption/", { as, body })).json;
const read = async (path: string) => (await call(redemptionApi, `GET /api/redemption/${path}`, { as: api.admin })).json;
const put = async (body: object, query = "") =>
  (await call(redemptionApi, `PUT /api/redemption/${query}`, { as: api.admin, body })).json;
const redeem = async (as: Person, key: unknown) =>
  (await call(userApi, "POST /api/user/topup", { as, body: { key } })).json;
const rowOf = async (key: string) => {
  const [row] = await api.database.db.select().from(redemptions).where(eq(redemptions.key, key));
  if (!row) throw new Error("no such code");
  return row;
};
const quotaOf = async (person: Person) => {
  const [row] = await api.database.db.select({ quota: users.quota }).from(users).where(eq(users.id, person.id));
  return row?.quota;
};

describe("POST /api/redemption/ (B243)", () => {
  test("makes as many codes of 32 hex characters as asked for and returns them", async () => {
    const { data } = await create({ name: "spring", quota: 100_000, count: 3 });
    expect(data).toHaveLength(3);
    for (const code of data) expect(code).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(data).size).toBe(3);
    expect(await rowOf(data[0])).toMatchObject({ name: "spring", quota: 100_000, status: 1, usedUserId: 0 });
  });

  test.each([
    ["no code (B196)", { name: "n", quota: 1, count: 0 }, "数量必须是 1 到 100 之间的整数"],
    ["101 codes (B196, B289)", { name: "n", quota: 1, count: 101 }, "数量必须是 1 到 100 之间的整数"],
    ["half a code (B196)", { name: "n", quota: 1, count: 1.5 }, "数量必须是 1 到 100 之间的整数"],
    ["half a unit (B196)", { name: "n", quota: 1.5, count: 1 }, "额度必须是大于 0 的整数"],
    ["nothing to redeem", { name: "n", quota: 0, count: 1 }, "额度必须是大于 0 的整数"],
    ["no name (B195)", { name: " ", quota: 1, count: 1 }, "名称长度必须在 1 到 20 个字符之间"],
    ["21 characters (B289)", { name: "长".repeat(21), quota: 1, count: 1 }, "名称长度必须在 1 到 20 个字符之间"],
  ])("refuses %s (B195, B196, B289)", async (_what, body, message) => {
    expect(await create(body)).toEqual({ success: false, message });
  });

  test("20 Chinese characters and 100 codes are within the bounds (B289)", async () => {
    const { data } = await create({ name: "长".repeat(20), quota: 1, count: 100 });
    expect(data).toHaveLength(100);
  });

  test("an ordinary user may not (A166, B216)", async () => {
    expect(await create({ name: "n", quota: 1, count: 1 }, api.alice)).toMatchObject({ success: false });
  });
});

describe("reading codes (B241, B242, B144)", () => {
  test("p=0 and p=1 are both the first page, newest first", async () => {
    await create({ name: "paged", quota: 5, count: 12 });
    const [zero, one, two] = [await read("?p=0"), await read("?p=1"), await read("?p=2&page_size=5")];
    expect(zero.data.items).toEqual(one.data.items);
    expect(zero.data).toMatchObject({ page: 1, page_size: 10 });
    expect(two.data.items).toHaveLength(5);
    const ids = zero.data.items.map(({ id }: { id: number }) => id);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
    expect(zero.data.total).toBeGreaterThanOrEqual(12);
  });

  test("search finds by id and by any part of a name; its wildcards are plain characters", async () => {
    const { data } = await create({ name: "50%_off", quota: 5, count: 1 });
    const { id } = await rowOf(data[0]);
    const names = async (keyword: string) =>
      (await read(`search?keyword=${encodeURIComponent(keyword)}`)).data.items.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names("50%_")).toEqual(["50%_off"]);
    expect(await names(String(id))).toEqual(["50%_off"]);
    expect(await names("%_OFF")).toEqual(["50%_off"]);
    expect(await names("0%")).toEqual(["50%_off"]);
    expect(await names("%off")).toEqual([]);
    expect(await names("5_%")).toEqual([]);
    expect((await read(String(id))).data).toEqual({
      id,
      key: data[0],
      name: "50%_off",
      status: 1,
      quota: 5,
      count: 0,
      expired_time: 0,
      user_id: api.admin.id,
      used_user_id: 0,
      created_time: expect.any(Number),
      redeemed_time: 0,
      DeletedAt: null,
    });
  });
});

test("whole codes are told to administrators only, in the order asked for, and that is recorded", async () => {
  const { data } = await create({ name: "reveal", quota: 5, count: 2 });
  const [one, two] = [await rowOf(data[0]), await rowOf(data[1])];
  const { db, sql } = consoleDatabase();
  const ctxOf = ({ id, username }: Person, role: number): ServiceContext => ({
    db,
    sql,
    actor: { type: "user", id, username, role, group: "default", via: "session" },
    clientIp: "",
  });
  const found = await revealRedemptions(ctxOf(api.admin, 10), { ids: [two.id, 999_999, one.id] });
  expect(found.map(({ key }) => key)).toEqual([data[1], data[0]]);
  await expect(revealRedemptions(ctxOf(api.alice, 1), { ids: [one.id] })).rejects.toMatchObject({ code: "forbidden" });
  const audits = await db
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.subject, `redemption:${one.id}`));
  expect(audits).toMatchObject([{ action: "redemption.reveal", actorId: api.admin.id }]);
  expect(JSON.stringify(audits)).not.toContain(data[0]);
});

test("the status filter is the server's (B085, B162)", async () => {
  const { data } = await create({ name: "statuses", quota: 5, count: 3 });
  await redeem(api.bob, data[0]);
  await put({ id: (await rowOf(data[1])).id, status: 2 }, "?status_only=true");
  const { db, sql } = consoleDatabase();
  const { id, username } = api.admin;
  const actor = { type: "user", id, username, role: 10, group: "default", via: "session" } as const;
  const keys = async (status: 1 | 2 | 3) =>
    (await listRedemptions({ db, sql, actor, clientIp: "" }, { keyword: "statuses", status })).items.map(
      ({ key }) => key,
    );
  expect([await keys(1), await keys(2), await keys(3)]).toEqual([[data[2]], [data[1]], [data[0]]]);
});

describe("changing codes (B245, B163)", () => {
  test("an unused code can be changed, switched off and on, and removed", async () => {
    const { data } = await create({ name: "change", quota: 5, count: 1 });
    const { id } = await rowOf(data[0]);
    expect((await put({ id, name: "changed", quota: 7, key: "x", used_user_id: 3 })).data).toMatchObject({
      name: "changed",
      quota: 7,
      key: data[0],
      used_user_id: 0,
    });
    expect((await put({ id, status: 2 }, "?status_only=true")).data.status).toBe(2);
    expect(await redeem(api.alice, data[0])).toEqual({ success: false, message: "无效的兑换码" });
    expect((await put({ id, status: 1 }, "?status_only=true")).data.status).toBe(1);
    expect((await put({ id, status: 3 }, "?status_only=true")).success).toBe(false);
    expect((await call(redemptionApi, `DELETE /api/redemption/${id}/`, { as: api.admin })).json.success).toBe(true);
    expect((await read(String(id))).success).toBe(false);
    expect(await redeem(api.alice, data[0])).toEqual({ success: false, message: "无效的兑换码" });
  });

  test("a used code can be neither enabled nor changed (B163)", async () => {
    const { data } = await create({ name: "used", quota: 5, count: 1 });
    const { id } = await rowOf(data[0]);
    await redeem(api.bob, data[0]);
    const refusal = { success: false, message: "兑换码已被使用，不能再修改" };
    expect(await put({ id, status: 1 }, "?status_only=true")).toEqual(refusal);
    expect(await put({ id, quota: 9 })).toEqual(refusal);
    expect((await rowOf(data[0])).status).toBe(3);
  });
});

describe("POST /api/user/topup (B246, B325)", () => {
  test("credits once through the ledger, marks the code and writes a top-up log row; again it is used (B275)", async () => {
    const user = await createPerson(api.database, "redeemer", 1);
    const { data } = await create({ name: "gift", quota: 123_456, count: 1 });
    expect(await redeem(user, data[0])).toEqual({ success: true, message: "", data: 123_456 });
    expect(await quotaOf(user)).toBe(123_456);
    const row = await rowOf(data[0]);
    expect(row).toMatchObject({ status: 3, usedUserId: user.id });
    expect(row.redeemedTime).toBeGreaterThan(0);
    const { db } = api.database;
    expect(await db.select().from(ledgerEntries).where(eq(ledgerEntries.userId, user.id))).toMatchObject([
      { amount: 123_456, kind: "redemption", reference: `redemption:${row.id}` },
    ]);
    expect(await db.select().from(usageLogs).where(eq(usageLogs.userId, user.id))).toMatchObject([
      { type: 1, quota: 123_456, username: "redeemer" },
    ]);
    expect(await redeem(user, data[0])).toEqual({ success: false, message: "该兑换码已被使用" });
    expect(await quotaOf(user)).toBe(123_456);
  });

  test("twenty parallel tries of two users credit one of them once (B325)", async () => {
    const [one, two] = [await createPerson(api.database, "race1", 1), await createPerson(api.database, "race2", 1)];
    const { data } = await create({ name: "race", quota: 1_000, count: 1 });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => redeem(i % 2 ? one : two, data[0])));
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    expect(((await quotaOf(one)) ?? 0) + ((await quotaOf(two)) ?? 0)).toBe(1_000);
  });

  test.each([
    ["an empty code (B198)", "", "请输入兑换码！"],
    ["an unknown code (B275)", "0".repeat(32), "无效的兑换码"],
    ["a code that is no text", 7, "请输入兑换码！"],
    ["a very long code", "f".repeat(70), "无效的兑换码"],
  ])("refuses %s (B198, B275)", async (_what, key, message) => {
    expect(await redeem(api.alice, key)).toEqual({ success: false, message });
  });

  test("codes cannot be guessed: the 21st wrong one in ten minutes is refused with 429", async () => {
    const user = await createPerson(api.database, "guesser", 1);
    for (let i = 0; i < 20; i++) await redeem(user, String(i).padStart(32, "0"));
    const answer = await call(userApi, "POST /api/user/topup", { as: user, body: { key: "a".repeat(32) } });
    expect([answer.status, answer.json.message]).toEqual([429, "请求次数过多，请稍后再试！"]);
  });
});
