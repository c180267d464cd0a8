import { eq, sql } from "drizzle-orm";
import type Stripe from "stripe";
import { z } from "zod";
import type { Database } from "@/db/client";
import { paymentCallbacks, topUps } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { epayMerchant, isSignedByEpay } from "./epay";
import { creditOrder, type Paid } from "./order-commands";
import { readCents } from "./payable";
import { bookReversal } from "./reversal-commands";
import { findStripeOrder, readStripeEvent, type StripeAccount, stripeAccount } from "./stripe";
import { readStripeReport, type StripeReport } from "./stripe-events";
import type { Credit } from "./types";
import { keepUnsigned } from "./unsigned-call-commands";

/** Longest stored field of a callback. */
const FIELD_MAX = 500;

export type Received = {
  provider: "epay" | "stripe";
  eventId: string | null;
  tradeNo: string;
  payload: Record<string, unknown>;
  clientIp: string;
};

/** A payment reported by a callback, stored so that crediting it can be retried. */
type StoredPayment = { tradeNo: string; cents: number; currency?: string; paymentReference?: string };

/**
 * Handles epay's report of a payment: checks signature, merchant, state and amount, then credits the order. Returns
 * true to answer "success", so that epay stops calling, else false for "fail". Every signed call is stored for the
 * operator.
 */
export async function receiveEpayNotify(
  db: Database,
  fields: Record<string, string>,
  clientIp: string,
): Promise<boolean> {
  const merchant = epayMerchant(await loadOptions(db));
  if (!merchant) return false;
  if (!isSignedByEpay(fields, merchant.key)) {
    const { trade_no: id = "", trade_status: type = "" } = fields;
    await keepUnsigned(db, { provider: "epay", id, type, clientIp });
    return false;
  }
  const { sign: _sign, ...kept } = fields;
  const payload = Object.fromEntries(Object.entries(kept).map(([name, value]) => [name, value.slice(0, FIELD_MAX)]));
  const tradeNo = fields.out_trade_no ?? "";
  const state = fields.trade_status ?? "";
  // The payment gateway repeats a call until it gets "success": one row for each state of a payment.
  const eventId = `${fields.trade_no ?? ""}:${tradeNo}:${state}`.slice(0, FIELD_MAX);
  const received: Received = { provider: "epay", eventId, tradeNo, payload, clientIp };
  if (fields.pid !== merchant.id) return keep(db, received, { outcome: "refused", reason: "another merchant's" });
  if (state !== "TRADE_SUCCESS") return keep(db, received, { outcome: "ignored", reason: `state ${state}` });
  const cents = readCents(fields.money ?? "");
  if (cents === null) return keep(db, received, { outcome: "refused", reason: "the sum is not a sum" });
  return creditReported(db, received, { tradeNo, cents });
}

/** Stripe's webhook. Throws forbidden on a wrong signature, unavailable when Stripe is not configured. */
export async function receiveStripeWebhook(
  db: Database,
  call: { body: string; signature: string; clientIp: string },
): Promise<boolean> {
  const account = stripeAccount(await loadOptions(db));
  if (!account) throw new AppError("unavailable", "topUpNotEnabled");
  const event = await readStripeEvent(account, call.body, call.signature);
  if (!event) {
    await keepUnsigned(db, { provider: "stripe", ...claimsOf(call.body), clientIp: call.clientIp });
    throw new AppError("forbidden", "paymentSignatureInvalid");
  }
  return receiveStripeEvent(db, account, event, call.clientIp);
}

/** What an unsigned call says it is; it proves nothing. */
function claimsOf(body: string): { id: string; type: string } {
  const claims = z.object({ id: z.string(), type: z.string() }).partial();
  try {
    const { id = "", type = "" } = claims.parse(JSON.parse(body));
    return { id, type };
  } catch {
    return { id: "", type: "" };
  }
}

/** Books what an event of Stripe's says, whichever way it came. Returns true unless it should come again. */
export async function receiveStripeEvent(
  db: Database,
  account: StripeAccount,
  event: Stripe.Event,
  clientIp: string,
): Promise<boolean> {
  const report = readStripeReport(event);
  if (!report) return true;
  const { type, ...fields } = report;
  const received = { provider: "stripe", eventId: event.id, clientIp } as const;
  const payload = { type: event.type, ...fields };
  if (type === "reversal") return reverse(db, account, { ...received, tradeNo: "", payload }, report);
  const { tradeNo, cents, currency, status, paymentReference } = report;
  const paid = { ...received, tradeNo, payload };
  if (status !== "paid") return keep(db, paid, { outcome: "ignored", reason: `payment ${status}` });
  if (cents === null || currency === null) return keep(db, paid, { outcome: "refused", reason: "no sum" });
  return creditReported(db, paid, { tradeNo, cents, currency, paymentReference });
}

