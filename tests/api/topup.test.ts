import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import * as stripeApi from "@/app/api/stripe/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { ledgerEntries, options, paymentCallbacks, topUps, usageHourly, usageLogs, users } from "@/db/schema";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { startFakeStripe } from "@/lib/testing/fake-stripe";
import { redriveCallback } from "@/lib/topup/callback-commands";
import { signEpay } from "@/lib/topup/epay";
import { exportStatement } from "@/lib/topup/export-statement";
import { readOwnOrder, readTopUpOffer } from "@/lib/topup/offer-queries";
import { expireOrders } from "@/lib/topup/order-commands";
import { listCallbacks } from "@/lib/topup/queries";
import { listStatement, sumStatement } from "@/lib/topup/statement-queries";
import { call, createPerson, type Person, setUpApi } from "./harness";

const api = setUpApi();
const KEY = "merchant-key";
const set = (key: string, value: string, sealed = false) =>
  api.database.db
    .insert(options)
    .values({ key, value: sealed ? seal(value) : value, sealed })
    .onConflictDoUpdate({ target: options.key, set: { value: sealed ? seal(value) : value } });

const post = async (path: string, as: Person, body: object) =>
  (await call(userApi, `POST /api/user/${path}`, { as, body })).json;
const quotaOf = async ({ id }: Person) =>
  (await api.database.db.select({ quota: users.quota }).from(users).where(eq(users.id, id)))[0]?.quota;
const orderOf = async (tradeNo: string) =>
  (await api.database.db.select().from(topUps).where(eq(topUps.tradeNo, tradeNo)))[0];

/** The notification that the gateway would send for a paid order. */
function notification(form: Record<string, string>, changes: Record<string, string> = {}, key = KEY): string {
  const fields: Record<string, string> = {
    pid: form.pid ?? "",
    trade_no: `gateway-${form.out_trade_no}`,
    out_trade_no: form.out_trade_no ?? "",
    type: form.type ?? "",
    name: form.name ?? "",
    money: form.money ?? "",
    trade_status: "TRADE_SUCCESS",
    sign_type: "MD5",
    ...changes,
  };
  return new URLSearchParams({ ...fields, sign: signEpay(fields, key) }).toString();
}

async function notify(query: string, method: "GET" | "POST" = "GET"): Promise<string> {
  const path = { params: Promise.resolve({ path: ["epay", "notify"] }) };
  const url = "http://weir.example/api/user/epay/notify";
  const request = method === "GET" ? new Request(`${url}?${query}`) : new Request(url, { method, body: query });
  const handle = method === "GET" ? userApi.GET : userApi.POST;
  return (await handle(request, path)).text();
}

const order = async (as: Person, amount = 10) => (await post("pay", as, { amount, payment_method: "zfb" })).data;
let buyers = 0;
const buyer = () => createPerson(api.database, `buyer${++buyers}`, 1);

beforeEach(async () => {
  await set("PayAddress", "https://pay.example");
  await set("EpayId", "1001");
  await set("EpayKey", KEY, true);
  await set("ServerAddress", "https://weir.example");
});

describe("POST /api/user/amount and /pay (B247, B248, B302)", () => {
  test("the amount costs units × price × group ratio, two decimals, as text", async () => {
    expect(await post("amount", api.alice, { amount: 10, top_up_code: "" })).toMatchObject({
      message: "success",
      data: "73.00",
    });
  });

  test("below the minimum the answer is an error with the minimum (B199)", async () => {
    await set("MinTopUp", "5");
    const refusal = { message: "error", data: "充值数量不能小于 5" };
    expect(await post("amount", api.alice, { amount: 4 })).toMatchObject(refusal);
    expect(await post("pay", api.alice, { amount: 4, payment_method: "zfb" })).toMatchObject(refusal);
    await set("MinTopUp", "1");
  });

  test("pay makes a pending order and a signed form; nothing is credited yet", async () => {
    const user = await buyer();
    const { message, data, url } = await post("pay", user, { amount: 10, top_up_code: "", payment_method: "wx" });
    expect([message, url]).toEqual(["success", "https://pay.example/submit.php"]);
    expect(data).toMatchObject({
      pid: "1001",
      type: "wxpay",
      notify_url: "https://weir.example/api/user/epay/notify",
      return_url: "https://weir.example/log",
      name: "TUC10",
      money: "73.00",
      device: "pc",
      sign_type: "MD5",
    });
    expect(data.sign).toBe(signEpay(data, KEY));
    expect(data.out_trade_no).toMatch(new RegExp(`^USR${user.id}NO[0-9A-Za-z]{6}\\d{10}$`));
    expect(await orderOf(data.out_trade_no)).toMatchObject({ status: "pending", quota: 5_000_000, userId: user.id });
    expect(await quotaOf(user)).toBe(0);
  });

  test.each(["alipay", "wxpay", "stripe", "ZFB", "", "x"])(
    "the payment method %j is refused (B248)",
    async (method) => {
      const user = await buyer();
      const answer = await post("pay", user, { amount: 10, payment_method: method });
      expect(answer).toMatchObject({ message: "error", data: expect.stringContaining("支付方式") });
      expect(await api.database.db.$count(topUps, eq(topUps.userId, user.id))).toBe(0);
    },
  );

  test("without a merchant online top-up is off (B201)", async () => {
    await set("EpayId", "");
    const answer = await post("pay", api.alice, { amount: 10, payment_method: "zfb" });
    expect(answer).toMatchObject({ message: "error", data: "管理员未开启在线充值！" });
  });
});

