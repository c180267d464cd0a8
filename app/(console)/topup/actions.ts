"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { action } from "@/lib/http/action";
import { redriveCallback as redrive } from "@/lib/topup/callback-commands";

const idSchema = z.object({ id: z.number().int().positive() });

/** What came of trying a kept payment again. */
export const redriveCallback = action(idSchema, async (ctx, { id }) => {
  const result = await redrive(ctx, id);
  refresh();
  return result;
});
