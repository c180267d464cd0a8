import { z } from "zod";
import { MATCHING_MAX } from "@/lib/matching-max";
import { pageShape } from "@/lib/page";
import { REDEMPTION_EXPIRED, REDEMPTION_STATUS } from "@/lib/row-status";
import { seenField } from "@/lib/seen-schema";

const NAME_MAX = 20;
export const COUNT_MAX = 100;
/** What a code gives whose maker says nothing about it (contract §13.4). */
const NEW_CODE_QUOTA = 100_000;

const fields = {
  /** Counts characters, not bytes, so that Chinese names may be as long as others. */
  name: z
    .string("redemptionNameInvalid")
    .trim()
    .refine((name) => [...name].length >= 1 && [...name].length <= NAME_MAX, { message: "redemptionNameInvalid" }),
  quota: z
    .number("redemptionQuotaInvalid")
    .int("redemptionQuotaInvalid")
    .min(1, "redemptionQuotaInvalid")
    .max(Number.MAX_SAFE_INTEGER, "redemptionQuotaInvalid"),
};

/** 0 = never, as -1 is for keys. */
const expiredTime = z
  .number("redemptionExpiryInvalid")
  .int("redemptionExpiryInvalid")
  .min(-1, "redemptionExpiryInvalid")
  .max(253_402_300_799, "redemptionExpiryInvalid")
  .transform((seconds) => Math.max(0, seconds));

export const createRedemptionsSchema = z.object({
  ...fields,
  quota: fields.quota.default(NEW_CODE_QUOTA),
  expiredTime: expiredTime.default(0),
  count: z
    .number("redemptionCountInvalid")
    .int("redemptionCountInvalid")
    .min(1, "redemptionCountInvalid")
    .max(COUNT_MAX, "redemptionCountInvalid")
    .default(1),
  /** Names this order of codes: sent again, it makes no others. */
  changeId: z.string().min(1).max(64).optional(),
});
export type CreateRedemptionsInput = z.input<typeof createRedemptionsSchema>;

/** Absent fields stay unchanged. */
export const updateRedemptionSchema = z
  .object({ ...fields, expiredTime })
  .partial()
  .extend({
    id: z.number().int(),
    /** As the client saw it; refused where it would switch the code, which setRedemptionStatus does. */
    statusSeen: z.number().int().optional(),
    seen: seenField,
  });
export type UpdateRedemptionInput = z.input<typeof updateRedemptionSchema>;

export const redemptionStatusSchema = z.object({
  id: z.number().int(),
  status: z.union([z.literal(REDEMPTION_STATUS.unused), z.literal(REDEMPTION_STATUS.disabled)], {
    error: "redemptionStatusInvalid",
  }),
});
export type RedemptionStatusInput = z.input<typeof redemptionStatusSchema>;

export const redemptionIdsSchema = z.object({ ids: z.array(z.number().int().positive()).min(1).max(MATCHING_MAX) });

export const redeemSchema = z.object({
  key: z.string("redemptionCodeMissing").trim().min(1, "redemptionCodeMissing").max(64, "redemptionCodeInvalid"),
});

export const REDEMPTION_SORTS = ["id", "name", "quota", "status", "createdTime", "redeemedTime"] as const;

/** Invalid filters are refused: if they were ignored, every code would be shown. */
export const redemptionSearchSchema = z.object({
  ...pageShape,
  /** An id, or a part of a name. */
  keyword: z.string().trim().max(100).default(""),
  status: z
    .union([
      z.literal(REDEMPTION_STATUS.unused),
      z.literal(REDEMPTION_STATUS.disabled),
      z.literal(REDEMPTION_STATUS.used),
      z.literal(REDEMPTION_EXPIRED),
    ])
    .optional(),
  sort: z.enum(REDEMPTION_SORTS).catch("id").default("id"),
  descending: z.boolean().catch(true).default(true),
});
export type RedemptionSearch = z.input<typeof redemptionSearchSchema>;
