import { afterAll, beforeAll, expect, test } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { manageUser } from "@/lib/user/commands";
import { eraseUser } from "@/lib/user/erase-commands";
import { deleteSelf } from "@/lib/user/self-commands";
import {
  addChannel,
  addToken,
  addUser,
  chatBody,
  post,
  type Stack,
  setPrices,
  settleIn,
  startStack,
  until,
} from "./harness";

let stack: Stack;
let root: ServiceContext;

beforeAll(async () => {
  stack = await startStack();
  await addChannel(stack, { models: "fake-gpt" });
  await setPrices(stack);
  await settleIn();
  const { db, sql } = stack.database;
  root = { db, sql, actor: { type: "job", name: "test" }, clientIp: "" };
});
afterAll(() => stack.close());

async function newCaller() {
  const userId = await addUser(stack);
  const token = await addToken(stack, userId);
  const status = async () => (await post(stack, token.key, chatBody("fake-gpt"))).status;
  expect(await status()).toBe(200);
  return { userId, status };
}

test("keys of a user who is banned stop within a second, and serve again when the ban is lifted (B281)", async () => {
  const { userId, status } = await newCaller();
  await manageUser(root, { id: userId, action: "disable" });
  await until(async () => (await status()) === 403, 1_000);
  await manageUser(root, { id: userId, action: "enable" });
  await until(async () => (await status()) === 200, 1_000);
});

test.each([
  ["deregistered by an administrator", (id: number) => manageUser(root, { id, action: "delete" })],
  ["deleted for good", (id: number) => eraseUser(root, id)],
  [
    "deregistered by its owner",
    (id: number) =>
      deleteSelf({
        ...root,
        actor: { type: "user", id, username: "", role: 1, group: "default", via: "session" },
      }),
  ],
] as const)("keys of an account stop within a second when it is %s", async (_how, remove) => {
  const { userId, status } = await newCaller();
  await remove(userId);
  await until(async () => [401, 403].includes(await status()), 1_000);
});
