"use server";

import { action } from "@/lib/http/action";
import { previewPriceDraft as draftEffect } from "@/lib/pricing/effect/preview-queries";
import { priceDraftSchema } from "@/lib/pricing/effect/schemas";

export const previewDraft = action(priceDraftSchema, (ctx, input) => draftEffect(ctx, input));
