"use server";

import { z } from "zod";
import { action } from "@/lib/http/action";
import { previewOffers as offersEffect } from "@/lib/pricing/effect/preview-queries";
import { previewOffersSchema } from "@/lib/pricing/effect/schemas";
import { applyPrices as apply } from "@/lib/pricing/sync/commands";
import { exportPrices as exportAll } from "@/lib/pricing/sync/export-queries";
import { comparePriceList as compare } from "@/lib/pricing/sync/preview-queries";
import { applyPricesSchema, priceListUrlSchema } from "@/lib/pricing/sync/schemas";

export const comparePriceList = action(priceListUrlSchema, (ctx, input) => compare(ctx, input));

export const applyPrices = action(applyPricesSchema, (ctx, input) => apply(ctx, input));

export const exportPrices = action(z.object({}), (ctx) => exportAll(ctx));

export const previewOffers = action(previewOffersSchema, (ctx, input) => offersEffect(ctx, input));
