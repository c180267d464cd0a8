/**
 * Who: nobody, or whoever can keep the payment provider's report from arriving: a firewall, an outage, a wrong address; and
 * buyers who open thousands of orders to keep others waiting. With what: paid orders without a report. What must hold: a
 * paid order is credited exactly once, by the report or by asking, whichever comes first; asking is bounded and fair; an
 * answer that is not about this order and merchant credits nothing.
 */
import { eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { ledgerEntries, options, paymentCallbacks, topUps, users } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { jobs } from "@/lib/jobs/registry";
import { startFakeEpay } from "@/lib/testing/fake-epay";
import { startFakeStripe } from "@/lib/testing/fake-stripe";
import { signEpay } from "@/lib/topup/epay";
import { call, createPerson, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
const MERCHANT = { id: "1001", key: "merchant-key" };
const QUOTA = 5_000_000;
let epay: Awaited<ReturnType<typeof startFakeEpay>>;
let stripe: Awaited<ReturnType<typeof startFakeStripe>>;
let buyers = 0;
let buyer: Person;

const set = (key: string, value: string, sealed = false) =>
  api.database.db
    .insert(options)
    .values({ key, value: sealed ? seal(value) : value, sealed })
    .onConflictDoUpdate({ target: options.key, set: { value: sealed ? seal(value) : value } });

beforeAll(async () => {
  epay = await startFakeEpay(MERCHANT);
  stripe = await startFakeStripe();
  await set("StripeApiSecret", "sk_test_right", true);
  await set("StripeWebhookSecret", "whsec_test", true);
  await set("StripeApiAddress", stripe.address);
  await set("StripeUnitPrice", "1.5");
  await set("EpayId", MERCHANT.id);
  await set("EpayKey", MERCHANT.key, true);
  await set("ServerAddress", "https://weir.example");
});
afterAll(async () => {
  await epay.close();
  await stripe.close();
});
beforeEach(async () => {
  await set("PayAddress", epay.address);
  await api.database.db.delete(topUps);
  epay.asked.length = 0;
  buyer = await createPerson(api.database, `waiting${++buyers}`, 1);
});

const run = () => jobs.find(({ id }) => id === "open-orders")?.run(api.database.sql);
const balance = async ({ id } = buyer) =>
  (await api.database.db.select({ quota: users.quota }).from(users).where(eq(users.id, id)))[0]?.quota;
const age = (tradeNos: string[], seconds: number, changes: object = {}) =>
  api.database.db
    .update(topUps)
    .set({ createTime: Math.floor(Date.now() / 1000) - seconds, ...changes })
    .where(inArray(topUps.tradeNo, tradeNos));

async function order(as = buyer): Promise<Record<string, string>> {
  const { json } = await call(userApi, "POST /api/user/pay", { as, body: { amount: 10, payment_method: "zfb" } });
  await age([json.data.out_trade_no], 120);
  return json.data;
}
const paidAnswer = (tradeNo: string, changes: object = {}) =>
  epay.orders.set(tradeNo, {
    code: 1,
    msg: "succ",
    trade_no: `gateway-${tradeNo}`,
    out_trade_no: tradeNo,
    pid: MERCHANT.id,
    money: "73.00",
    status: 1,
    ...changes,
  });

describe("an order at epay whose report never came", () => {
  test("is credited by asking, once, and shown to root among the payment calls", async () => {
    const { out_trade_no: tradeNo = "" } = await order();
    paidAnswer(tradeNo);
    await run();
    expect(await balance()).toBe(QUOTA);
    await age([tradeNo], 4_000, { checkedTime: 0 });
    await run();
    expect(await balance()).toBe(QUOTA);
    expect(await api.database.db.select().from(ledgerEntries).where(eq(ledgerEntries.userId, buyer.id))).toHaveLength(
      1,
    );
    const calls = await api.database.db.select().from(paymentCallbacks).where(eq(paymentCallbacks.tradeNo, tradeNo));
    expect(calls).toMatchObject([{ outcome: "credited", eventId: `query:${tradeNo}` }]);
    expect(JSON.stringify(calls)).not.toContain(MERCHANT.key);
  });

  test("is credited once when the report and eight answers come at the same time", async () => {
    const form = await order();
    const { out_trade_no: tradeNo = "" } = form;
    paidAnswer(tradeNo);
    const report = () => {
      const fields = { ...form, trade_no: "g", trade_status: "TRADE_SUCCESS", sign: "" };
      const query = new URLSearchParams({ ...fields, sign: signEpay(fields, MERCHANT.key) });
      const request = new Request(`http://weir.example/api/user/epay/notify?${query}`);
      return userApi.GET(request, { params: Promise.resolve({ path: ["epay", "notify"] }) });
    };
    await Promise.all([run(), report(), run(), report(), run(), report(), run(), report()]);
    expect(await balance()).toBe(QUOTA);
  });

  test("is credited also after it was given up", async () => {
    const { out_trade_no: tradeNo = "" } = await order();
    await age([tradeNo], 4 * 3_600, { status: "expired" });
    paidAnswer(tradeNo);
    await run();
    expect(await balance()).toBe(QUOTA);
  });

  test.each([
    ["unpaid", { status: 0 }],
    ["of another order", { out_trade_no: "USR1NOother1" }],
    ["of another merchant", { pid: "1002" }],
    ["with another sum", { money: "0.01" }],
    ["with no sum", { money: "" }],
    ["an error", { code: -1 }],
  ])("is not credited by an answer that is %s", async (_what, changes) => {
    const { out_trade_no: tradeNo = "" } = await order();
    paidAnswer(tradeNo, changes);
    await run();
    expect(epay.asked).toContain(tradeNo);
    expect(await balance()).toBe(0);
  });
});

test("an order at Stripe whose event never came is credited by asking", async () => {
  const { json } = await call(userApi, "POST /api/user/stripe/pay", { as: buyer, body: { amount: 10 } });
  const tradeNo = String(json.data.pay_link).split("/").at(-1) ?? "";
  await age([tradeNo], 120);
  await run();
  expect(await balance()).toBe(0);
  stripe.paid.add(tradeNo);
  await age([tradeNo], 120, { checkedTime: 0 });
  await run();
  expect(await balance()).toBe(QUOTA);
  const [row] = await api.database.db.select().from(topUps).where(eq(topUps.tradeNo, tradeNo));
  expect(row).toMatchObject({ status: "success", paymentReference: `pi_${tradeNo}` });
});

describe("asking is bounded", () => {
  test("a new order is not asked about at once, an old one never again, one just asked about waits", async () => {
    const [fresh, old, asked] = [await order(), await order(), await order()].map((form) => form.out_trade_no ?? "");
    await age([fresh ?? ""], 5);
    await age([old ?? ""], 4 * 86_400);
    await age([asked ?? ""], 600, { checkedTime: Math.floor(Date.now() / 1000) - 60 });
    await run();
    expect(epay.asked).toEqual([]);
  });

  test("a buyer with a thousand open orders keeps nobody waiting", async () => {
    const row = { userId: buyer.id, amount: 10, money: 73, quota: QUOTA, provider: "epay", currency: "CNY" };
    const createTime = Math.floor(Date.now() / 1000) - 86_400;
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ ...row, tradeNo: `flood-${i}`, createTime }));
    await api.database.db.insert(topUps).values(rows);
    const patient = await createPerson(api.database, `patient${buyers}`, 1);
    const { out_trade_no: tradeNo = "" } = await order(patient);
    paidAnswer(tradeNo);
    await run();
    expect(epay.asked.length).toBeLessThanOrEqual(20);
    expect(await balance(patient)).toBe(QUOTA);
  });

  test("a gateway that does not answer is asked once in a run, and the orders stay", async () => {
    await set("PayAddress", "http://127.0.0.1:1");
    await order();
    await order(await createPerson(api.database, `second${buyers}`, 1));
    expect(await run()).toBe("1 asked about, 0 credited");
  });
});
