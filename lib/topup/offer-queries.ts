import { and, eq } from "drizzle-orm";
import { topUps } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { loadOptions } from "@/lib/option/queries";
import { epayMerchant } from "./epay";
import { minimumAmount } from "./payable";
import { stripeAccount } from "./stripe";
import type { OrderState, TopUpOffer } from "./types";

/** The ways in which the current user can buy quota now. */
export async function readTopUpOffer(ctx: ServiceContext): Promise<TopUpOffer> {
  requireRole(ctx, ROLE.user);
  const options = await loadOptions(ctx.db);
  const unit = { inCurrency: options.DisplayInCurrencyEnabled, quotaPerUnit: options.QuotaPerUnit };
  return {
    link: options.TopUpLink,
    epay: epayMerchant(options) ? { minimum: minimumAmount({ ...unit, minUnits: options.MinTopUp }) } : null,
    stripe: stripeAccount(options)
      ? {
          minimum: minimumAmount({ ...unit, minUnits: options.StripeMinTopUp }),
          currency: options.StripeCurrency.toUpperCase(),
        }
      : null,
    minimum: minimumAmount({ ...unit, minUnits: options.MinTopUp }),
  };
}

/** The state of one of the current user's orders; null for an unknown order or another user's. */
export async function readOwnOrder(ctx: ServiceContext, tradeNo: string): Promise<OrderState | null> {
  const actor = requireRole(ctx, ROLE.user);
  if (tradeNo === "" || tradeNo.length > 64) return null;
  const [row] = await ctx.db
    .select({ tradeNo: topUps.tradeNo, status: topUps.status, quota: topUps.quota })
    .from(topUps)
    .where(and(eq(topUps.tradeNo, tradeNo), eq(topUps.userId, actor.id)));
  return row ?? null;
}
