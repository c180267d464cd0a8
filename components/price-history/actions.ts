"use server";

import { refresh } from "next/cache";
import { action } from "@/lib/http/action";
import { undoPriceChangeSchema } from "@/lib/pricing/history/queries";
import { undoPriceChange as undo } from "@/lib/pricing/history/undo-commands";

export const undoPriceChange = action(undoPriceChangeSchema, async (ctx, input) => {
  const undone = await undo(ctx, input);
  refresh();
  return undone;
});