describe("epay's notification", () => {
  test("credits the order exactly once, however often and parallel it is repeated", async () => {
    const user = await buyer();
    const query = notification(await order(user));
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => notify(query, i % 2 ? "GET" : "POST")));
    expect(new Set(answers)).toEqual(new Set(["success"]));
    expect(await quotaOf(user)).toBe(5_000_000);
    const { db } = api.database;
    expect(await db.select().from(ledgerEntries).where(eq(ledgerEntries.userId, user.id))).toHaveLength(1);
    expect(await db.select().from(usageLogs).where(eq(usageLogs.userId, user.id))).toMatchObject([{ type: 1 }]);
  });

  test.each([
    ["a wrong signature", {}, "other-key"],
    ["another merchant", { pid: "1002" }, KEY],
    ["another sum", { money: "0.01" }, KEY],
    ["a sum that is none", { money: "NaN" }, KEY],
    ["an order that is not there", { out_trade_no: "USR1NOabcdef1" }, KEY],
  ])("with %s is answered fail and credits nothing", async (_what, changes, key) => {
    const user = await buyer();
    expect(await notify(notification(await order(user), changes, key))).toBe("fail");
    expect(await quotaOf(user)).toBe(0);
  });

  test("of a payment that is not finished credits nothing and is not repeated for ever", async () => {
    const user = await buyer();
    expect(await notify(notification(await order(user), { trade_status: "WAIT_BUYER_PAY" }))).toBe("success");
    expect(await quotaOf(user)).toBe(0);
  });

  test("without a configured merchant is refused, not a crash (contract §12 no. 15)", async () => {
    const user = await buyer();
    const query = notification(await order(user));
    await set("EpayKey", "", true);
    expect(await notify(query)).toBe("fail");
  });

  test("an order that expired and is paid late is still credited", async () => {
    const user = await buyer();
    const form = await order(user);
    const { db } = api.database;
    await db.update(topUps).set({ createTime: 1 }).where(eq(topUps.tradeNo, form.out_trade_no));
    expect(await expireOrders(db)).toBeGreaterThanOrEqual(1);
    expect(await orderOf(form.out_trade_no)).toMatchObject({ status: "expired" });
    expect(await notify(notification(form))).toBe("success");
    expect(await quotaOf(user)).toBe(5_000_000);
  });
});

describe("the operator's view of callbacks", () => {
  const rootContext = () => {
    const { db, sql } = consoleDatabase();
    const { root } = api;
    const actor = { type: "user", id: root.id, username: "root", role: 100, group: "default", via: "session" } as const;
    return { db, sql, actor, clientIp: "" };
  };

  test("shows what was refused and why, without the signature, and credits a kept payment once when driven again", async () => {
    const user = await buyer();
    const form = await order(user);
    const { db } = api.database;
    await db.update(topUps).set({ tradeNo: "lost" }).where(eq(topUps.tradeNo, form.out_trade_no));
    expect(await notify(notification(form))).toBe("fail");
    const { items } = await listCallbacks(rootContext(), { keyword: form.out_trade_no });
    expect(items).toMatchObject([{ outcome: "refused", reason: "order unknown", tradeNo: form.out_trade_no }]);
    expect(JSON.stringify(items)).not.toContain('"sign"');
    await db.update(topUps).set({ tradeNo: form.out_trade_no }).where(eq(topUps.tradeNo, "lost"));
    const id = items[0]?.id ?? 0;
    expect(await redriveCallback(rootContext(), id)).toEqual({ outcome: "credited", reason: "" });
    expect(await redriveCallback(rootContext(), id)).toMatchObject({ outcome: "ignored" });
    expect(await quotaOf(user)).toBe(5_000_000);
    const [row] = await db.select().from(paymentCallbacks).where(eq(paymentCallbacks.id, id));
    expect(row?.outcome).toBe("credited");
  });
});

