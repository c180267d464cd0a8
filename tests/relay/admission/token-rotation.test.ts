import { expect, test } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { rotateToken } from "@/lib/token/commands";
import { setUpRelay } from "../harness";

const relay = setUpRelay();

test("a rotated token's old key is refused within a second, its new one works at once", async () => {
  const userId = await relay.addUser();
  const { id, key } = await relay.addToken(userId);
  const statusOf = async (bearer: string) =>
    (await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${bearer}` } })).status;
  expect(await statusOf(key)).toBe(200);
  const { db, sql } = relay.database;
  const actor = {
    type: "user",
    id: userId,
    username: "u",
    role: 1,
    group: "default",
    via: "session",
    proved: true,
  } as const;
  const ctx: ServiceContext = { db, sql, actor, clientIp: "" };
  const { key: fresh } = await rotateToken(ctx, id);
  const deadline = Date.now() + 1_000;
  await expect.poll(() => statusOf(key), { interval: 20, timeout: 1_000 }).toBe(401);
  expect(Date.now()).toBeLessThanOrEqual(deadline + 50);
  expect(await statusOf(`sk-${fresh}`)).toBe(200);
});
