import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import { confirmedAddress } from "@/lib/request/public-address";
import { parseInput } from "@/lib/validation";
import { epayForm, epayMerchant } from "./epay";
import { createOrder, readGroup, setProviderReference } from "./order-commands";
import { formatCents, minimumAmount, type Payable, type PriceRule, payableFor } from "./payable";
import { amountSchema, type PayWithEpayInput, payWithEpaySchema } from "./schemas";
import { createCheckout, stripeAccount } from "./stripe";

/** The smallest payable amount. */
const CENTS_MIN = 1;

function epayRule(options: OptionValues, group: string): PriceRule {
  return {
    inCurrency: options.DisplayInCurrencyEnabled,
    quotaPerUnit: options.QuotaPerUnit,
    price: options.Price,
    groupRatio: options.TopupGroupRatio[group],
    minUnits: options.MinTopUp,
  };
}

function stripeRule(options: OptionValues, group: string): PriceRule {
  return { ...epayRule(options, group), price: options.StripeUnitPrice, minUnits: options.StripeMinTopUp };
}

function quote(amount: number, rule: PriceRule): Payable {
  const minimum = minimumAmount(rule);
  if (amount < minimum) throw new AppError("invalid", "topUpBelowMinimum", { minimum });
  const payable = payableFor(amount, rule);
  if (payable.cents < CENTS_MIN) throw new AppError("invalid", "topUpTooSmall");
  return payable;
}

/** The price of an amount for the current user, with two decimals (contract §1.6). Throws invalid below the minimum. */
export async function quoteTopUp(ctx: ServiceContext, input: { amount: number }): Promise<string> {
  const actor = requireRole(ctx, ROLE.user);
  const { amount } = parseInput(amountSchema, input);
  const options = await loadOptions(ctx.db);
  return formatCents(quote(amount, epayRule(options, await readGroup(ctx.db, actor.id))).cents);
}

/** The same for a card payment. */
export async function quoteStripe(ctx: ServiceContext, input: { amount: number }): Promise<string> {
  const actor = requireRole(ctx, ROLE.user);
  const { amount } = parseInput(amountSchema, input);
  const options = await loadOptions(ctx.db);
  return formatCents(quote(amount, stripeRule(options, await readGroup(ctx.db, actor.id))).cents);
}

/**
 * Creates an order and the signed form that the browser posts to epay. The balance changes only when epay reports the
 * payment. Throws unavailable while online top-up is not configured.
 */
export async function payWithEpay(
  ctx: ServiceContext,
  input: PayWithEpayInput,
): Promise<{ url: string; fields: Record<string, string> }> {
  const actor = requireRole(ctx, ROLE.user);
  const { amount, method } = parseInput(payWithEpaySchema, input);
  const options = await loadOptions(ctx.db);
  const merchant = epayMerchant(options);
  if (!merchant) throw new AppError("unavailable", "topUpNotEnabled");
  const site = confirmedAddress(options);
  const payable = quote(amount, epayRule(options, await readGroup(ctx.db, actor.id)));
  const order = { userId: actor.id, amount, payable, currency: "CNY", provider: "epay", method } as const;
  const tradeNo = await createOrder(ctx.db, order);
  const callbackBase = options.CustomCallbackAddress || site;
  return epayForm(merchant, {
    tradeNo,
    amount,
    money: formatCents(payable.cents),
    method,
    notifyUrl: `${callbackBase}/api/user/epay/notify`,
    returnUrl: `${site}/log`,
  });
}

/** Creates an order and its Stripe Checkout page; returns the page's URL. Throws unavailable, upstream. */
export async function payWithStripe(ctx: ServiceContext, input: { amount: number }): Promise<string> {
  const actor = requireRole(ctx, ROLE.user);
  const { amount } = parseInput(amountSchema, input);
  const options = await loadOptions(ctx.db);
  const account = stripeAccount(options);
  if (!account) throw new AppError("unavailable", "topUpNotEnabled");
  const site = confirmedAddress(options);
  const payable = quote(amount, stripeRule(options, await readGroup(ctx.db, actor.id)));
  const { StripeCurrency: currency, SystemName } = options;
  const tradeNo = await createOrder(ctx.db, {
    userId: actor.id,
    amount,
    payable,
    currency,
    provider: "stripe",
    method: "stripe",
  });
  const { url, session } = await createCheckout(account, {
    tradeNo,
    cents: payable.cents,
    currency,
    title: `${SystemName} · ${amount}`,
    returnUrl: `${site}/topup`,
  });
  await setProviderReference(ctx.db, tradeNo, session);
  return url;
}
