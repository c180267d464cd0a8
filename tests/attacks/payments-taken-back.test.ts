/**
 * Who: a buyer who pays by card, spends the quota, and has the bank or the shop give the money back; an inviter who shares
 * in it. With what: Stripe's refunds and disputes, whole or in part, repeated, reordered, failed or won. What must hold:
 * quota whose money went back is taken back exactly once, also where it is already spent; a balance below zero admits
 * nothing; the books agree.
 */
import { eq } from "drizzle-orm";
import Stripe from "stripe";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as stripeApi from "@/app/api/stripe/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { ledgerEntries, notifications, options, topUps, users } from "@/db/schema";
import { reconcile } from "@/lib/billing/reconcile";
import { seal } from "@/lib/crypto";
import { settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { startFakeStripe } from "@/lib/testing/fake-stripe";
import { call, createPerson, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
const QUOTA = 5_000_000;
const CENTS = 1_500;
let fake: Awaited<ReturnType<typeof startFakeStripe>>;
let events = 0;
let buyers = 0;

const set = (key: string, value: string, sealed = false) =>
  api.database.db
    .insert(options)
    .values({ key, value: sealed ? seal(value) : value, sealed })
    .onConflictDoUpdate({ target: options.key, set: { value: sealed ? seal(value) : value } });

beforeAll(async () => {
  fake = await startFakeStripe();
  await set("StripeApiSecret", "sk_test_right", true);
  await set("StripeWebhookSecret", "whsec_test", true);
  await set("StripeApiAddress", fake.address);
  await set("StripeUnitPrice", "1.5");
  await set("ServerAddress", "https://weir.example");
});
afterAll(() => fake.close());

type Moved = { quota: number; affQuota: number; affHistoryQuota: number };
let buyer: Person;
let tradeNo: string;

async function send(type: string, object: object, id = `evt_${++events}`): Promise<number> {
  const payload = JSON.stringify({ id, object: "event", type, data: { object } });
  const signature = new Stripe("sk_test_right").webhooks.generateTestHeaderString({ payload, secret: "whsec_test" });
  const headers = { "stripe-signature": signature };
  return (await call(stripeApi, "POST /api/stripe/webhook", { body: payload, headers })).status;
}

const pay = (order = tradeNo) =>
  send("checkout.session.completed", {
    id: `cs_${order}`,
    client_reference_id: order,
    amount_total: CENTS,
    currency: "usd",
    payment_status: "paid",
    payment_intent: `pi_${order}`,
  });
const refund = (cents: number, changes: { id?: string; status?: string; type?: string } = {}) =>
  send(changes.type ?? "refund.created", {
    id: changes.id ?? `re_${tradeNo}`,
    amount: cents,
    currency: "usd",
    status: changes.status ?? "succeeded",
    payment_intent: `pi_${tradeNo}`,
  });
const charge = (cents: number) =>
  send("charge.refunded", {
    id: `ch_${tradeNo}`,
    amount_refunded: cents,
    currency: "usd",
    payment_intent: `pi_${tradeNo}`,
  });
const dispute = (type: string, status: string, cents = CENTS) =>
  send(`charge.dispute.${type}`, {
    id: `dp_${tradeNo}`,
    amount: cents,
    currency: "usd",
    status,
    payment_intent: `pi_${tradeNo}`,
  });

async function moved({ id }: { id: number }): Promise<Moved | undefined> {
  const { quota, affQuota, affHistoryQuota } = users;
  const [row] = await api.database.db.select({ quota, affQuota, affHistoryQuota }).from(users).where(eq(users.id, id));
  return row;
}
const balance = async () => (await moved(buyer))?.quota;

async function orderBy(person: Person): Promise<string> {
  const { json } = await call(userApi, "POST /api/user/stripe/pay", { as: person, body: { amount: 10 } });
  return String(json.data.pay_link).split("/").at(-1) ?? "";
}

beforeEach(async () => {
  await set("AffiliateDividendPercent", "0");
  buyer = await createPerson(api.database, `payer${++buyers}`, 1);
  tradeNo = await orderBy(buyer);
});

describe("a refund", () => {
  test("of the whole sum takes all back, once, however often and in whatever events it is reported", async () => {
    expect(await pay()).toBe(200);
    expect(await balance()).toBe(QUOTA);
    const statuses = await Promise.all([refund(CENTS), charge(CENTS), refund(CENTS, { type: "refund.updated" })]);
    expect(statuses).toEqual([200, 200, 200]);
    expect(await refund(CENTS)).toBe(200);
    expect(await balance()).toBe(0);
    const entries = await api.database.db.select().from(ledgerEntries).where(eq(ledgerEntries.userId, buyer.id));
    expect(entries.map(({ kind, amount }) => [kind, amount])).toEqual([
      ["topup", QUOTA],
      ["reversal", -QUOTA],
    ]);
  });

  test("of a part takes back in proportion, and the parts of three thirds are exactly the whole", async () => {
    await pay();
    await refund(500, { id: `re_1_${tradeNo}` });
    expect(await balance()).toBe(QUOTA - 1_666_667);
    await charge(1_000);
    expect(await balance()).toBe(QUOTA - 3_333_333);
    await refund(500, { id: `re_2_${tradeNo}` });
    expect(await balance()).toBe(QUOTA - 3_333_333);
    await refund(500, { id: `re_3_${tradeNo}` });
    expect(await balance()).toBe(0);
    await charge(CENTS);
    expect(await balance()).toBe(0);
  });

  test("that fails gives the quota back, and an older report of it that comes late changes nothing", async () => {
    await pay();
    await refund(CENTS, { status: "pending" });
    await charge(CENTS);
    expect(await balance()).toBe(0);
    await refund(CENTS, { status: "failed", type: "refund.failed" });
    expect(await balance()).toBe(QUOTA);
    await refund(CENTS, { status: "pending", type: "refund.updated" });
    await charge(CENTS);
    expect(await balance()).toBe(QUOTA);
  });

  test("reported before the payment is taken back when the payment is credited", async () => {
    fake.paid.add(tradeNo);
    expect(await refund(CENTS)).toBe(200);
    expect(await balance()).toBe(0);
    await pay();
    expect(await balance()).toBe(0);
  });

  test("of a payment from before payments were stored is found by asking Stripe", async () => {
    await pay();
    await api.database.db.update(topUps).set({ paymentReference: "" }).where(eq(topUps.tradeNo, tradeNo));
    await refund(CENTS);
    expect(await balance()).toBe(0);
  });

  test("in another currency, or of another business of the account, books nothing", async () => {
    await pay();
    const odd = { id: "re_odd", amount: CENTS, currency: "eur", status: "succeeded", payment_intent: `pi_${tradeNo}` };
    expect(await send("refund.created", odd)).toBe(409);
    expect(await send("refund.created", { ...odd, currency: "usd", payment_intent: "pi_other_shop" })).toBe(200);
    expect(await send("refund.created", { ...odd, currency: "usd", payment_intent: null })).toBe(200);
    expect(await balance()).toBe(QUOTA);
  });
});

describe("a dispute", () => {
  test("takes back at once, stays when it is lost, and root is told", async () => {
    await pay();
    await dispute("created", "needs_response");
    expect(await balance()).toBe(0);
    await dispute("closed", "lost");
    await dispute("updated", "under_review");
    expect(await balance()).toBe(0);
    const told = await api.database.db.select().from(notifications).where(eq(notifications.userId, api.root.id));
    expect(told.filter(({ event }) => event === "payment_disputed").length).toBeGreaterThan(0);
  });

  test("that is won gives back, also when its beginning is reported again afterwards", async () => {
    await pay();
    await dispute("created", "needs_response");
    await dispute("closed", "won");
    expect(await balance()).toBe(QUOTA);
    await dispute("created", "needs_response");
    expect(await balance()).toBe(QUOTA);
  });

  test("that is only announced takes nothing, and one after a refund never more than was credited", async () => {
    await pay();
    await dispute("created", "warning_needs_response");
    expect(await balance()).toBe(QUOTA);
    await refund(1_000);
    await dispute("updated", "needs_response", CENTS);
    expect(await balance()).toBe(0);
  });
});

test("quota that is already spent leaves a balance below zero, which admits no request on any gateway", async () => {
  await pay();
  const gateway = await startBillingProcess(api.database.url);
  const reserve = () => gateway.leaseBook.reserve({ userId: buyer.id, tokenId: null, amount: 1_000 });
  const held = await reserve();
  expect(held).not.toHaveProperty("refused");
  await gateway.settler.settle(settlementOf({ userId: buyer.id, quota: 4_000_000 }));
  await refund(CENTS);
  expect(await balance()).toBe(-4_000_000);
  expect(await reserve()).toMatchObject({ refused: expect.anything() });
  await gateway.stop();
});

describe("the inviter's share", () => {
  let inviter: Person;
  beforeEach(async () => {
    await set("AffiliateDividendPercent", "10");
    inviter = await createPerson(api.database, `inviter${buyers}`, 1);
    await api.database.db.update(users).set({ inviterId: inviter.id }).where(eq(users.id, buyer.id));
  });

  test("is taken back in proportion from the pending earnings, and comes back with a dispute that is won", async () => {
    await pay();
    expect(await moved(inviter)).toEqual({ quota: 0, affQuota: 500_000, affHistoryQuota: 500_000 });
    await dispute("created", "needs_response", 750);
    expect(await moved(inviter)).toEqual({ quota: 0, affQuota: 250_000, affHistoryQuota: 500_000 });
    await dispute("closed", "won", 750);
    expect(await moved(inviter)).toEqual({ quota: 0, affQuota: 500_000, affHistoryQuota: 500_000 });
  });

  test("is taken from the balance where it was already moved there", async () => {
    await pay();
    await call(userApi, "POST /api/user/aff_transfer", { as: inviter, body: { quota: 500_000 } });
    expect(await moved(inviter)).toMatchObject({ quota: 500_000, affQuota: 0 });
    await refund(CENTS);
    await refund(CENTS);
    expect(await moved(inviter)).toMatchObject({ quota: 0, affQuota: 0 });
  });
});

test("after all of this the books agree", async () => {
  expect((await reconcile(api.database.sql)).differences).toEqual([]);
});
