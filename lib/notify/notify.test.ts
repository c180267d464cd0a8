import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { databaseOf } from "@/db/client";
import { notificationTargets, options, users } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { NOTIFICATION_EVENTS, type NotificationEvent } from "./events";
import { notifyLowBalances } from "./low-balance-commands";
import { notify, notifyRoots } from "./notify-commands";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await rewriteBooks(
    database.sql,
    "truncate users, notification_targets, notifications, notification_deliveries, usage_hourly, options restart identity cascade",
  );
});

type NewUser = { role?: number; status?: number; quota?: number; email?: string; setting?: object };

async function createUser(username: string, values: NewUser = {}): Promise<number> {
  const [row] = await database.db
    .insert(users)
    .values({ username, ...values })
    .returning({ id: users.id });
  if (!row) throw new Error("no row");
  return row.id;
}

async function createTarget(userId: number, events: NotificationEvent[], enabled = true): Promise<number> {
  const [row] = await database.db
    .insert(notificationTargets)
    .values({ userId, kind: "wecom", configCipher: seal("{}"), events, enabled })
    .returning({ id: notificationTargets.id });
  if (!row) throw new Error("no row");
  return row.id;
}

const lowBalance = (userId: number) =>
  ({ userId, event: "balance_low", params: { balance: 1, threshold: 2 }, dedupeKey: "" }) as const;
const redeemed = (userId: number, dedupeKey: string) =>
  ({ userId, event: "code_redeemed", params: { amount: 1, balance: 2 }, dedupeKey }) as const;
const countOf = async (table: string): Promise<number> =>
  Number((await database.sql`select count(*)::int as n from ${database.sql(table)}`)[0]?.n);
/** Makes time pass by moving all stored times back. */
const wait = (seconds: number) =>
  Promise.all([
    database.sql`update notifications set created_at = created_at - ${seconds}`,
    database.sql`update notification_deliveries set next_attempt_at = next_attempt_at - ${seconds}`,
  ]);

