"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { action } from "@/lib/http/action";
import {
  createRedemptions as create,
  deleteRedemption as remove,
  revealRedemptions as reveal,
  setRedemptionStatus as setStatus,
  updateRedemption as update,
} from "@/lib/redemption/commands";
import {
  createRedemptionsSchema,
  redemptionIdsSchema,
  redemptionStatusSchema,
  updateRedemptionSchema,
} from "@/lib/redemption/schemas";

const idSchema = z.object({ id: z.number().int().positive() });

/** Returns the new codes. */
export const createRedemptions = action(createRedemptionsSchema, async (ctx, input) => {
  const keys = await create(ctx, input);
  refresh();
  return keys;
});

export const updateRedemption = action(updateRedemptionSchema, async (ctx, input) => {
  await update(ctx, input);
  refresh();
});

export const setRedemptionStatus = action(redemptionStatusSchema, async (ctx, input) => {
  await setStatus(ctx, input);
  refresh();
});

export const deleteRedemption = action(idSchema, async (ctx, { id }) => {
  await remove(ctx, id);
  refresh();
});

export const revealRedemptions = action(redemptionIdsSchema, async (ctx, input) =>
  (await reveal(ctx, input)).map(({ name, key }) => ({ name, key })),
);
