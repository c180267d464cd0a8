/**
 * Who: an operator who mistypes a webhook's secret, and then buyers whose payments are refunded or disputed; or somebody who
 * sends calls in a payment provider's name. With what: calls with a wrong signature, thousands of them, and refunds that no call
 * brings. What must hold: the provider learns that the call failed, root is told, what is kept is bounded and believed in
 * nothing; refunds and disputes are found by asking, and booked once whichever way they come first.
 */
import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as stripeApi from "@/app/api/stripe/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { ledgerEntries, notifications, options, paymentCallbacks, users } from "@/db/schema";
import { reconcile } from "@/lib/billing/reconcile";
import { seal } from "@/lib/crypto";
import { jobs } from "@/lib/jobs/registry";
import { startFakeStripe } from "@/lib/testing/fake-stripe";
import { call, createPerson, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
const QUOTA = 5_000_000;
const CENTS = 1_500;
let fake: Awaited<ReturnType<typeof startFakeStripe>>;
let [buyers, events] = [0, 0];
let buyer: Person;
let tradeNo: string;

const set = (key: string, value: string, sealed = false) =>
  api.database.db
    .insert(options)
    .values({ key, value: sealed ? seal(value) : value, sealed })
    .onConflictDoUpdate({ target: options.key, set: { value: sealed ? seal(value) : value } });

beforeAll(async () => {
  fake = await startFakeStripe();
  await set("StripeApiSecret", "sk_test_right", true);
  await set("StripeApiAddress", fake.address);
  await set("StripeUnitPrice", "1.5");
  await set("ServerAddress", "https://weir.example");
  await set("PayAddress", "https://pay.example");
  await set("EpayId", "1001");
  await set("EpayKey", "merchant-key", true);
});
afterAll(() => fake.close());

beforeEach(async () => {
  await set("StripeWebhookSecret", "whsec_right", true);
  await api.database.db.delete(paymentCallbacks);
  await api.database.db.delete(notifications);
  await api.database.sql`delete from job_positions where job = 'stripe-reversals'`;
  fake.events.length = 0;
  buyer = await createPerson(api.database, `refunded${++buyers}`, 1);
  const { json } = await call(userApi, "POST /api/user/stripe/pay", { as: buyer, body: { amount: 10 } });
  tradeNo = String(json.data.pay_link).split("/").at(-1) ?? "";
  fake.paid.add(tradeNo);
});

type Event = { id: string; type: string; created: number; data: { object: object } };

function eventOf(type: string, object: object, ago = 0): Event {
  const created = Math.floor(Date.now() / 1_000) - ago;
  return { id: `evt_${++events}`, type, created, data: { object: { currency: "usd", ...object } } };
}

async function send(event: object | string, secret: string, headers: Record<string, string> = {}) {
  const payload = typeof event === "string" ? event : JSON.stringify({ object: "event", ...event });
  const signature = new Stripe("sk").webhooks.generateTestHeaderString({ payload, secret });
  return call(stripeApi, "POST /api/stripe/webhook", {
    body: payload,
    headers: { "stripe-signature": signature, ...headers },
  });
}

const payment = () => ({ payment_intent: `pi_${tradeNo}` });
const paid = () =>
  eventOf("checkout.session.completed", {
    ...payment(),
    id: `cs_${tradeNo}`,
    client_reference_id: tradeNo,
    amount_total: CENTS,
    payment_status: "paid",
  });
const refunded = (ago = 0) =>
  eventOf("refund.created", { ...payment(), id: `re_${tradeNo}`, amount: CENTS, status: "succeeded" }, ago);
const disputed = (status: string, ago = 0) =>
  eventOf("charge.dispute.created", { ...payment(), id: `dp_${tradeNo}`, amount: CENTS, status }, ago);

const poll = () => jobs.find(({ id }) => id === "reversals")?.run(api.database.sql);
const balance = async () =>
  (await api.database.db.select({ quota: users.quota }).from(users).where(eq(users.id, buyer.id)))[0]?.quota;
const kept = () => api.database.db.select().from(paymentCallbacks);
const told = async (event: string) =>
  (await api.database.db.select().from(notifications)).filter((row) => row.event === event);

/** The calls of each provider, and what it takes for a failure. */
const PROVIDERS = {
  async stripe() {
    const { status, json } = await send(refunded(), "whsec_mistyped");
    return { failed: status === 400 && json.received === false, name: "refund.created" };
  },
  async epay() {
    const query = new URLSearchParams({
      out_trade_no: "USR1NOabc",
      trade_no: "g1",
      trade_status: "TRADE_SUCCESS",
      sign: "0",
    });
    const request = new Request(`http://weir.example/api/user/epay/notify?${query}`);
    const response = await userApi.GET(request, { params: Promise.resolve({ path: ["epay", "notify"] }) });
    // The protocol has no other word for it; the gateway goes on calling until it hears success.
    const isText = response.headers.get("content-type")?.startsWith("text/plain") ?? false;
    return { failed: isText && (await response.text()) === "fail", name: "TRADE_SUCCESS" };
  },
};

test.each(Object.keys(PROVIDERS) as (keyof typeof PROVIDERS)[])(
  "a call of %s with a wrong signature fails for the provider, is kept by its name alone, and root is told",
  async (provider) => {
    const { failed, name } = await PROVIDERS[provider]();
    expect(failed).toBe(true);
    expect(await kept()).toMatchObject([
      { provider, outcome: "refused", reason: "wrong signature", payload: { type: name } },
    ]);
    expect(await told("payment_call_unsigned")).toMatchObject([{ userId: api.root.id, params: { provider } }]);
  },
);

test("a call that is no event, has no signature or an old one is refused too", async () => {
  expect((await send("{", "whsec_mistyped")).status).toBe(400);
  expect((await send({ id: { $ne: 1 }, type: ["x"] }, "whsec_mistyped")).status).toBe(400);
  const old = { "stripe-signature": "t=1,v1=0" };
  expect((await send(refunded(), "whsec_right", old)).status).toBe(400);
  expect((await send(refunded(), "whsec_right", { "stripe-signature": "" })).status).toBe(400);
});

test("without a configured account Stripe is told to come again", async () => {
  await set("StripeWebhookSecret", "", true);
  expect((await send(paid(), "whsec_right")).status).toBe(409);
});

test("thousands of such calls leave a few rows, one message, and nothing of what they carry", async () => {
  const secret = "4242424242424242";
  const calls = Array.from({ length: 300 }, (_, i) => {
    const from = { "x-forwarded-for": `203.0.${i % 100}.${i}` };
    return send(
      { ...refunded(), id: `evt_${i}${"x".repeat(5_000)}`, type: `<b>\u0000${secret.slice(0, 2)}`, card: secret },
      "no",
      from,
    );
  });
  expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([400]));
  const rows = await kept();
  expect(rows.length).toBeLessThan(30);
  expect(JSON.stringify(rows).length / rows.length).toBeLessThan(1_000);
  expect(JSON.stringify(rows)).not.toContain(secret);
  expect((await told("payment_call_unsigned")).length).toBeLessThanOrEqual(1);
});