describe("notify", () => {
  test("what is rolled back is not told, what is committed is, with one delivery per target that wants it", async () => {
    const userId = await createUser("alice");
    const wanted = await createTarget(userId, ["code_redeemed"]);
    await createTarget(userId, ["balance_low"]);
    await createTarget(userId, ["code_redeemed"], false);
    const failing = database.db.transaction(async (tx) => {
      expect(await notify(tx, redeemed(userId, "code:1"))).toBe(true);
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect(await countOf("notifications")).toBe(0);
    await database.db.transaction((tx) => notify(tx, redeemed(userId, "code:1")));
    expect(await database.sql`select target_id, status, attempts from notification_deliveries`).toEqual([
      { target_id: wanted, status: "pending", attempts: 0 },
    ]);
  });

  test("the same occurrence is told once, also by a transaction of postgres.js and by many at once", async () => {
    const userId = await createUser("alice");
    const telling = Array.from({ length: 8 }, (_, index) =>
      index % 2 === 0
        ? notify(database.db, redeemed(userId, "code:1"))
        : database.sql.begin((tx) => notify(tx as unknown as TestDatabase["sql"], redeemed(userId, "code:1"))),
    );
    const told = await Promise.all(telling);
    expect(told.filter(Boolean)).toHaveLength(1);
    expect(await notify(database.sql, redeemed(userId, "code:2"))).toBe(true);
  });

  test("every event can be told, whatever its text holds", async () => {
    const userId = await createUser("alice");
    const text = `\u0000' "\ud83d$1{x}`;
    for (const event of NOTIFICATION_EVENTS) {
      const params = { balance: 1, threshold: 2, amount: 3, at: 4, tested: 5, disabled: 6, enabled: 7, channelId: 8 };
      const texts = { clientIp: text, device: text, invitee: text, channelName: text, reason: text.repeat(500) };
      const input = { event, params: { ...params, ...texts }, dedupeKey: event };
      expect(await notify(database.db, { userId, ...input } as never), event).toBe(true);
    }
  });

  test("banned and deleted accounts are told nothing", async () => {
    const banned = await createUser("banned", { status: 2 });
    const gone = await createUser("gone");
    await database.sql`update users set deleted_at = now() where id = ${gone}`;
    expect(await notify(database.db, redeemed(banned, "a"))).toBe(false);
    expect(await notify(database.db, redeemed(gone, "b"))).toBe(false);
  });

  test("every root is told of what concerns the site, nobody else", async () => {
    await createUser("root", { role: 100 });
    await createUser("second", { role: 100 });
    await createUser("admin", { role: 10 });
    await createUser("alice");
    const params = { channelId: 5, channelName: "main", reason: "401" };
    expect(await notifyRoots(database.db, { event: "channel_disabled", params, dedupeKey: "x" })).toBe(2);
    const finished = { tested: 1, disabled: 0, enabled: 0 };
    const input = { event: "channel_test_finished", params: finished, dedupeKey: "run:1" } as const;
    expect(await notifyRoots(database.sql, input)).toBe(2);
    expect(await notifyRoots(database.sql, input)).toBe(0);
  });

  test("a channel and state are told twice in ten minutes at most (contract §4.9)", async () => {
    await createUser("root", { role: 100 });
    const tell = (channelId: number) =>
      notifyRoots(database.db, {
        event: "channel_disabled",
        params: { channelId, channelName: "main", reason: "401" },
        dedupeKey: "",
      });
    expect([await tell(1), await tell(1), await tell(1), await tell(2), await tell(11)]).toEqual([1, 1, 0, 1, 1]);
    await wait(601);
    expect(await tell(1)).toBe(1);
  });
});

describe("a user without targets", () => {
  const withMail = () => database.db.insert(options).values({ key: "SMTPServer", value: "mail.weir.example" });

  test("gets the account's address as the first one, once, when the site can send e-mail", async () => {
    await withMail();
    const userId = await createUser("alice", { email: "alice@weir.example" });
    await Promise.all(["a", "b", "c"].map((key) => notify(database.db, redeemed(userId, key))));
    expect(await database.sql`select id, kind, user_id, enabled from notification_targets`).toEqual([
      { id: -userId, kind: "email", user_id: userId, enabled: true },
    ]);
    expect(await countOf("notification_deliveries")).toBe(3);
  });

  test("gets none without an address, without a mail server, or after choosing otherwise", async () => {
    const early = await createUser("early", { email: "early@weir.example" });
    await notify(database.db, redeemed(early, "a"));
    await withMail();
    await notify(database.db, redeemed(await createUser("none"), "b"));
    await notify(database.db, redeemed(await createUser("empty", { email: "" }), "c"));
    const setting = { notifications_chosen: true };
    await notify(database.db, redeemed(await createUser("chose", { email: "c@weir.example", setting }), "d"));
    expect(await countOf("notification_targets")).toBe(0);
    expect(await countOf("notifications")).toBe(4);
  });
});

describe("low balance", () => {
  const use = (userId: number, hoursAgo = 0) => {
    const hour = Math.floor(Date.now() / 3_600_000 - hoursAgo) * 3_600;
    return database.sql`insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count)
      values (${hour}, ${userId}, 1, 1, 'm', 'default', 1)`;
  };

  test("the warning comes at most once in two hours, however often the balance is found low (B304)", async () => {
    const userId = await createUser("alice");
    await createTarget(userId, ["balance_low"]);
    const told = await Promise.all(Array.from({ length: 8 }, () => notify(database.db, lowBalance(userId))));
    expect(told.filter(Boolean)).toHaveLength(1);
    await wait(7_100);
    expect(await notify(database.db, lowBalance(userId))).toBe(false);
    await wait(101);
    const again = await Promise.all(Array.from({ length: 8 }, () => notify(database.sql, lowBalance(userId))));
    expect(again.filter(Boolean)).toHaveLength(1);
    expect(await countOf("notification_deliveries")).toBe(2);
  });

  test("one that was held up keeps its distance from when it was sent, not from when it was made (B304)", async () => {
    const userId = await createUser("alice");
    await createTarget(userId, ["balance_low"]);
    await notify(database.db, lowBalance(userId));
    await wait(7_300);
    const sentAt = Math.floor(Date.now() / 1000) - 600;
    await database.sql`update notification_deliveries set status = 'sent', next_attempt_at = ${sentAt}`;
    expect(await notify(database.db, lowBalance(userId))).toBe(false);
    await database.sql`update notification_deliveries set next_attempt_at = next_attempt_at - 7000`;
    expect(await notify(database.db, lowBalance(userId))).toBe(true);
  });

  test("users are warned below their own threshold, else below the site's, and told both figures", async () => {
    await database.db.insert(options).values({ key: "QuotaRemindThreshold", value: "5000" });
    const low = await createUser("low", { quota: 4_999 });
    const enough = await createUser("enough", { quota: 5_000 });
    const careful = await createUser("careful", { quota: 90_000, setting: { quota_warning_threshold: 100_000 } });
    const calm = await createUser("calm", { quota: 300, setting: { quota_warning_threshold: 300 } });
    const odd = await createUser("odd", { quota: 4_000, setting: { quota_warning_threshold: "x" } });
    for (const userId of [low, enough, careful, calm, odd]) await use(userId);
    expect(await notifyLowBalances(database.sql)).toBe(3);
    expect(await notifyLowBalances(database.sql)).toBe(0);
    expect(await database.sql`select user_id, params from notifications order by user_id`).toEqual([
      { user_id: low, params: { balance: 4_999, threshold: 5_000 } },
      { user_id: careful, params: { balance: 90_000, threshold: 100_000 } },
      { user_id: odd, params: { balance: 4_000, threshold: 5_000 } },
    ]);
  });

  test("who has not used anything of late is not warned", async () => {
    const idle = await createUser("idle", { quota: 1 });
    await use(idle, 2);
    await createUser("new", { quota: 0 });
    expect(await notifyLowBalances(database.sql)).toBe(0);
    await use(idle, 1);
    expect(await notifyLowBalances(database.sql)).toBe(1);
  });
});

test("Drizzle on a client that is there already reads like any other", async () => {
  await createUser("alice");
  expect(await databaseOf(database.sql).select({ name: users.username }).from(users)).toEqual([{ name: "alice" }]);
});
