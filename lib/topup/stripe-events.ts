import type Stripe from "stripe";
import type { ReversalReport } from "./types";

type Payment = {
  type: "payment";
  session: string;
  tradeNo: string;
  cents: number | null;
  currency: string | null;
  status: string;
  paymentReference: string;
};

export type StripeReport = Payment | ({ type: "reversal"; paymentReference: string } & ReversalReport);

/** Disputes that are only announced move no money yet; a real dispute of the payment follows as another status. */
const DISPUTE_STATES: Record<string, ReversalReport["state"] | null> = {
  needs_response: "open",
  under_review: "open",
  lost: "final",
  won: "void",
  prevented: "void",
  warning_closed: "void",
  warning_needs_response: null,
  warning_under_review: null,
};

/** The events that `readStripeReport` takes for refunds and disputes. */
export const STRIPE_REVERSALS = [
  "charge.refunded",
  "refund.created",
  "refund.updated",
  "refund.failed",
  "charge.refund.updated",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
  "charge.dispute.funds_withdrawn",
  "charge.dispute.funds_reinstated",
] as const;

/** What an event says about an order's payment; null for an event that says nothing about one. */
export function readStripeReport(event: Stripe.Event): StripeReport | null {
  switch (event.type) {
    case "checkout.session.completed":
    case "checkout.session.async_payment_succeeded":
      return paymentOf(event.data.object);
    case "charge.refunded": {
      const { id, amount_refunded: cents, payment_intent: payment, currency } = event.data.object;
      return { ...reversalOf(payment, currency), reversalId: id, kind: "charge", cents, state: "open" };
    }
    case "refund.created":
    case "refund.updated":
    case "refund.failed":
    case "charge.refund.updated": {
      const { id, amount: cents, status, payment_intent: payment, currency } = event.data.object;
      const state = status === "failed" || status === "canceled" ? "void" : "open";
      return { ...reversalOf(payment, currency), reversalId: id, kind: "refund", cents, state };
    }
    case "charge.dispute.created":
    case "charge.dispute.updated":
    case "charge.dispute.closed":
    case "charge.dispute.funds_withdrawn":
    case "charge.dispute.funds_reinstated": {
      const { id, amount: cents, status, payment_intent: payment, currency } = event.data.object;
      const state = DISPUTE_STATES[status] ?? null;
      return state && { ...reversalOf(payment, currency), reversalId: id, kind: "dispute", cents, state };
    }
    default:
      return null;
  }
}

export function paymentOf(session: Stripe.Checkout.Session): Payment {
  const { id, client_reference_id: reference, amount_total: cents, currency, payment_status: status } = session;
  const paymentReference = idOf(session.payment_intent);
  return { type: "payment", session: id, tradeNo: reference ?? "", cents, currency, status, paymentReference };
}

function reversalOf(payment: string | { id: string } | null, currency: string) {
  return { type: "reversal", paymentReference: idOf(payment), currency } as const;
}

function idOf(payment: string | { id: string } | null | undefined): string {
  return typeof payment === "string" ? payment : (payment?.id ?? "");
}
