import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { changeOptionsTogether } from "@/lib/option/commands";
import { priceOrigin } from "@/lib/option/price-record-commands";
import { parseInput } from "@/lib/validation";
import { PRICE_KEYS, stateOf } from "./price-state";
import { type ApplyPricesInput, applyPricesSchema } from "./schemas";
import { readOffer, toChanges } from "./to-changes";

/**
 * Sets the prices that were selected in a comparison, all or none (root only). Throws conflict when any price was changed
 * since then, invalid for a price that a list could not offer either.
 */
export async function applyPrices(ctx: ServiceContext, input: ApplyPricesInput): Promise<{ count: number }> {
  requireRole(ctx, ROLE.root);
  const { state, prices } = parseInput(applyPricesSchema, input);
  const offers = prices.map(readOffer);
  if (new Set(offers.map(({ model }) => model)).size < offers.length)
    throw new AppError("invalid", "parametersInvalid");
  await changeOptionsTogether(
    ctx,
    PRICE_KEYS,
    (texts) => {
      if (stateOf(texts) !== state) throw new AppError("conflict", "pricesChanged");
      return toChanges(texts, offers);
    },
    priceOrigin("sync"),
  );
  return { count: offers.length };
}
