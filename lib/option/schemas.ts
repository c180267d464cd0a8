import { z } from "zod";

const key = z.string().min(1).max(200);
const text = z.string().max(1_000_000);

/** Changes sent by the settings page; null removes what was set. */
export const saveOptionsSchema = z.object({
  changes: z
    .array(z.object({ key, value: text.nullable(), base: text.optional() }))
    .min(1)
    .max(200),
});

export const historySchema = z.object({ key, before: z.number().int().positive().nullable() });
/** `newest` is the newest version that the history showed: with a newer one, nothing is restored. */
export const versionSchema = z.object({
  id: z.number().int().positive(),
  newest: z.number().int().positive().optional(),
});
export const logMomentSchema = z.object({ until: z.number().int().positive("logTargetMissing") });
