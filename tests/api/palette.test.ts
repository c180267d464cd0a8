import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { channels, tokens, usageLogs, users } from "@/db/schema";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { seal, sha256Hex } from "@/lib/crypto";
import { checkOnboarding } from "@/lib/onboarding/queries";
import { searchEverything } from "@/lib/palette/queries";
import { listPlaygroundChoices } from "@/lib/playground/queries";
import { setOptions } from "./account-harness";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();

function as(person: Person, role: number, group = "default"): ServiceContext {
  const { db, sql } = consoleDatabase();
  const { id, username } = person;
  return { db, sql, clientIp: "", actor: { type: "user", id, username, role, group, via: "session" } };
}

async function addToken(owner: Person, name: string): Promise<number> {
  const key = `${owner.username}-${name}`;
  const values = {
    userId: owner.id,
    name,
    keyHash: sha256Hex(key),
    keyCipher: seal(key),
    keyHint: "ab…yz",
    createdTime: 1,
  };
  const [row] = await api.database.db.insert(tokens).values(values).returning({ id: tokens.id });
  return row?.id ?? 0;
}

const addLog = (owner: Person, requestId: string) =>
  api.database.db.insert(usageLogs).values({
    requestId,
    createdAt: Math.floor(Date.now() / 1000),
    type: 2,
    userId: owner.id,
    username: owner.username,
    modelName: "gpt-4o",
    channelId: 1,
  });

test("the checklist of the first day finds out by itself what is done: of the installation for root, of their account for others", async () => {
  const done = async () => (await checkOnboarding(as(api.root, 100))).filter((step) => step.done).map(({ id }) => id);
  expect(await done()).toEqual([]);
  const ofAlice = () => checkOnboarding(as(api.alice, 1));
  const ofBob = [
    { id: "token", done: false },
    { id: "request", done: false },
  ];
  expect(await ofAlice()).toEqual(ofBob);
  const key = { keyCipher: seal("k"), models: "gpt-4o-mini,a,b", group: "default,vip" };
  const [channel] = await api.database.db
    .insert(channels)
    .values({ name: "needle upstream", ...key })
    .returning();
  expect(await done()).toEqual(["channel"]);
  await api.database.db
    .update(channels)
    .set({ testTime: 5, responseTime: 30 })
    .where(eq(channels.id, channel?.id ?? 0));
  await addToken(api.root, "first");
  expect(await done()).toEqual(["channel", "test", "token"]);
  await api.database.db.insert(usageLogs).values({
    requestId: "test:1",
    createdAt: 1_790_000_000,
    type: 2,
    userId: api.root.id,
    username: "root",
    other: { model_test: true },
  });
  expect(await done()).toEqual(["channel", "test", "token"]);
  await addLog(api.alice, "20260101-abcdefghijkl");
  expect(await done()).toEqual(["channel", "test", "token", "request"]);
  expect(await ofAlice()).toContainEqual({ id: "request", done: true });
  expect(await checkOnboarding(as(api.bob, 1))).toEqual(ofBob);
  const stranger: ServiceContext = { ...as(api.bob, 1), actor: { type: "anonymous" } };
  await expect(checkOnboarding(stranger)).rejects.toMatchObject({ code: "unauthenticated" });
});

describe("the command palette", () => {
  test("finds channels, users, own tokens and requests for administrators, by name and by id", async () => {
    const own = await addToken(api.admin, "needle token");
    await addToken(api.bob, "needle of another");
    const found = await searchEverything(as(api.admin, 10), { term: "needle" }, "en");
    expect(found.map(({ kind, title }) => [kind, title])).toEqual([
      ["channel", "needle upstream"],
      ["token", "needle token"],
    ]);
    const byId = await searchEverything(as(api.admin, 10), { term: String(own) }, "en");
    expect(byId.find(({ kind }) => kind === "token")).toMatchObject({ id: String(own), path: `/token?edit=${own}` });
    const user = await searchEverything(as(api.admin, 10), { term: "alice" }, "en");
    expect(user).toMatchObject([{ kind: "user", title: "alice", path: `/user?edit=${api.alice.id}` }]);
    const log = await searchEverything(as(api.admin, 10), { term: "20260101-abcdefghijkl" }, "en");
    expect(log).toMatchObject([{ kind: "log", path: "/log?request=20260101-abcdefghijkl" }]);
  });

  test("finds settings by other words for them, in both languages, for root alone", async () => {
    const settings = async (role: number, term: string, locale: "en" | "zh") => {
      const found = await searchEverything(as(api.admin, role), { term }, locale);
      return found.filter(({ kind }) => kind === "setting");
    };
    const [registration] = await settings(100, "turn off registration", "en");
    const path = "/setting?tab=system&page=login#RegisterEnabled";
    expect(registration).toMatchObject({ id: "RegisterEnabled", title: "New sign-ups", path });
    expect((await settings(100, "关闭注册", "zh"))[0]).toMatchObject({ id: "RegisterEnabled", path });
    expect((await settings(100, "限流", "zh"))[0]?.path).toBe(
      "/setting?tab=operation&page=limits#ModelRequestRateLimitEnabled",
    );
    expect(await settings(10, "turn off registration", "en")).toEqual([]);
  });

  test("shows ordinary users nothing but what is their own", async () => {
    expect(await searchEverything(as(api.bob, 1), { term: "alice" }, "en")).toEqual([]);
    expect(await searchEverything(as(api.bob, 1), { term: "20260101-abcdefghijkl" }, "en")).toEqual([]);
    const found = await searchEverything(as(api.bob, 1), { term: "needle" }, "en");
    expect(found.map(({ title }) => title)).toEqual(["needle of another"]);
    const others = await addToken(api.alice, "not bob's");
    const byId = await searchEverything(as(api.bob, 1), { term: String(others) }, "en");
    expect(byId.some(({ id }) => id === String(others))).toBe(false);
    const stranger: ServiceContext = { ...as(api.bob, 1), actor: { type: "anonymous" } };
    await expect(searchEverything(stranger, { term: "x" }, "en")).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

test("the playground offers the caller's own group first, with the models served there and their prices (B121)", async () => {
  const lists = { default: "everybody", vip: "paying" };
  await setOptions(api.database, { UserUsableGroups: JSON.stringify(lists), ModelRatio: JSON.stringify({ a: 2 }) });
  await api.database.db.update(users).set({ group: "vip" }).where(eq(users.id, api.bob.id));
  const { groups, prices } = await listPlaygroundChoices(as(api.bob, 1, "vip"));
  expect(groups.map(({ name }) => name)).toEqual(["vip", "default"]);
  expect(groups[0]).toMatchObject({ description: "paying", models: { chat: ["a", "b", "gpt-4o-mini"] } });
  expect(prices.a).toMatchObject({ modelRatio: 2, groupRatio: 1, modelPrice: null });
  expect(prices.b).toBeUndefined();
  await api.database.db.update(channels).set({ status: 2 });
  expect((await listPlaygroundChoices(as(api.bob, 1, "vip"))).groups[0]?.models.chat).toEqual([]);
});
