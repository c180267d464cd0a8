import { beforeAll, expect, test } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { manageUser } from "@/lib/user/commands";
import { eraseUser } from "@/lib/user/erase-commands";
import { deleteSelf } from "@/lib/user/self-commands";
import { chatBody, setUpRelay, until } from "../harness";

const relay = setUpRelay({ channels: [{ models: "fake-gpt" }] });
let root: ServiceContext;

beforeAll(() => {
  const { db, sql } = relay.database;
  root = { db, sql, actor: { type: "job", name: "test" }, clientIp: "" };
});

async function newCaller() {
  const { user: userId, token } = await relay.addCaller();
  const status = async () => (await relay.post(token.key, chatBody("fake-gpt"))).status;
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
        actor: { type: "user", id, username: "", role: 1, group: "default", via: "session", proved: true },
      }),
  ],
] as const)("keys of an account stop within a second when it is %s", async (_how, remove) => {
  const { userId, status } = await newCaller();
  await remove(userId);
  await until(async () => [401, 403].includes(await status()), 1_000);
});
