"use server";

import { refresh } from "next/cache";
import { z } from "zod";
import { applyToEach, ROW_CHANGES } from "@/components/data-table/apply-to-each";
import { action } from "@/lib/http/action";
import {
  createRedemptions as create,
  deleteRedemption as remove,
  revealRedemptions as reveal,
  setRedemptionStatus as setStatus,
  updateRedemption as update,
} from "@/lib/redemption/commands";
import { listRedemptionIds } from "@/lib/redemption/queries";
import {
  createRedemptionsSchema,
  redemptionIdsSchema,
  redemptionSearchSchema,
  redemptionStatusSchema,
  updateRedemptionSchema,
} from "@/lib/redemption/schemas";
import { REDEMPTION_STATUS } from "@/lib/row-status";

const changeRedemptionsSchema = redemptionIdsSchema.extend({ change: z.enum(ROW_CHANGES) });
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

/** The codes that match the filters of the list. */
export const findRedemptions = action(redemptionSearchSchema, (ctx, search) => listRedemptionIds(ctx, search));

/** Enables, disables or deletes codes. */
export const changeRedemptions = action(changeRedemptionsSchema, async (ctx, { ids, change }) => {
  const outcome = await applyToEach(ids, (id) =>
    change === "delete"
      ? remove(ctx, id)
      : setStatus(ctx, { id, status: change === "enable" ? REDEMPTION_STATUS.unused : REDEMPTION_STATUS.disabled }),
  );
  refresh();
  return outcome;
});

export const revealRedemptions = action(redemptionIdsSchema, async (ctx, input) =>
  (await reveal(ctx, input)).map(({ name, key }) => ({ name, key })),
);
