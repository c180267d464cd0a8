import { eq } from "drizzle-orm";
import { channels } from "@/db/schema";
import { contextWindow } from "@/lib/billing/context-window";
import { mediaOf } from "@/lib/billing/media-prices";
import { factsOf, type ModelFacts } from "@/lib/billing/model-facts";
import { limitsOf, type ModelLimitOptions } from "@/lib/billing/model-limits";
import { resolvePrice } from "@/lib/billing/resolve-price";
import type { PriceRow } from "@/lib/billing/types";
import type { ServiceContext } from "@/lib/context";
import { usableGroups } from "@/lib/group/queries";
import { loadOptions } from "@/lib/option/queries";
import { servesType } from "@/lib/provider-catalogue";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { PricedModel, PriceList } from "./types";

type Served = { groups: Set<string>; types: Set<number> };

/**
 * Prices of the models of enabled channels, by the relay's rules. Public: without a sign-in only the public groups are
 * included. Models without a price, or only of channel types that are not served, are left out: the relay refuses them.
 */
export async function listPrices(ctx: ServiceContext): Promise<PriceList> {
  const own = ctx.actor.type === "user" ? ctx.actor.group : null;
  const options = await loadOptions(ctx.db);
  const usable = usableGroups(options, own);
  const visible = new Set(usable.map(({ name }) => name));
  const rows = await ctx.db
    // Many channels have the same model list, so each list is read once.
    .selectDistinct({ type: channels.type, models: channels.models, group: channels.group })
    .from(channels)
    .where(eq(channels.status, CHANNEL_STATUS.enabled));
  const models: PricedModel[] = [];
  for (const [modelName, served] of gather(rows.filter(({ type }) => servesType(type)))) {
    const price = resolvePrice(modelName, 1, options);
    if (!price) continue;
    models.push({
      modelName,
      perCall: price.modelPrice !== null,
      modelRatio: price.modelRatio,
      completionRatio: price.completionRatio,
      cacheRatio: price.cacheRatio,
      ...mediaPart(price),
      modelPrice: price.modelPrice ?? 0,
      ...(price.meterPrices ? { meterPrices: price.meterPrices } : {}),
      ...(price.metersOnly ? { metersOnly: true } : {}),
      groups: [...served.groups].filter((group) => visible.has(group)).sort(),
      channelTypes: [...served.types].sort((a, b) => a - b),
      facts: factsInForce(modelName, options),
    });
  }
  models.sort((a, b) => rank(a) - rank(b) || a.modelName.localeCompare(b.modelName));
  return {
    models,
    groupRatio: Object.fromEntries(usable.map(({ name, ratio }) => [name, ratio])),
    usableGroup: Object.fromEntries(usable.map(({ name, description }) => [name, description])),
    quotaPerUnit: options.QuotaPerUnit,
  };
}

function mediaPart(price: PriceRow): Pick<PricedModel, "media"> {
  const media = price.modelPrice === null && !price.metersOnly ? mediaOf(price) : {};
  return Object.keys(media).length > 0 ? { media } : {};
}

/** What is known of a model, with the operator's own maximum output. Rules by name stand in for models not listed. */
function factsInForce(model: string, options: ModelLimitOptions): ModelFacts {
  const listed = factsOf(model);
  const limits = limitsOf(model, options);
  if (listed.vendor !== undefined) {
    return Object.hasOwn(options.ModelMaxOutput, model) ? { ...listed, maxOutputTokens: limits.output } : listed;
  }
  const context = contextWindow(model);
  return {
    ...(context === null ? {} : { contextTokens: context }),
    ...(limits.isKnown ? { maxOutputTokens: limits.output } : {}),
  };
}

/** gpt models come first (B117). */
function rank({ modelName }: PricedModel): number {
  return modelName.startsWith("gpt") ? 0 : 1;
}

function gather(rows: { type: number; models: string; group: string }[]): Map<string, Served> {
  const found = new Map<string, Served>();
  for (const { type, models, group } of rows) {
    const groups = split(group);
    for (const model of split(models)) {
      const served = found.get(model) ?? { groups: new Set(), types: new Set() };
      for (const name of groups) served.groups.add(name);
      served.types.add(type);
      found.set(model, served);
    }
  }
  return found;
}

function split(list: string): string[] {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}
