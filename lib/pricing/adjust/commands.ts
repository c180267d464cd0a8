import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { changeOptionsTogether } from "@/lib/option/commands";
import { priceOrigin } from "@/lib/option/price-record-commands";
import { parseInput } from "@/lib/validation";
import { PRICE_KEYS, stateOf } from "../sync/price-state";
import { adjustPrices } from "./adjust-prices";
import { type ApplyAdjustmentInput, applyAdjustmentSchema } from "./schemas";

/**
 * Changes the prices of a selection, all or none (root only). Throws conflict when any price was changed since they were
 * shown.
 */
export async function applyAdjustment(ctx: ServiceContext, input: ApplyAdjustmentInput): Promise<{ count: number }> {
  requireRole(ctx, ROLE.root);
  const { state, models, adjustment } = parseInput(applyAdjustmentSchema, input);
  let count = 0;
  await changeOptionsTogether(
    ctx,
    PRICE_KEYS,
    (texts) => {
      if (stateOf(texts) !== state) throw new AppError("conflict", "pricesChanged");
      const { changes, unpriced } = adjustPrices(texts, models, adjustment);
      count = new Set(models).size - unpriced.length;
      return changes;
    },
    priceOrigin("list"),
  );
  return { count };
}
