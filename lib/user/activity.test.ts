// An account's own entries of the audit log: with the session that each was made in, and never another's.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditEntries, sessions, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import type { Actor, ServiceContext } from "@/lib/context";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { listOwnActivity } from "./activity-queries";

const now = Math.floor(Date.now() / 1_000);
const [open, ended] = [randomUUID(), randomUUID()];

let database: TestDatabase;
const contextOf = (actor: Actor): ServiceContext => ({ ...database, actor, clientIp: "198.51.100.7" });
const user = (id: number, role: number, more: object = {}): Actor => ({
  type: "user",
  id,
  username: `u${id}`,
  role,
  group: "default",
  via: "session",
  ...more,
});
const inSession = (id: string) => ({ session: { id, confirmedAt: now } });

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  await db.insert(users).values([1, 2, 3].map((id) => ({ id, username: `u${id}`, role: id === 1 ? 100 : 10 })));
  const session = { userId: 2, expiresAt: now + 3_600, method: "passkey", userAgent: "Mozilla/5.0 Firefox/140.0" };
  await db.insert(sessions).values([
    { ...session, id: open },
    { ...session, id: ended, revokedAt: now },
  ]);
  const write = (actor: Actor, subject: string) =>
    db.transaction((tx) => writeAudit(tx, contextOf(actor), { action: "channel.update", subject, after: { a: 1 } }));
  await write(user(2, 10, inSession(open)), "channel:1");
  await write(user(2, 10, inSession(ended)), "channel:2");
  await write(user(2, 10, inSession(randomUUID())), "channel:3");
  await write(user(2, 10, { via: "access-token" }), "channel:4");
  await write(user(3, 10, inSession(randomUUID())), "user:2");
  await write(user(1, 100, inSession(randomUUID())), "user:2");
  await write({ type: "job", name: "j" }, "user:2");
  await db
    .insert(auditEntries)
    .values({ actorId: 2, actorKind: "user", action: "channel.update", subject: "channel:0" });
});
afterAll(() => database.drop());

test("each entry says the session, its device and address, or that it was an access token", async () => {
  const { items, next } = await listOwnActivity(contextOf(user(2, 10, inSession(open))));
  const device = { browser: "Firefox", system: "" };
  expect(items.map(({ subject, origin }) => [subject, origin])).toEqual([
    ["channel:0", { via: "unknown" }],
    ["channel:4", { via: "access-token" }],
    ["channel:3", { via: "session", session: null }],
    ["channel:2", { via: "session", session: { isCurrent: false, isOpen: false, method: "passkey", device } }],
    ["channel:1", { via: "session", session: { isCurrent: true, isOpen: true, method: "passkey", device } }],
  ]);
  expect(items.at(-1)).toMatchObject({ clientIp: "198.51.100.7", actorName: "u2" });
  expect(next).toBeNull();
});

test("nobody's entries but one's own are there, for every role; a job and a stranger have none (attack)", async () => {
  for (const [id, role, count] of [
    [1, 100, 1],
    [3, 10, 1],
    [9, 1, 0],
  ] as const) {
    const { items } = await listOwnActivity(contextOf(user(id, role)));
    expect(items.map(({ actorId }) => actorId)).toEqual(Array.from({ length: count }, () => id));
  }
  expect((await listOwnActivity(contextOf({ type: "job", name: "j" }))).items).toEqual([]);
  await expect(listOwnActivity(contextOf({ type: "anonymous" }))).rejects.toMatchObject({ code: "unauthenticated" });
  await expect(listOwnActivity(contextOf(user(2, 10)), { before: -1 })).rejects.toMatchObject({ code: "invalid" });
});

test("it is paged by key, without a gap or a double", async () => {
  const rows = Array.from({ length: 65 }, (_, i) => ({
    actorId: 4,
    actorKind: "user",
    action: "x.y",
    subject: `s:${i}`,
  }));
  await database.db.insert(auditEntries).values(rows);
  const seen: string[] = [];
  let before: number | undefined;
  do {
    const { items, next } = await listOwnActivity(contextOf(user(4, 1)), before === undefined ? {} : { before });
    seen.push(...items.map(({ subject }) => subject));
    before = next ?? undefined;
  } while (before !== undefined);
  expect(seen).toEqual(rows.map(({ subject }) => subject).reverse());
});
