import { builtInModels } from "@/lib/billing/built-in-terms";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { listEnabledModels } from "@/lib/model/queries";
import { readOptionTexts } from "@/lib/option/queries";
import { NAMED_MODELS_MAX } from "../price-list-path";
import { priceOptions } from "../price-options";
import { priceInForce, type WholePrice } from "../sync/compare-prices";
import { isModelName } from "../sync/offer";
import { PRICE_KEYS } from "../sync/price-state";

export type ListedPrice = {
  model: string;
  /** In USD; null = the model has no price and is refused. */
  price: WholePrice | null;
  /** An enabled channel has the model. */
  isServed: boolean;
  /** The operator set a price; otherwise the built-in one applies. */
  isOwn: boolean;
};

/**
 * The prices in force of the named models, then of those that are served or have a price of the operator's, then, if asked
 * for, of the other built-in models (root only). Names that no model can have are left out.
 */
export async function listModelPrices(
  ctx: ServiceContext,
  withBuiltIn: boolean,
  named: readonly string[] = [],
): Promise<ListedPrice[]> {
  requireRole(ctx, ROLE.root);
  const [texts, enabled] = await Promise.all([readOptionTexts(ctx.db, PRICE_KEYS), listEnabledModels(ctx)]);
  const options = priceOptions(texts);
  const served = new Set(enabled);
  const own = new Set(
    [options.ModelPrice, options.ModelRatio, options.ModelMeterPrices ?? {}].flatMap((map) => Object.keys(map)),
  );
  const names = [...new Set([...enabled, ...own])].toSorted((one, other) => one.localeCompare(other));
  const first = named.filter(isModelName).slice(0, NAMED_MODELS_MAX);
  return [...new Set([...first, ...names, ...(withBuiltIn ? builtInModels() : [])])].map((model) => ({
    model,
    price: priceInForce(model, options),
    isServed: served.has(model),
    isOwn: own.has(model),
  }));
}
