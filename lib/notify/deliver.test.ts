import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { notificationTargets, options, users } from "@/db/schema";
import { seal, unseal } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { type FakeReceivers, RECEIVER_KEYS, startFakeReceivers } from "@/lib/testing/fake-receivers";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { deliverDue } from "./deliver";
import { claimDeliveries, RETRY_SECONDS, removeOldNotifications } from "./delivery-commands";
import { notify } from "./notify-commands";
import type { SendMail } from "./senders/sender";

let database: TestDatabase;
let receivers: FakeReceivers;
let userId = 0;
let targetId = 0;
const mails: Parameters<SendMail>[0][] = [];
const sendMail: SendMail = async (mail) => void mails.push(mail);

beforeAll(async () => {
  vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");
  database = await createTestDatabase();
  receivers = await startFakeReceivers();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receivers.close();
  await database.drop();
});
beforeEach(async () => {
  await rewriteBooks(
    database.sql,
    "truncate users, notification_targets, notifications, notification_deliveries, options restart identity cascade",
  );
  await database.db.insert(options).values({ key: "ServerAddress", value: "https://weir.example" });
  const [user] = await database.db.insert(users).values({ username: "alice" }).returning({ id: users.id });
  userId = user?.id ?? 0;
  targetId = await createTarget({ url: `${receivers.url}/hook`, secret: RECEIVER_KEYS.webhookSecret });
  receivers.received.length = 0;
  mails.length = 0;
});
afterEach(() => receivers.setMood("ok"));

async function createTarget(config: object, kind = "webhook"): Promise<number> {
  const values = { userId, kind, configCipher: seal(JSON.stringify(config)), events: ["code_redeemed", "balance_low"] };
  const [row] = await database.db.insert(notificationTargets).values(values).returning({ id: notificationTargets.id });
  return row?.id ?? 0;
}

const tell = (key: string) =>
  notify(database.db, {
    userId,
    event: "code_redeemed",
    params: { amount: 500_000, balance: 1_250_000 },
    dedupeKey: key,
  });
const deliver = () => deliverDue(database.sql, sendMail);
const due = () => database.sql`update notification_deliveries set next_attempt_at = 0 where status = 'pending'`;
const deliveryOf = async () => (await database.sql`select * from notification_deliveries order by id desc limit 1`)[0];
const targetOf = async () => (await database.sql`select * from notification_targets where id = ${targetId}`)[0];

