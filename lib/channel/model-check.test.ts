import { afterAll, beforeAll, expect, test } from "vitest";
import { ROLE, type ServiceContext } from "@/lib/context";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { checkModels } from "./model-check-queries";
import { listChannelTypes } from "./type-views";

let database: TestDatabase;
let ctx: ServiceContext;
const ANTHROPIC = 14;
const MIDJOURNEY = 2;

beforeAll(async () => {
  database = await createTestDatabase();
  const actor = { type: "user", id: 1, username: "a", role: ROLE.admin, group: "default", via: "session" } as const;
  ctx = { db: database.db, sql: database.sql, actor, clientIp: "" };
});
afterAll(() => database.drop());

test("models that requests would fail for are named: without a price, or not served by the type", async () => {
  const models = ["claude-3-5-sonnet-20241022", "no-such-model", "tts-1", "text-embedding-3-small"];
  expect(await checkModels(ctx, { type: ANTHROPIC, models })).toEqual({
    unpriced: ["no-such-model"],
    unserved: [
      { model: "tts-1", operation: "speech" },
      { model: "text-embedding-3-small", operation: "embeddings" },
    ],
  });
  expect((await checkModels(ctx, { type: 1, models })).unserved).toEqual([]);
  await database.sql`insert into options (key, value) values ('ModelRatio', '{"no-such-model": 1}')`;
  expect((await checkModels(ctx, { type: 1, models })).unpriced).toEqual([]);
});

test("only administrators may ask", async () => {
  const actor = { type: "user", id: 2, username: "u", role: 1, group: "default", via: "session" } as const;
  await expect(checkModels({ ...ctx, actor }, { type: 1, models: ["x"] })).rejects.toMatchObject({ code: "forbidden" });
});

test("each type says what it serves, and only types whose models are names of this gateway fill them in (B066)", () => {
  const types = new Map(listChannelTypes("en").map((type) => [type.id, type]));
  expect(types.get(1)?.operations).toEqual(expect.arrayContaining(["chat", "speech", "realtime"]));
  expect(types.get(ANTHROPIC)?.operations).not.toContain("speech");
  expect(types.get(MIDJOURNEY)?.operations).toEqual(["drawing"]);
  const fixed = [...types.values()].filter(({ isOffered, hasFixedModels }) => isOffered && hasFixedModels);
  expect(fixed.map(({ id }) => id).sort((a, b) => a - b)).toEqual([2, 5, 36]);
});
