import { and, eq, inArray, sql } from "drizzle-orm";
import { type Database, databaseOf, type Sql } from "@/db/client";
import { topUps, users } from "@/db/schema";
import { payDividend } from "@/lib/affiliate/commands";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { nowSeconds } from "@/lib/clock";
import { randomAlphanumeric } from "@/lib/crypto";
import { tellCredit } from "@/lib/notify/account-commands";
import { LOG_TYPE } from "@/lib/row-status";
import { writeLogEvent } from "@/lib/usage-log/event-commands";
import { formatCents, type Payable } from "./payable";
import { applyReversals, lockWithInviter } from "./reversal-commands";
import { type Credit, ORDER_STATUS, type PaymentProvider } from "./types";

/** An unpaid order expires after this; a late payment is still credited. */
export const ORDER_LIFETIME_SECONDS = 3 * 3_600;

export type NewOrder = {
  userId: number;
  amount: number;
  payable: Payable;
  currency: string;
  provider: PaymentProvider;
  method: string;
};

/** Creates a pending order; returns its trade number `USR<id>NO<6 random><unix>`. */
export async function createOrder(db: Database, order: NewOrder): Promise<string> {
  const { userId, amount, payable, currency, provider, method } = order;
  const tradeNo = `USR${userId}NO${randomAlphanumeric(6)}${nowSeconds()}`;
  await db.insert(topUps).values({
    userId,
    amount,
    money: payable.cents / 100,
    quota: payable.quota,
    currency,
    provider,
    paymentMethod: method,
    tradeNo,
  });
  return tradeNo;
}

export type Paid = {
  tradeNo: string;
  provider: PaymentProvider;
  /** The paid amount, in hundredths. */
  cents: number;
  /** Checked where the provider sends one. */
  currency?: string;
  /** The provider's id of the payment, where refunds and disputes name it. */
  paymentReference?: string;
};

/**
 * Credits a paid order exactly once: a conditional update marks the order in the transaction that writes the ledger
 * entry, the log row and the inviter's share. The paid amount must equal the order's.
 */
export async function creditOrder(db: Database, paid: Paid): Promise<Credit> {
  return db.transaction(async (tx) => {
    const [order] = await tx.select().from(topUps).where(eq(topUps.tradeNo, paid.tradeNo)).for("update");
    if (!order || order.provider !== paid.provider) return { outcome: "refused", reason: "order unknown" };
    if (order.status === ORDER_STATUS.success) return { outcome: "ignored", reason: "credited before" };
    const cents = Math.round(order.money * 100);
    if (cents !== paid.cents) {
      return { outcome: "refused", reason: `paid ${formatCents(paid.cents)}, the order is ${formatCents(cents)}` };
    }
    if (paid.currency !== undefined && paid.currency.toLowerCase() !== order.currency.toLowerCase()) {
      return { outcome: "refused", reason: `paid in ${paid.currency}, the order is in ${order.currency}` };
    }
    await lockWithInviter(tx, order.userId);
    const { paymentReference = "" } = paid;
    await tx
      .update(topUps)
      .set({ status: ORDER_STATUS.success, completeTime: nowSeconds(), paymentReference })
      .where(
        and(
          eq(topUps.id, order.id),
          eq(topUps.userId, order.userId),
          inArray(topUps.status, [ORDER_STATUS.pending, ORDER_STATUS.expired]),
        ),
      );
    const { userId, quota, tradeNo } = order;
    await lockWithInviter(tx, userId);
    // On record where it cannot be changed: the check of the books compares the order with it.
    const note = `${formatCents(cents)} ${order.currency}`.trim();
    const reference = `topup:${tradeNo}`;
    await postLedgerEntry(tx, { userId, amount: quota, kind: "topup", reference, actorId: null, note });
    await writeLogEvent(tx, {
      userId,
      type: LOG_TYPE.topup,
      event: "toppedUp",
      params: { quota, money: formatCents(cents), currency: order.currency, tradeNo },
      content: `在线充值成功，充值额度 ${quota}，支付金额 ${formatCents(cents)} ${order.currency}`,
      quota,
    });
    await tellCredit(tx, { userId, event: "topped_up", amount: quota, reference: `topup:${tradeNo}` });
    await payDividend(tx, { topUpId: order.id, inviteeId: userId, quota });
    // A refund can be reported before its payment.
    await applyReversals(tx, { ...order, status: ORDER_STATUS.success }, "credited");
    return { outcome: "credited", reason: "" };
  });
}

/** Stores the provider's id of an order, by which it can be asked about. */
export async function setProviderReference(db: Database, tradeNo: string, providerReference: string): Promise<void> {
  await db.update(topUps).set({ providerReference }).where(eq(topUps.tradeNo, tradeNo));
}

/** Marks overdue unpaid orders as expired; returns how many. */
export async function expireOrders(db: Database): Promise<number> {
  const rows = await db
    .update(topUps)
    .set({ status: ORDER_STATUS.expired })
    .where(
      and(
        eq(topUps.status, ORDER_STATUS.pending),
        sql`${topUps.createTime} < ${nowSeconds() - ORDER_LIFETIME_SECONDS}`,
      ),
    )
    .returning({ id: topUps.id });
  return rows.length;
}

/** The same for a job. */
export function expireOrdersBy(sql: Sql): Promise<number> {
  return expireOrders(databaseOf(sql));
}

/** The group whose top-up ratio applies. Read from the database, because the session's may be out of date. */
export async function readGroup(db: Database, userId: number): Promise<string> {
  const [row] = await db.select({ group: users.group }).from(users).where(eq(users.id, userId));
  return row?.group ?? "default";
}
