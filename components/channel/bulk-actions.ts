"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { applyBulkChange, previewBulkChange } from "@/lib/channel/bulk-commands";
import { bulkApplySchema, bulkInputSchema } from "@/lib/channel/bulk-schemas";
import { listBulkChanges, undoBulkChange } from "@/lib/channel/bulk-undo-commands";
import { action } from "@/lib/http/action";

export const previewBulk = action(bulkInputSchema, (ctx, input) => previewBulkChange(ctx, input));

export const applyBulk = action(bulkApplySchema, async (ctx, input) => {
  const done = await applyBulkChange(ctx, input);
  refresh();
  return done;
});

export const undoBulk = action(z.object({ id: z.number().int().positive() }), async (ctx, { id }) => {
  const undone = await undoBulkChange(ctx, id);
  refresh();
  return undone;
});

export const listBulk = action(z.object({}), (ctx) => listBulkChanges(ctx));
