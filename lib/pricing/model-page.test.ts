import { afterAll, beforeAll, expect, test } from "vitest";
import type { Actor, ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { getModelPage } from "./model-page-queries";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const keyCipher = seal("sk-secret");
  await database.sql`
    insert into channels (name, models, "group", status, key_cipher) values
      ('alpha', 'gpt-4o,o3', 'default', 1, ${keyCipher}), ('beta', 'gpt-4o', 'default', 2, ${keyCipher}),
      ('inner', 'gpt-4.1', 'svip', 1, ${keyCipher})`;
  await database.sql`
    insert into options (key, value) values ('GroupRatio', '{"default": 2, "svip": 1}'),
      ('UserUsableGroups', '{"default": "all"}')`;
});
afterAll(() => database.drop());

function as(role: number | null, group = "default"): ServiceContext {
  const actor: Actor =
    role === null ? { type: "anonymous" } : { type: "user", id: 2, username: "u", role, group, via: "session" };
  return { db: database.db, sql: database.sql, actor, clientIp: "" };
}

test("a visitor sees what the price list shows, and nothing of channels", async () => {
  const page = await getModelPage(as(null), "gpt-4o");
  expect(page).toMatchObject({ channels: null, channelCount: null, groups: [{ name: "default", ratio: 2 }] });
  expect(JSON.stringify(page)).not.toMatch(/alpha|beta|sk-secret/);
});

test("a user sees how many channels serve a model, and only an administrator which", async () => {
  const page = await getModelPage(as(1), "gpt-4o");
  expect(page).toMatchObject({ channels: null, channelCount: 1 });
  expect((await getModelPage(as(10), "gpt-4o")).channels).toEqual([
    expect.objectContaining({ name: "alpha", status: 1 }),
    expect.objectContaining({ name: "beta", status: 2 }),
  ]);
});

test("a model of another group, or that nobody serves, has no page", async () => {
  await expect(getModelPage(as(1), "gpt-4.1")).rejects.toMatchObject({ code: "not_found" });
  expect(await getModelPage(as(1, "svip"), "gpt-4.1")).toMatchObject({ groups: [{ name: "svip", ratio: 1 }] });
  await expect(getModelPage(as(10), "gpt-4o-mini")).rejects.toMatchObject({ code: "not_found" });
});