/** Refunds and disputes name the payment; the order is found by it, or by asking Stripe for orders older than the column. */
async function reverse(
  db: Database,
  account: StripeAccount,
  received: Received & { eventId: string },
  { type: _type, paymentReference, ...report }: Extract<StripeReport, { type: "reversal" }>,
): Promise<boolean> {
  let call: Received = received;
  try {
    const known = await findTradeNo(db, paymentReference);
    const tradeNo = known ?? (paymentReference === "" ? "" : await findStripeOrder(account, paymentReference));
    call = { ...received, tradeNo };
    const { eventId, provider } = received;
    return await keep(db, call, await bookReversal(db, { ...report, provider, tradeNo, eventId }));
  } catch (error) {
    logger.error({ err: error, paymentReference }, "a refund or dispute could not be booked");
    await keep(db, call, { outcome: "failed", reason: "fault while crediting" });
    return false;
  }
}

async function findTradeNo(db: Database, paymentReference: string): Promise<string | null> {
  if (paymentReference === "") return null;
  const [row] = await db
    .select({ tradeNo: topUps.tradeNo })
    .from(topUps)
    .where(eq(topUps.paymentReference, paymentReference));
  return row?.tradeNo ?? null;
}

/** Credits a verified payment and stores the call. Returns true unless the provider should send it again. */
export async function creditReported(db: Database, received: Received, paid: StoredPayment): Promise<boolean> {
  const call = { ...received, payload: { ...received.payload, paid } };
  try {
    return await keep(db, call, await creditOrder(db, { ...paid, provider: received.provider }));
  } catch (error) {
    logger.error({ err: error, tradeNo: paid.tradeNo }, "a payment could not be credited");
    await keep(db, call, { outcome: "failed", reason: "fault while crediting" });
    return false;
  }
}

type Outcome = Credit | { outcome: "failed"; reason: string };

/** Stores the call with its result. Returns true unless the provider should send it again. */
async function keep(db: Database, received: Received, { outcome, reason }: Outcome): Promise<boolean> {
  const { provider, eventId, tradeNo, payload, clientIp } = received;
  const handledAt = outcome === "failed" ? null : nowSeconds();
  await db
    .insert(paymentCallbacks)
    .values({ provider, eventId, tradeNo: tradeNo.slice(0, 64), payload, outcome, reason, clientIp, handledAt })
    .onConflictDoUpdate({
      target: [paymentCallbacks.provider, paymentCallbacks.eventId],
      set: {
        attempts: sql`${paymentCallbacks.attempts} + 1`,
        // A repeated call does not overwrite "credited".
        outcome: sql`case when ${paymentCallbacks.outcome} = 'credited' then 'credited' else ${outcome} end`,
        reason: sql`case when ${paymentCallbacks.outcome} = 'credited' then ${paymentCallbacks.reason} else ${reason} end`,
        handledAt: sql`coalesce(${paymentCallbacks.handledAt}, ${handledAt}::bigint)`,
      },
    });
  return outcome === "credited" || outcome === "ignored";
}

/**
 * Retries crediting a verified payment (root), e.g. after a server error. A credited order is not credited again.
 * Throws not_found, conflict when the call reported no payment.
 */
export async function redriveCallback(ctx: ServiceContext, id: number): Promise<Credit> {
  requireRole(ctx, ROLE.root);
  const [row] = await ctx.db.select().from(paymentCallbacks).where(eq(paymentCallbacks.id, id));
  if (!row) throw new AppError("not_found", "callbackNotFound");
  const paid = storedPayment(row.payload);
  if (!paid || (row.provider !== "epay" && row.provider !== "stripe"))
    throw new AppError("conflict", "callbackNotRedrivable");
  const payment: Paid = { ...paid, provider: row.provider };
  const result = await creditOrder(ctx.db, payment);
  await ctx.db.transaction(async (tx) => {
    const credited = row.outcome === "credited" || result.outcome === "credited";
    await tx
      .update(paymentCallbacks)
      .set({
        outcome: credited ? "credited" : result.outcome,
        reason: result.reason,
        attempts: sql`${paymentCallbacks.attempts} + 1`,
        handledAt: nowSeconds(),
      })
      .where(eq(paymentCallbacks.id, id));
    await writeAudit(tx, ctx, {
      action: "payment.redrive",
      subject: `payment-callback:${id}`,
      before: { outcome: row.outcome },
      after: result,
    });
  });
  return result;
}

function storedPayment(payload: unknown): StoredPayment | null {
  if (typeof payload !== "object" || payload === null || !("paid" in payload)) return null;
  const { paid } = payload;
  if (typeof paid !== "object" || paid === null || !("tradeNo" in paid) || !("cents" in paid)) return null;
  const { tradeNo, cents } = paid;
  if (typeof tradeNo !== "string" || typeof cents !== "number") return null;
  const currency = "currency" in paid && typeof paid.currency === "string" ? { currency: paid.currency } : {};
  const { paymentReference: payment } = { paymentReference: undefined as unknown, ...paid };
  return { tradeNo, cents, ...currency, ...(typeof payment === "string" ? { paymentReference: payment } : {}) };
}
