"use server";

import { refresh } from "next/cache";
import { action } from "@/lib/http/action";
import { applyRouting as route } from "@/lib/pricing/routing/commands";
import { previewRouting as routingEffect } from "@/lib/pricing/routing/preview-queries";
import { applyRoutingSchema, routingDraftSchema } from "@/lib/pricing/routing/schemas";

export const previewRouting = action(routingDraftSchema, (ctx, input) => routingEffect(ctx, input));

export const applyRouting = action(applyRoutingSchema, async (ctx, input) => {
  const applied = await route(ctx, input);
  refresh();
  return applied;
});
