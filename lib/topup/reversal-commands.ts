import { and, eq, inArray, or, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { paymentReversals, topUps, users } from "@/db/schema";
import { takeBackDividend } from "@/lib/affiliate/dividend-commands";
import { divideRounding } from "@/lib/billing/decimal";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { nowSeconds } from "@/lib/clock";
import { tellReversal } from "@/lib/notify/account-commands";
import { notifyRoots } from "@/lib/notify/notify-commands";
import { LOG_TYPE } from "@/lib/row-status";
import { writeLogEvent } from "@/lib/usage-log/event-commands";
import { formatCents } from "./payable";
import { type Credit, ORDER_STATUS, type PaymentProvider, type ReversalReport } from "./types";

/** The order of all locks on accounts is by ascending id (lib/billing/README.md); an inviter can have the higher one. */
export async function lockWithInviter(tx: Database, userId: number): Promise<void> {
  const inviter = tx.select({ id: users.inviterId }).from(users).where(eq(users.id, userId));
  await tx
    .select({ id: users.id })
    .from(users)
    .where(or(eq(users.id, userId), inArray(users.id, inviter)))
    .orderBy(users.id)
    .for("no key update");
}

type Order = typeof topUps.$inferSelect;
export type Reversal = ReversalReport & { provider: PaymentProvider; tradeNo: string; eventId: string };

/**
 * Books what a refund or dispute takes back of an order, or what comes back when it fails or is won. The provider's
 * latest word is kept per refund and dispute, and the order is brought to their sum: the same report twice, or an older
 * one late, changes nothing. The balance may become negative; requests are then refused until it is paid.
 */
export async function bookReversal(db: Database, reversal: Reversal): Promise<Credit> {
  return db.transaction(async (tx) => {
    const [order] = await tx.select().from(topUps).where(eq(topUps.tradeNo, reversal.tradeNo)).for("update");
    // The provider's account may have other uses.
    if (!order || order.provider !== reversal.provider) return { outcome: "ignored", reason: "order unknown" };
    if (reversal.currency.toLowerCase() !== order.currency.toLowerCase()) {
      return { outcome: "refused", reason: `paid in ${reversal.currency}, the order is in ${order.currency}` };
    }
    await keepReport(tx, reversal);
    if (reversal.kind === "dispute" && reversal.state === "open") await tellRoots(tx, order, reversal);
    return applyReversals(tx, order, reversal.eventId);
  });
}

async function keepReport(tx: Database, reversal: Reversal): Promise<void> {
  const { provider, reversalId, kind, tradeNo, cents, state } = reversal;
  const known = paymentReversals;
  await tx
    .insert(known)
    .values({ provider, reversalId, kind, tradeNo, cents, state })
    .onConflictDoUpdate({
      target: [known.provider, known.reversalId],
      // A charge's sum of refunds only grows; what fails is subtracted by the refund itself.
      set: {
        cents: kind === "charge" ? sql`greatest(${known.cents}, excluded.cents)` : sql`excluded.cents`,
        state: sql`excluded.state`,
        updatedAt: nowSeconds(),
      },
      setWhere: eq(known.state, "open"),
    });
}

/** Brings an order, locked by the caller, to the sum of its refunds and disputes. An unpaid one has nothing to take back yet. */
export async function applyReversals(tx: Database, order: Order, cause: string): Promise<Credit> {
  if (order.status !== ORDER_STATUS.success) return { outcome: "ignored", reason: "order not credited" };
  const total = Math.round(order.money * 100);
  const reversedCents = Math.min(total, await sumReversals(tx, order.tradeNo));
  const reversedQuota =
    total === 0 ? 0 : Number(divideRounding(BigInt(order.quota) * BigInt(reversedCents), BigInt(total)));
  const amount = order.reversedQuota - reversedQuota;
  if (amount === 0 && reversedCents === order.reversedCents) return { outcome: "ignored", reason: "booked before" };
  await lockWithInviter(tx, order.userId);
  await tx
    .update(topUps)
    .set({ reversedCents, reversedQuota })
    .where(and(eq(topUps.id, order.id), eq(topUps.userId, order.userId)));
  if (amount !== 0) await bookChange(tx, order, { amount, cents: reversedCents - order.reversedCents, cause });
  await takeBackDividend(tx, { topUpId: order.id, quota: order.quota, reversedQuota, cause });
  return { outcome: "credited", reason: "" };
}

async function sumReversals(tx: Database, tradeNo: string): Promise<number> {
  const sums = { refund: 0, failed: 0, charge: 0, dispute: 0 };
  for (const { kind, cents, state } of await tx
    .select()
    .from(paymentReversals)
    .where(and(eq(paymentReversals.tradeNo, tradeNo)))) {
    if (kind === "refund") sums[state === "void" ? "failed" : "refund"] += cents;
    else if (kind === "charge") sums.charge += cents;
    else if (state !== "void") sums.dispute += cents;
  }
  // An account may report refunds one by one, as the charge's sum, or both.
  return Math.max(sums.refund, sums.charge - sums.failed) + sums.dispute;
}

type Change = { amount: number; cents: number; cause: string };

async function bookChange(tx: Database, order: Order, { amount, cents, cause }: Change): Promise<void> {
  const { userId, tradeNo, currency } = order;
  const reference = `reversal:${tradeNo}:${cause}`;
  await postLedgerEntry(tx, { userId, amount, kind: "reversal", reference, actorId: null });
  const money = formatCents(Math.abs(cents));
  const isLoss = amount < 0;
  await writeLogEvent(tx, {
    userId,
    type: LOG_TYPE.topup,
    event: isLoss ? "paymentTakenBack" : "paymentReturned",
    params: { quota: Math.abs(amount), money, currency, tradeNo },
    content: `${isLoss ? "付款已退款或有争议，扣回" : "退款失败或争议胜诉，恢复"}额度 ${Math.abs(amount)}，金额 ${money} ${currency}`,
    quota: amount,
  });
  await tellReversal(tx, { userId, amount, reference });
}

async function tellRoots(tx: Database, { userId, tradeNo, currency }: Order, { reversalId, cents }: Reversal) {
  await notifyRoots(tx, {
    event: "payment_disputed",
    params: { order: tradeNo, user: userId, money: `${formatCents(cents)} ${currency.toUpperCase()}` },
    dedupeKey: `dispute:${reversalId}`,
  });
}
