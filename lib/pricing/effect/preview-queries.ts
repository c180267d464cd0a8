import { ZodError } from "zod";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listEnabledModels } from "@/lib/model/queries";
import { loadOptions, readOptionTexts } from "@/lib/option/queries";
import { definitionOf, type OptionValues, parseOption } from "@/lib/option/registry";
import type { OptionChange } from "@/lib/option/types";
import { parseInput } from "@/lib/validation";
import { adjustPrices } from "../adjust/adjust-prices";
import type { AdjustInput } from "../adjust/schemas";
import { priceOptions } from "../price-options";
import { type PriceTexts, stateOf } from "../sync/price-state";
import { readOffer, toChanges } from "../sync/to-changes";
import { changedModels, compareGroups, listDifferences } from "./draft-differences";
import { reckonEffect } from "./reckon-effect";
import {
  EFFECT_KEYS,
  type EffectKey,
  type PreviewOffersInput,
  type PriceDraftInput,
  previewAdjustmentSchema,
  previewOffersSchema,
  priceDraftSchema,
} from "./schemas";
import { readChannels, readTraffic, readUserNames, scaleBy, type TrafficLimits } from "./traffic-queries";
import type { PriceEffect, Terms, Traffic } from "./types";

const KEYS = [...EFFECT_KEYS, "QuotaPerUnit"] as const;
type Texts = PriceTexts & Readonly<Record<"GroupRatio" | "BatchPriceRatio", string>>;

const WEEK_SECONDS = 7 * 86_400;
const DIFFERENCES_SHOWN = 500;

/** What a draft of price options would do to the last seven days' traffic; nothing is written (root only). */
export async function previewPriceDraft(
  ctx: ServiceContext,
  input: PriceDraftInput,
  limits: TrafficLimits = {},
): Promise<PriceEffect> {
  requireRole(ctx, ROLE.root);
  const { changes } = parseInput(priceDraftSchema, input);
  return previewChanges(ctx, await readOptionTexts(ctx.db, KEYS), changes, limits);
}

/** The same for prices selected in the comparison with a price list. */
export async function previewOffers(ctx: ServiceContext, input: PreviewOffersInput): Promise<PriceEffect> {
  requireRole(ctx, ROLE.root);
  const { prices } = parseInput(previewOffersSchema, input);
  const texts = await readOptionTexts(ctx.db, KEYS);
  return previewChanges(ctx, texts, toChanges(texts, prices.map(readOffer)));
}

export type AdjustmentPreview = PriceEffect & {
  /** To be sent back, so that only what was shown is applied. */
  state: string;
  unpriced: string[];
};

/** The same for prices of a selection that are raised, lowered or set. */
export async function previewAdjustment(ctx: ServiceContext, input: AdjustInput): Promise<AdjustmentPreview> {
  requireRole(ctx, ROLE.root);
  const { models, adjustment } = parseInput(previewAdjustmentSchema, input);
  const texts = await readOptionTexts(ctx.db, KEYS);
  const { changes, unpriced } = adjustPrices(texts, models, adjustment);
  return { ...(await previewChanges(ctx, texts, changes)), state: stateOf(texts), unpriced };
}

async function previewChanges(
  ctx: ServiceContext,
  before: Texts,
  changes: readonly OptionChange[],
  limits: TrafficLimits = {},
): Promise<PriceEffect> {
  const after = withChanges(before, changes);
  const models = changedModels(before, after);
  const groups = { before: ratiosIn(before), after: ratiosIn(after) };
  const compared = compareGroups(groups.before, groups.after);
  const isOfGroups = compared.some((group) => group.before !== group.after);
  const batch = { before: batchRatioIn(before), after: batchRatioIn(after) };
  const isOfBatches = batch.before !== batch.after;
  const differences = listDifferences(models, { before, after }, new Set(await listEnabledModels(ctx)));
  const shown = {
    differences: differences.slice(0, DIFFERENCES_SHOWN),
    more: Math.max(0, differences.length - DIFFERENCES_SHOWN),
    groups: compared,
    batch: isOfBatches ? batch : null,
  };
  if (models.length === 0 && !isOfGroups && !isOfBatches) return { ...shown, coverage: null, reckoned: null };
  const search = { models: isOfGroups || isOfBatches ? null : models, seconds: WEEK_SECONDS, now: nowSeconds() };
  const read = await readTraffic(ctx.sql, search, limits);
  if (!read) return { ...shown, coverage: null, reckoned: null };
  const { traffic, coverage } = read;
  const [channels, users, { SelfUseModeEnabled }] = await Promise.all([
    readChannels(ctx.sql, [...new Set(traffic.map(({ channelId }) => channelId))]),
    readUserNames(ctx.sql, [...new Set(traffic.map(({ userId }) => userId))]),
    loadOptions(ctx.db),
  ]);
  const termsOf = (side: "before" | "after", texts: Texts): Terms => ({
    options: { ...priceOptions(texts), SelfUseModeEnabled },
    ratioOf:
      isOfGroups || isOfBatches ? ratioIn(groups[side], isOfBatches ? batch[side] : null) : ratioThen(groups.before),
  });
  const reckoned = reckonEffect({
    traffic,
    before: termsOf("before", before),
    after: termsOf("after", after),
    channels,
    users,
    scaleOf: scaleBy(read),
  });
  return { ...shown, coverage, reckoned };
}

type Ratios = OptionValues["GroupRatio"];

/** As the relay finds it for a request of now; `batch` null = batches cost what part of the price they cost then. */
function ratioIn(ratios: Ratios, batch: number | null = null): (traffic: Traffic) => number {
  return ({ group, batchRatio }) => {
    const ofBatch = batchRatio === null ? 1 : (batch ?? batchRatio);
    return (Object.hasOwn(ratios, group) ? (ratios[group] ?? 1) : 1) * ofBatch;
  };
}

/** The ratio at that time; that in force where the log does not say. */
function ratioThen(ratios: Ratios): (traffic: Traffic) => number {
  const now = ratioIn(ratios);
  return (traffic) => traffic.groupRatio ?? now(traffic);
}

function ratiosIn(texts: Texts): Ratios {
  return parseOption("GroupRatio", texts.GroupRatio);
}

function batchRatioIn(texts: Texts): number {
  return parseOption("BatchPriceRatio", texts.BatchPriceRatio);
}

/** Throws invalid for a text that could not be saved either. */
function withChanges(texts: Texts, changes: readonly OptionChange[]): Texts {
  const draft: Record<string, string> = { ...texts };
  for (const { key, value } of changes as readonly { key: EffectKey; value: string | null }[]) {
    try {
      parseOption(key, value ?? definitionOf(key).default);
    } catch (error) {
      if (!(error instanceof ZodError)) throw error;
      throw new AppError("invalid", "optionInvalid", { key }, error);
    }
    draft[key] = value ?? definitionOf(key).default;
  }
  return draft as Texts;
}
