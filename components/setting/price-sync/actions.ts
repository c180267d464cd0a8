"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { action } from "@/lib/http/action";
import { applyAdjustment as adjust } from "@/lib/pricing/adjust/commands";
import { applyAdjustmentSchema } from "@/lib/pricing/adjust/schemas";
import {
  previewAdjustment as adjustmentEffect,
  previewPriceDraft as draftEffect,
  previewOffers as offersEffect,
} from "@/lib/pricing/effect/preview-queries";
import { previewAdjustmentSchema, previewOffersSchema, priceDraftSchema } from "@/lib/pricing/effect/schemas";
import { undoPriceChangeSchema } from "@/lib/pricing/history/schemas";
import { undoPriceChange as undo } from "@/lib/pricing/history/undo-commands";
import { applyRouting as route } from "@/lib/pricing/routing/commands";
import { previewRouting as routingEffect } from "@/lib/pricing/routing/preview-queries";
import { applyRoutingSchema, routingDraftSchema } from "@/lib/pricing/routing/schemas";
import { applyPrices as apply } from "@/lib/pricing/sync/commands";
import { exportPrices as exportAll } from "@/lib/pricing/sync/export-queries";
import { comparePriceList as compare } from "@/lib/pricing/sync/preview-queries";
import { applyPricesSchema, priceListUrlSchema } from "@/lib/pricing/sync/schemas";

export const comparePriceList = action(priceListUrlSchema, (ctx, input) => compare(ctx, input));

export const applyPrices = action(applyPricesSchema, (ctx, input) => apply(ctx, input));

export const exportPrices = action(z.object({}), (ctx) => exportAll(ctx));

export const previewDraft = action(priceDraftSchema, (ctx, input) => draftEffect(ctx, input));

export const previewOffers = action(previewOffersSchema, (ctx, input) => offersEffect(ctx, input));

export const previewAdjustment = action(previewAdjustmentSchema, (ctx, input) => adjustmentEffect(ctx, input));

export const applyAdjustment = action(applyAdjustmentSchema, async (ctx, input) => {
  const applied = await adjust(ctx, input);
  refresh();
  return applied;
});

export const undoPriceChange = action(undoPriceChangeSchema, async (ctx, input) => {
  const undone = await undo(ctx, input);
  refresh();
  return undone;
});

export const previewRouting = action(routingDraftSchema, (ctx, input) => routingEffect(ctx, input));

export const applyRouting = action(applyRoutingSchema, async (ctx, input) => {
  const applied = await route(ctx, input);
  refresh();
  return applied;
});
