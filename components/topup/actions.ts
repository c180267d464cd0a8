"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { action } from "@/lib/http/action";
import { redriveCallback as redrive } from "@/lib/topup/callback-commands";

const idSchema = z.object({ id: z.number().int().positive() });

/** Processes a stored payment callback again and returns the result. */
export const redriveCallback = action(idSchema, async (ctx, { id }) => {
  const result = await redrive(ctx, id);
  refresh();
  return result;
});
