import { builtInTerms } from "@/lib/billing/built-in-terms";
import { changeOptionsTogether } from "@/lib/option/commands";
import { priceOrigin } from "@/lib/option/price-record-commands";
import { readOptionTexts } from "@/lib/option/queries";
import { parseOption } from "@/lib/option/registry";
import { isRefused, type Offer } from "@/lib/pricing/sync/offer";
import { PRICE_KEYS, type PriceTexts } from "@/lib/pricing/sync/price-state";
import { readLitellmList } from "@/lib/pricing/sync/read-litellm-list";
import { toChanges } from "@/lib/pricing/sync/to-changes";
import { leaveOut, noteChange } from "../findings";
import type { LitellmConfig } from "./read-config";
import type { Work } from "./work";

const COST = /cost_per_|_cost$|tiered_pricing/;
const OWN = ["ModelPrice", "ModelRatio", "ModelMeterPrices"] as const;

/** Prices that config.yaml has for a model become its price here, where it has none that somebody has set. */
export async function importPrices({ ctx, findings, dryRun }: Work, config: LitellmConfig): Promise<void> {
  const prices = pricesOf(config, (what, model) => noteChange(findings, what, model));
  findings.read += prices.size;
  const offers: Offer[] = [];
  const texts = await readOptionTexts(ctx.db, PRICE_KEYS);
  const here = new Set(OWN.flatMap((key) => Object.keys(parseOption(key, texts[key]))));
  for (const entry of readLitellmList(Object.fromEntries(prices))) {
    if (isRefused(entry)) leaveOut(findings, `no price that can be kept (${entry.reason})`, entry.model);
    else if (here.has(entry.model)) leaveOut(findings, "has a price here: kept as it is", entry.model);
    else {
      if (entry.isPartial)
        noteChange(findings, "steps of prices, or prices of other units: only the plain price", entry.model);
      offers.push(entry);
    }
  }
  findings.moved += offers.length;
  tellUnpriced(config, new Set([...prices.keys(), ...here]), (what, model) => noteChange(findings, what, model));
  if (dryRun || offers.length === 0) return;
  const plan = (current: PriceTexts) =>
    toChanges(current, offers).filter(({ key, value }) => isOther(current, key, value));
  await changeOptionsTogether(ctx, PRICE_KEYS, plan, priceOrigin("list"));
}

function isOther(current: PriceTexts, key: string, value: string | null): boolean {
  return Reflect.get(current, key) !== value;
}

/** What litellm_params and model_info say of each model; of one with several deployments, the first that says something. */
function pricesOf(
  { model_list: list }: LitellmConfig,
  change: (what: string, model: string) => void,
): Map<string, Record<string, unknown>> {
  const prices = new Map<string, Record<string, unknown>>();
  for (const { model_name: model, litellm_params: params, model_info: info } of list ?? []) {
    const all = { ...(typeof info === "object" && info !== null ? info : {}), ...params } as Record<string, unknown>;
    const costs = Object.entries(all).filter(([name, value]) => COST.test(name) && value !== null);
    if (costs.length === 0) continue;
    const price = { litellm_provider: "litellm", mode: all.mode, ...Object.fromEntries(costs) };
    const known = prices.get(model);
    if (!known) prices.set(model, price);
    else if (JSON.stringify(known) !== JSON.stringify(price))
      change("its deployments have different prices: the first is taken", model);
  }
  return prices;
}

/** LiteLLM goes by the model behind a name, Weir by the name. */
function tellUnpriced(
  { model_list: list }: LitellmConfig,
  priced: ReadonlySet<string>,
  change: (what: string, model: string) => void,
): void {
  const names = new Set((list ?? []).map(({ model_name: name }) => name));
  for (const name of names)
    if (!name.includes("*") && !priced.has(name) && builtInTerms(name) === undefined)
      change("no price is known for this name: set one, or its requests are refused", name);
}
