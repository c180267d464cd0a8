import { builtInModels } from "@/lib/billing/built-in-terms";
import { MEDIA_RATIOS, makersMediaRatios, mediaOf } from "@/lib/billing/media-prices";
import { factsOf } from "@/lib/billing/model-facts";
import { resolvePrice } from "@/lib/billing/resolve-price";
import type { PriceOptions } from "@/lib/billing/types";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import type { MeterPrices } from "@/lib/meters";
import { loadOptions } from "@/lib/option/queries";
import { WEIR_FORMAT } from "./read-weir-list";

type ExportedModel = {
  price?: number;
  ratio?: number;
  completion?: number;
  cache?: number;
  create_cache?: number;
  audio?: number;
  audio_completion?: number;
  audio_cache?: number;
  image?: number;
  image_cache?: number;
  meters?: MeterPrices;
  vendor?: string;
  context_window?: number;
  max_output_tokens?: number;
  input_modalities?: readonly string[];
  output_modalities?: readonly string[];
};

export type PriceExport = { format: string; quota_per_unit: number; models: Record<string, ExportedModel> };

/** The prices in force of all built-in models and of those that the operator priced, for another Weir (root only). */
export async function exportPrices(ctx: ServiceContext): Promise<PriceExport> {
  requireRole(ctx, ROLE.root);
  const options = { ...(await loadOptions(ctx.db)), SelfUseModeEnabled: false };
  const names = new Set([
    ...builtInModels(),
    ...Object.keys(options.ModelPrice),
    ...Object.keys(options.ModelRatio),
    ...Object.keys(options.ModelMeterPrices),
  ]);
  const models = [...names].toSorted().map((model) => [model, exportModel(model, options)] as const);
  return { format: WEIR_FORMAT, quota_per_unit: options.QuotaPerUnit, models: Object.fromEntries(models) };
}

function exportModel(model: string, options: PriceOptions): ExportedModel {
  const row = resolvePrice(model, 1, options);
  const { vendor, contextTokens, maxOutputTokens, input, output } = factsOf(model);
  return {
    ...(row === null ? {} : row.modelPrice === null ? ratiosOf(model, row) : { price: row.modelPrice }),
    ...(row?.meterPrices ? { meters: row.meterPrices } : {}),
    ...(vendor === undefined ? {} : { vendor }),
    ...(contextTokens === undefined ? {} : { context_window: contextTokens }),
    ...(maxOutputTokens === undefined ? {} : { max_output_tokens: maxOutputTokens }),
    ...(input === undefined ? {} : { input_modalities: input }),
    ...(output === undefined ? {} : { output_modalities: output }),
  };
}

function ratiosOf(model: string, row: NonNullable<ReturnType<typeof resolvePrice>>): ExportedModel {
  if (row.metersOnly) return {};
  const media = { ...makersMediaRatios(model), ...mediaOf(row) };
  const told = MEDIA_RATIOS.filter(({ field }) => media[field] !== undefined && row[field] !== undefined);
  return {
    ratio: row.modelRatio,
    completion: row.completionRatio,
    cache: row.cacheRatio,
    create_cache: row.createCacheRatio,
    ...Object.fromEntries(told.map(({ wire, field }) => [wire.replace(/_ratio$/, ""), row[field]])),
  };
}
