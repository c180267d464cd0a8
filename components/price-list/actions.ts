"use server";

import { refresh } from "next/cache";
import { action } from "@/lib/http/action";
import { applyAdjustment as adjust } from "@/lib/pricing/adjust/commands";
import { applyAdjustmentSchema } from "@/lib/pricing/adjust/schemas";
import { previewAdjustment as adjustmentEffect } from "@/lib/pricing/effect/preview-queries";
import { previewAdjustmentSchema } from "@/lib/pricing/effect/schemas";

export const previewAdjustment = action(previewAdjustmentSchema, (ctx, input) => adjustmentEffect(ctx, input));

export const applyAdjustment = action(applyAdjustmentSchema, async (ctx, input) => {
  const applied = await adjust(ctx, input);
  refresh();
  return applied;
});
