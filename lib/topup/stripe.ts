import type Stripe from "stripe";
import { hasOutgoingProxy, outgoingAgent } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import { paymentOf } from "./stripe-events";

/** The configured Stripe account. */
export type StripeAccount = { apiSecret: string; webhookSecret: string; apiAddress: string };

type StripeOptions = { StripeApiSecret: string; StripeWebhookSecret: string; StripeApiAddress: string };

export function stripeAccount(options: StripeOptions): StripeAccount | null {
  const { StripeApiSecret: apiSecret, StripeWebhookSecret: webhookSecret, StripeApiAddress: apiAddress } = options;
  return apiSecret && webhookSecret ? { apiSecret, webhookSecret, apiAddress } : null;
}

const TIMEOUT_MS = 10_000;

/** Most sites take no cards, so the library is loaded with the first question. */
async function client(account: StripeAccount): Promise<Stripe> {
  const { apiSecret, apiAddress } = account;
  const url = apiAddress === "" ? null : new URL(apiAddress);
  const address = url && {
    host: url.hostname,
    port: url.port || (url.protocol === "https:" ? 443 : 80),
    protocol: url.protocol === "http:" ? ("http" as const) : ("https" as const),
  };
  // Without an agent the library has one of its own for all its clients.
  const agent = hasOutgoingProxy() ? { httpAgent: outgoingAgent(`${address?.protocol ?? "https"}:`, TIMEOUT_MS) } : {};
  const { default: StripeClient } = await import("stripe");
  return new StripeClient(apiSecret, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 1,
    telemetry: false,
    ...address,
    ...agent,
  });
}

export type CheckoutOrder = {
  tradeNo: string;
  cents: number;
  currency: string;
  title: string;
  returnUrl: string;
};

/**
 * Creates a Checkout page for an order; returns its URL and the session's id. The order's number is the idempotency key,
 * so a repeated call returns the same page. Throws upstream.
 */
export async function createCheckout(
  account: StripeAccount,
  order: CheckoutOrder,
): Promise<{ url: string; session: string }> {
  const { tradeNo, cents, currency, title, returnUrl } = order;
  try {
    const session = await (await client(account)).checkout.sessions.create(
      {
        mode: "payment",
        client_reference_id: tradeNo,
        metadata: { trade_no: tradeNo },
        line_items: [{ quantity: 1, price_data: { currency, unit_amount: cents, product_data: { name: title } } }],
        success_url: `${returnUrl}?paid=${tradeNo}`,
        cancel_url: returnUrl,
      },
      { idempotencyKey: tradeNo },
    );
    if (!session.url) throw new Error("no address in the answer");
    return { url: session.url, session: session.id };
  } catch (error) {
    throw new AppError("upstream", "paymentProviderFailed", {}, error);
  }
}

/** The verified event of a webhook call; null = the signature is wrong or too old. */
export async function readStripeEvent(
  account: StripeAccount,
  body: string,
  signature: string,
): Promise<Stripe.Event | null> {
  const { webhooks } = await client(account);
  try {
    return webhooks.constructEvent(body, signature, account.webhookSecret);
  } catch {
    return null;
  }
}

/** Events of these types and this time, oldest first; `isWhole` = there are no more. Throws upstream. */
export async function listStripeEvents(
  account: StripeAccount,
  { types, from, until, max }: { types: readonly string[]; from: number; until: number; max: number },
): Promise<{ events: Stripe.Event[]; isWhole: boolean }> {
  const events: Stripe.Event[] = [];
  try {
    const created = { gte: from, lte: until };
    for await (const event of (await client(account)).events.list({ types: [...types], created, limit: 100 })) {
      if (events.length === max) return { events: events.reverse(), isWhole: false };
      events.push(event);
    }
    return { events: events.reverse(), isWhole: true };
  } catch (error) {
    throw new AppError("upstream", "paymentProviderFailed", {}, error);
  }
}

/** Asks Stripe about a Checkout session. Returns its payment, or null while it is unpaid. Throws upstream. */
export async function askStripe(
  account: StripeAccount,
  session: string,
): Promise<{ tradeNo: string; cents: number; currency: string; paymentReference: string } | null> {
  try {
    const { tradeNo, cents, currency, status, paymentReference } = paymentOf(
      await (await client(account)).checkout.sessions.retrieve(session),
    );
    if (status !== "paid" || cents === null || currency === null) return null;
    return { tradeNo, cents, currency, paymentReference };
  } catch (error) {
    throw new AppError("upstream", "paymentProviderFailed", {}, error);
  }
}

/** The trade number of the order that a payment was for; "" when it was for none of ours. Throws upstream. */
export async function findStripeOrder(account: StripeAccount, paymentIntent: string): Promise<string> {
  try {
    const found = await (await client(account)).checkout.sessions.list({ payment_intent: paymentIntent, limit: 1 });
    return found.data[0]?.client_reference_id ?? "";
  } catch (error) {
    throw new AppError("upstream", "paymentProviderFailed", {}, error);
  }
}