describe("Stripe", () => {
  let fake: Awaited<ReturnType<typeof startFakeStripe>>;
  beforeAll(async () => {
    fake = await startFakeStripe();
  });
  afterAll(() => fake.close());
  beforeEach(async () => {
    await set("StripeApiSecret", "sk_test_right", true);
    await set("StripeWebhookSecret", "whsec_test", true);
    await set("StripeApiAddress", fake.address);
    await set("StripeUnitPrice", "1.5");
  });

  async function webhook(event: object, secret = "whsec_test"): Promise<number> {
    const payload = JSON.stringify(event);
    const signature = new Stripe("sk_test_right").webhooks.generateTestHeaderString({ payload, secret });
    const { status } = await call(stripeApi, "POST /api/stripe/webhook", {
      body: payload,
      headers: { "stripe-signature": signature },
    });
    return status;
  }
  const completed = (tradeNo: string, changes: object = {}, id = `evt_${tradeNo}`) => ({
    id,
    object: "event",
    type: "checkout.session.completed",
    data: {
      object: {
        id: "cs_test_1",
        object: "checkout.session",
        client_reference_id: tradeNo,
        amount_total: 1500,
        currency: "usd",
        payment_status: "paid",
        ...changes,
      },
    },
  });
  const checkout = async (user: Person) => {
    const { data } = await post("stripe/pay", user, { amount: 10 });
    return String(data.pay_link).split("/").at(-1) ?? "";
  };

  test("checkout opens with the order's sum, its number as reference and idempotency key", async () => {
    const user = await buyer();
    const tradeNo = await checkout(user);
    const seen = fake.calls.at(-1);
    expect(seen).toMatchObject({ path: "/v1/checkout/sessions", idempotencyKey: tradeNo });
    expect(seen?.form).toMatchObject({
      mode: "payment",
      client_reference_id: tradeNo,
      "line_items[0][price_data][unit_amount]": "1500",
      "line_items[0][price_data][currency]": "usd",
    });
    expect(await orderOf(tradeNo)).toMatchObject({ provider: "stripe", status: "pending", quota: 5_000_000 });
  });

  test("the webhook credits once, also when the event comes twice", async () => {
    const user = await buyer();
    const tradeNo = await checkout(user);
    expect(await Promise.all([webhook(completed(tradeNo)), webhook(completed(tradeNo))])).toEqual([200, 200]);
    expect(await webhook(completed(tradeNo, {}, "evt_other"))).toBe(200);
    expect(await quotaOf(user)).toBe(5_000_000);
  });

  test.each([
    ["another sum", { amount_total: 1 }],
    ["another currency", { currency: "eur" }],
  ])("%s credits nothing", async (_what, changes) => {
    const user = await buyer();
    expect(await webhook(completed(await checkout(user), changes))).toBe(409);
    expect(await quotaOf(user)).toBe(0);
  });

  test("a payment that is still on its way credits nothing yet; the later event does", async () => {
    const user = await buyer();
    const tradeNo = await checkout(user);
    expect(await webhook(completed(tradeNo, { payment_status: "unpaid" }))).toBe(200);
    expect(await quotaOf(user)).toBe(0);
    const later = { ...completed(tradeNo, {}, "evt_later"), type: "checkout.session.async_payment_succeeded" };
    expect(await webhook(later)).toBe(200);
    expect(await quotaOf(user)).toBe(5_000_000);
  });

  test("a wrong signature is refused", async () => {
    const user = await buyer();
    const tradeNo = await checkout(user);
    expect(await webhook(completed(tradeNo), "whsec_other")).not.toBe(409);
    expect(await quotaOf(user)).toBe(0);
  });

  test("a provider that refuses is a clear message", async () => {
    await set("StripeApiSecret", "sk_test_wrong", true);
    const answer = await post("stripe/pay", api.alice, { amount: 10 });
    expect(answer).toMatchObject({ message: "error", data: "支付服务暂时不可用，请稍后再试" });
  });
});