describe("delivery", () => {
  test("a message is sent once and the target shows when", async () => {
    await tell("a");
    expect(await deliver()).toBe(1);
    expect(await deliver()).toBe(0);
    expect(receivers.received).toHaveLength(1);
    expect(receivers.received[0]?.body).toMatchObject({
      type: "code_redeemed",
      title: "兑换成功",
      content: "兑换码已到账 ￥1.00，当前余额 ￥2.50。",
      values: ["￥1.00", "￥2.50"],
      url: "https://weir.example/topup",
    });
    expect(await deliveryOf()).toMatchObject({ status: "sent", attempts: 1, last_error: "" });
    expect((await targetOf())?.last_sent_at).toBeGreaterThan(1_700_000_000);
  });

  test("texts are in the user's language, Chinese when none was chosen", async () => {
    await database.sql`update users set setting = '{"language":"en"}'`;
    await database.sql`insert into options (key, value) values ('DisplayInCurrencyEnabled', 'false')`;
    await tell("a");
    await deliver();
    expect(receivers.received[0]?.body).toMatchObject({
      title: "Code redeemed",
      content: "The code added 500000 to your balance. Your balance is now 1250000.",
    });
  });

  test("by many workers at once, each message is sent once", async () => {
    for (let index = 0; index < 30; index++) await tell(`key-${index}`);
    const counts = await Promise.all([deliver(), deliver(), deliver()]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(30);
    expect(new Set(receivers.received.map(({ headers }) => headers["x-weir-delivery"])).size).toBe(30);
    expect(receivers.received).toHaveLength(30);
  });

  test("what a dead worker had taken is sent when its lease is over, with the same delivery id", async () => {
    await tell("a");
    const [taken] = await claimDeliveries(database.sql, 10);
    expect(taken).toMatchObject({ attempts: 1 });
    expect(await deliver()).toBe(0);
    const delivery = await deliveryOf();
    expect(delivery?.next_attempt_at).toBeGreaterThan(Date.now() / 1000 + 100);
    await due();
    expect(await deliver()).toBe(1);
    expect(receivers.received[0]?.headers["x-weir-delivery"]).toBe(String(taken?.id));
  });

  test("a row that another worker is taking is passed over, not waited for", async () => {
    await tell("a");
    await database.sql.begin(async (tx) => {
      await tx`select 1 from notification_deliveries for update`;
      expect(await deliver()).toBe(0);
    });
    expect(await deliver()).toBe(1);
  });
});

describe("failure", () => {
  test("is tried again with growing waits, then given up with the reason at the target", async () => {
    receivers.setMood("broken");
    await tell("a");
    for (const [index, seconds] of [...RETRY_SECONDS, null].entries()) {
      await due();
      const before = Math.floor(Date.now() / 1000);
      expect(await deliver()).toBe(1);
      const delivery = await deliveryOf();
      expect(delivery).toMatchObject({ attempts: index + 1, status: seconds === null ? "failed" : "pending" });
      if (seconds !== null) expect(Number(delivery?.next_attempt_at) - before).toBeGreaterThanOrEqual(seconds);
    }
    await due();
    expect(await deliver()).toBe(0);
    expect(receivers.received).toHaveLength(RETRY_SECONDS.length + 1);
    const failure = { messageKey: "notifyRefused", params: { code: 503, detail: "" } };
    expect(JSON.parse(String((await targetOf())?.last_error))).toEqual(failure);
  });

  test("a success after it clears the reason", async () => {
    receivers.setMood("broken");
    await tell("a");
    await deliver();
    expect((await targetOf())?.last_error).not.toBe("");
    receivers.setMood("ok");
    await due();
    await deliver();
    expect(await targetOf()).toMatchObject({ last_error: "" });
    expect(await deliveryOf()).toMatchObject({ status: "sent", attempts: 2, last_error: "" });
  });

  test("a receiver's own wait is kept when it is the longer one", async () => {
    receivers.setMood("limited");
    await tell("a");
    await database.sql`update notification_deliveries set attempts = 0`;
    await deliver();
    const wait = Number((await deliveryOf())?.next_attempt_at) - Date.now() / 1000;
    expect(wait).toBeGreaterThan(10);
    expect(wait).toBeLessThanOrEqual(RETRY_SECONDS[0] + 1);
  });

  test("a wrong secret is given up at once", async () => {
    await database.db
      .update(notificationTargets)
      .set({ configCipher: seal(JSON.stringify({ url: `${receivers.url}/hook`, secret: "wrong" })) });
    await tell("a");
    await deliver();
    expect(await deliveryOf()).toMatchObject({ status: "failed", attempts: 1 });
  });

  test("one target's failure does not hold up another's message", async () => {
    const mail = await createTarget({ address: "alice@weir.example", confirmed: "alice@weir.example" }, "email");
    await database.sql`insert into options (key, value) values ('SMTPServer', 'mail.weir.example')`;
    receivers.setMood("broken");
    await tell("a");
    await deliver();
    expect(mails).toHaveLength(1);
    expect(await database.sql`select target_id, status from notification_deliveries order by target_id`).toEqual([
      { target_id: targetId, status: "pending" },
      { target_id: mail, status: "sent" },
    ]);
  });

  test("a target that was switched off meanwhile gets nothing and shows no fault", async () => {
    await tell("a");
    await database.sql`update notification_targets set enabled = false`;
    await deliver();
    expect(receivers.received).toHaveLength(0);
    expect(await targetOf()).toMatchObject({ last_error: "" });
  });

  test("a kind that is not known is given up, not tried for ever", async () => {
    await createTarget({}, "pigeon");
    await tell("a");
    await deliver();
    expect(await deliveryOf()).toMatchObject({ status: "failed" });
  });
});

test("configurations rest sealed", async () => {
  const target = await targetOf();
  expect(target?.config_cipher).not.toContain(RECEIVER_KEYS.webhookSecret);
  expect(unseal(String(target?.config_cipher))).toContain(RECEIVER_KEYS.webhookSecret);
});

test("messages of long ago go with their deliveries, younger ones stay", async () => {
  await tell("old");
  await database.sql`update notifications set created_at = created_at - 91 * 86400`;
  await tell("young");
  expect(await removeOldNotifications(database.sql)).toBe(1);
  expect(await database.sql`select dedupe_key from notifications`).toEqual([{ dedupe_key: `young:${userId}` }]);
  expect(await database.sql`select 1 as one from notification_deliveries`).toHaveLength(1);
});
