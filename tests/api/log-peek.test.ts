import { beforeAll, expect, test } from "vitest";
import { readPeekKey } from "@/components/log/log-search";
import { usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { findLog } from "@/lib/usage-log/queries";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
const now = Math.floor(Date.now() / 1000);
let places: { createdAt: number; id: number }[];

const contextOf = ({ id, username }: Person, role: number): ServiceContext => ({
  ...api.database,
  actor: { type: "user", id, username, role, group: "default", via: "session" },
  clientIp: "",
});

beforeAll(async () => {
  const { alice, bob } = api;
  const row = (person: Person, createdAt: number) => ({
    requestId: `${person.username}-${createdAt}`,
    createdAt,
    type: 2,
    userId: person.id,
    username: person.username,
    modelName: "m",
    channelId: 7,
    cost: 5,
    other: { admin_info: { use_channel: ["7"] } },
  });
  places = await api.database.db
    .insert(usageLogs)
    .values([row(alice, now), row(bob, now), row(alice, now - 4 * 86_400)])
    .returning({ createdAt: usageLogs.createdAt, id: usageLogs.id });
});

const place = (at: number) => places[at] ?? { createdAt: 0, id: 0 };

test("users open only their own rows of three days, without channels and costs (B101, B207, B209)", async () => {
  const alice = contextOf(api.alice, 1);
  const own = await findLog(alice, place(0));
  expect(own).toMatchObject({ id: place(0).id, channelId: 0, other: {} });
  expect(own).not.toHaveProperty("cost");
  expect(await findLog(alice, place(1))).toBeNull();
  expect(await findLog(alice, place(2))).toBeNull();
  await expect(findLog({ ...alice, actor: { type: "anonymous" } }, place(0))).rejects.toMatchObject({
    code: "unauthenticated",
  });
});

test("administrators open every row, at its own place alone", async () => {
  const root = contextOf(api.root, 100);
  for (const at of [0, 1, 2]) expect(await findLog(root, place(at))).toMatchObject({ id: place(at).id, channelId: 7 });
  expect(await findLog(root, { ...place(0), createdAt: now - 1 })).toBeNull();
});

test("a text that is no place opens nothing", () => {
  expect(readPeekKey("1763000000-12")).toEqual({ createdAt: 1_763_000_000, id: 12 });
  for (const text of [null, "", "12", "1-", "-1", "1-2-3", "1e9-2", `${"9".repeat(20)}-1`])
    expect(readPeekKey(text)).toBeNull();
});