test("the ledger shows every movement to its owner; another's only to administrators", async () => {
  const user = await buyer();
  await notify(notification(await order(user)));
  const own = await call(userApi, "GET /api/user/ledger", { as: user });
  expect(own.json.data.items).toMatchObject([{ amount: 5_000_000, kind: "topup", user_id: user.id }]);
  const orders = await call(userApi, "GET /api/user/topup/self", { as: user });
  expect(orders.json.data.items).toMatchObject([{ status: "success", user_id: user.id }]);
  expect((await call(userApi, "GET /api/user/topup", { as: user })).json.success).toBe(false);
});

describe("the statement of the wallet", () => {
  const ctxOf = ({ id, username }: Person): ServiceContext => {
    const { db, sql } = consoleDatabase();
    const actor = { type: "user", id, username, role: 1, group: "default", via: "session" } as const;
    return { db, sql, actor, clientIp: "" };
  };

  test("has every movement and each day's usage, with a running balance that ends at the balance", async () => {
    const user = await buyer();
    await notify(notification(await order(user)));
    const { db } = api.database;
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
    const used = { userId: user.id, tokenId: 1, channelId: 1, modelName: "m", group: "default", hour };
    await db.insert(usageHourly).values([
      { ...used, quota: 1_000, count: 2 },
      { ...used, modelName: "n", quota: 500, count: 1 },
    ]);
    await db
      .update(users)
      .set({ quota: 5_000_000 - 1_500, usedQuota: 1_500 })
      .where(eq(users.id, user.id));
    const { items, total } = await listStatement(ctxOf(user));
    expect(total).toBe(2);
    expect(items).toMatchObject([
      { kind: "consumption", amount: -1_500, count: 3, balance: 4_998_500 },
      { kind: "topup", amount: 5_000_000, balance: 5_000_000 },
    ]);
    expect(await sumStatement(ctxOf(user))).toEqual({ received: 5_000_000, used: 1_500, balance: 4_998_500 });
    const usage = await listStatement(ctxOf(user), { kind: "consumption" });
    expect(usage.items).toMatchObject([{ balance: 4_998_500 }]);
    expect((await listStatement(ctxOf(user), { page: 2, pageSize: 1 })).items).toMatchObject([{ kind: "topup" }]);
    expect((await listStatement(ctxOf(await buyer()))).items).toEqual([]);
    expect((await listStatement(ctxOf(user), { from: hour - 86_400, until: hour })).items.length).toBeGreaterThan(0);
    expect((await listStatement(ctxOf(user), { from: hour + 2 * 86_400 })).items).toEqual([]);
    expect((await listStatement(ctxOf(user), { until: hour - 2 * 86_400 })).items).toEqual([]);
    const csv = await new Response((await exportStatement(ctxOf(user), { kind: "topup" }, "csv")).body).text();
    expect(csv.trim().split("\r\n")).toEqual([
      "time,kind,reference,note,requests,quota,balance",
      expect.stringMatching(/^\d{4}-.*,topup,.*,0,5000000,5000000$/),
    ]);
  });

  test("an order is shown to its buyer only", async () => {
    const user = await buyer();
    const { out_trade_no: tradeNo } = await order(user);
    expect(await readOwnOrder(ctxOf(user), tradeNo)).toEqual({ tradeNo, status: "pending", quota: 5_000_000 });
    expect(await readOwnOrder(ctxOf(api.alice), tradeNo)).toBeNull();
  });

  test("online top-up is offered only while it is configured, with the option's minimum (B092, B302)", async () => {
    await set("MinTopUp", "5");
    expect(await readTopUpOffer(ctxOf(api.alice))).toMatchObject({ epay: { minimum: 5 }, minimum: 5 });
    await set("MinTopUp", "1");
    await set("EpayId", "");
    expect(await readTopUpOffer(ctxOf(api.alice))).toMatchObject({ epay: null, minimum: 1 });
  });
});

test("the status says whether payment by card is configured; online top-up is epay's alone", async () => {
  const status = async () => (await call(statusApi, "GET /api/status")).json.data;
  await set("StripeApiSecret", "", true);
  expect(await status()).toMatchObject({ enable_online_topup: true, enable_stripe_topup: false });
  await set("StripeApiSecret", "sk_test_right", true);
  await set("StripeWebhookSecret", "whsec_test", true);
  await set("EpayKey", "", true);
  expect(await status()).toMatchObject({ enable_online_topup: false, enable_stripe_topup: true });
});