describe("where no call brings them", () => {
  beforeEach(async () => {
    expect((await send(paid(), "whsec_right")).status).toBe(200);
    expect(await balance()).toBe(QUOTA);
    await set("StripeWebhookSecret", "whsec_mistyped_by_root", true);
  });

  test("a refund is found by asking and booked once, also when its call comes later", async () => {
    const event = refunded();
    expect((await send(event, "whsec_right")).status).toBe(400);
    expect(await balance()).toBe(QUOTA);
    fake.events.push(event);
    await poll();
    await poll();
    expect(await balance()).toBe(0);
    await set("StripeWebhookSecret", "whsec_right", true);
    expect((await send(event, "whsec_right")).status).toBe(200);
    expect(await balance()).toBe(0);
    const entries = await api.database.db.select().from(ledgerEntries).where(eq(ledgerEntries.userId, buyer.id));
    expect(entries.map(({ kind }) => kind)).toEqual(["topup", "reversal"]);
  });

  test("a refund that a call brought is not asked for again", async () => {
    await set("StripeWebhookSecret", "whsec_right", true);
    const event = refunded();
    await send(event, "whsec_right");
    fake.events.push(event);
    expect(await poll()).toBe("0 new");
    expect(await balance()).toBe(0);
  });

  test("a dispute takes back, tells root, and gives back when it is won, in the order in which they happened", async () => {
    fake.events.push(disputed("needs_response", 500));
    await poll();
    expect(await balance()).toBe(0);
    expect(await told("payment_disputed")).toHaveLength(1);
    fake.events.push({ ...disputed("won"), type: "charge.dispute.closed" });
    await poll();
    expect(await balance()).toBe(QUOTA);
  });

  test("one among more than a page of others, of two days ago, is found", async () => {
    fake.events.push(refunded(2 * 86_400));
    for (let i = 0; i < 150; i++) {
      const other = { id: `re_other_${i}`, amount: 1, status: "succeeded", payment_intent: `pi_other_shop_${i}` };
      fake.events.push(eventOf("refund.created", other, 2 * 86_400 - 60));
    }
    await poll();
    expect(await balance()).toBe(0);
  });

  test("Stripe does not answer: nothing is passed over, and the next run finds it", async () => {
    fake.events.push(refunded());
    await set("StripeApiAddress", "http://127.0.0.1:1");
    await expect(poll()).rejects.toThrow("paymentProviderFailed");
    await set("StripeApiAddress", fake.address);
    await poll();
    expect(await balance()).toBe(0);
  });
});

test("after all of this the books agree", async () => {
  expect((await reconcile(api.database.sql)).differences).toEqual([]);
});
