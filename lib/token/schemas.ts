import ipaddr from "ipaddr.js";
import { z } from "zod";
import { budgetFields, concurrencyField, perMinuteField } from "@/lib/limit/schemas";
import { linesOf, refuseBadEntry } from "@/lib/list-lines";
import { MATCHING_MAX } from "@/lib/matching-max";
import { OPERATIONS } from "@/lib/operations";
import { pageShape } from "@/lib/page";
import { TOKEN_STATUS } from "@/lib/row-status";
import { seenField } from "@/lib/seen-schema";

/** Counts characters, not bytes, so that Chinese names may be as long as others (B189). */
const NAME_MAX = 30;
/** 30 days. */
const RATE_SECONDS_MAX = 2_592_000;
/** As for balances: what is remaining and what was used then add up exactly. */
export const QUOTA_MAX = 1_000_000_000_000_000;

function isAddressOrRange(text: string): boolean {
  return text.includes("/") ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text);
}

const addressList = z
  .string()
  .max(10_000, "tokenIpTooLong")
  .superRefine((text, ctx) => refuseBadEntry(ctx, "tokenIpInvalid", text, isAddressOrRange))
  .transform((text) => linesOf(text).join("\n"));

const modelList = z
  .string()
  .max(16_384, "tokenModelLimitsTooLong")
  .transform((text) => [...new Set(text.split(",").map((model) => model.trim()))].filter(Boolean).join(","));

/** Unknown names are refused: if they were dropped, the last one would leave a token without limits. */
const operationList = z
  .string()
  .max(1_000, "tokenOperationsInvalid")
  .transform((text) => [...new Set(text.split(",").map((name) => name.trim()))].filter(Boolean))
  .refine((names) => names.every((name) => OPERATIONS.some((known) => known === name)), {
    message: "tokenOperationsInvalid",
  })
  .transform((names) => names.join(","));

const tokenFields = {
  name: z
    .string("tokenNameMissing")
    .trim()
    .min(1, "tokenNameMissing")
    .refine((name) => [...name].length <= NAME_MAX, { message: "tokenNameTooLong" }),
  expiredTime: z
    .number("tokenExpiryInvalid")
    .int("tokenExpiryInvalid")
    .min(-1, "tokenExpiryInvalid")
    .max(253_402_300_799, "tokenExpiryInvalid"),
  remainQuota: z
    .number("tokenQuotaInvalid")
    .int("tokenQuotaInvalid")
    .min(0, "tokenQuotaInvalid")
    .max(QUOTA_MAX, "tokenQuotaInvalid"),
  unlimitedQuota: z.boolean(),
  modelLimitsEnabled: z.boolean(),
  modelLimits: modelList,
  operationLimits: operationList,
  allowIps: addressList,
  denyIps: addressList,
  group: z.string().trim().max(64, "groupUnknown"),
  /** Requests per `rateLimitSeconds`; 0 = no limit of the token's own. */
  rateLimitCount: z
    .number("tokenRateInvalid")
    .int("tokenRateInvalid")
    .min(0, "tokenRateInvalid")
    .max(1_000_000, "tokenRateInvalid"),
  rateLimitSeconds: z
    .number("tokenRateSecondsInvalid")
    .int("tokenRateSecondsInvalid")
    .min(1, "tokenRateSecondsInvalid")
    .max(RATE_SECONDS_MAX, "tokenRateSecondsInvalid"),
  /** The error message for a client over the limit; empty = the default text. */
  rateLimitMessage: z.string().trim().max(500, "tokenRateMessageTooLong"),
  tokensPerMinute: perMinuteField,
  concurrencyLimit: concurrencyField,
  ...budgetFields,
};

/** What a key may spend whose maker says nothing about it. */
export const NEW_TOKEN_QUOTA = 500_000;

export const createTokenSchema = z.object({
  ...tokenFields,
  expiredTime: tokenFields.expiredTime.default(-1),
  remainQuota: tokenFields.remainQuota.default(NEW_TOKEN_QUOTA),
  unlimitedQuota: tokenFields.unlimitedQuota.default(false),
  modelLimitsEnabled: tokenFields.modelLimitsEnabled.default(false),
  modelLimits: tokenFields.modelLimits.default(""),
  operationLimits: tokenFields.operationLimits.default(""),
  allowIps: tokenFields.allowIps.default(""),
  denyIps: tokenFields.denyIps.default(""),
  group: tokenFields.group.default(""),
  rateLimitCount: tokenFields.rateLimitCount.default(0),
  rateLimitSeconds: tokenFields.rateLimitSeconds.default(60),
  rateLimitMessage: tokenFields.rateLimitMessage.default(""),
  tokensPerMinute: tokenFields.tokensPerMinute.default(0),
  concurrencyLimit: tokenFields.concurrencyLimit.default(0),
  budgetDay: tokenFields.budgetDay.default(0),
  budgetWeek: tokenFields.budgetWeek.default(0),
  budgetMonth: tokenFields.budgetMonth.default(0),
  status: z.literal([TOKEN_STATUS.enabled, TOKEN_STATUS.disabled], "tokenStatusInvalid").default(TOKEN_STATUS.enabled),
});
export type CreateTokenInput = z.input<typeof createTokenSchema>;

/** Largest number of tokens that one call creates. */
export const TOKEN_BATCH_MAX = 100;

export const createTokensSchema = createTokenSchema.extend({
  count: z
    .number("tokenCountInvalid")
    .int("tokenCountInvalid")
    .min(1, "tokenCountInvalid")
    .max(TOKEN_BATCH_MAX, "tokenCountInvalid"),
});
export type CreateTokensInput = z.input<typeof createTokensSchema>;

export const tokenIdsSchema = z.object({ ids: z.array(z.number().int().positive()).min(1).max(MATCHING_MAX) });

const anyQuota = z.number("tokenQuotaInvalid").int("tokenQuotaInvalid");

/** Absent fields stay unchanged. */
export const updateTokenSchema = z
  .object(tokenFields)
  .partial()
  .extend({
    id: z.number().int(),
    /** May be negative where it is unchanged: a token that used more than its limit. */
    remainQuota: anyQuota.max(QUOTA_MAX, "tokenQuotaInvalid").optional(),
    /** What the client saw as used; tells which limit it saw where `seen` does not. */
    usedQuotaSeen: anyQuota.optional(),
    /** Of the limit, only the difference to what was seen is applied, so that what was used since is not given back. */
    seen: seenField,
    /** Names this change of the limit: sent again, it is not made again. */
    changeId: z.string().min(1).max(64).optional(),
    /** As the client saw it; refused where it would switch the token, which setTokenStatus does. */
    statusSeen: z.number().int().optional(),
  });
export type UpdateTokenInput = z.input<typeof updateTokenSchema>;

export const tokenStatusSchema = z.object({
  id: z.number().int(),
  status: z.union([z.literal(TOKEN_STATUS.enabled), z.literal(TOKEN_STATUS.disabled)], { error: "tokenStatusInvalid" }),
});
export type TokenStatusInput = z.input<typeof tokenStatusSchema>;

export const TOKEN_SORTS = [
  "id",
  "name",
  "usedQuota",
  "remainQuota",
  "createdTime",
  "accessedTime",
  "expiredTime",
] as const;

/** Invalid filters are refused: if they were ignored, every token would be shown. */
export const tokenSearchSchema = z.object({
  ...pageShape,
  /** Part of the name. */
  keyword: z.string().trim().max(100).default(""),
  /** Part of the key, with or without "sk-". */
  key: z.string().trim().max(100).default(""),
  status: z
    .union([
      z.literal(TOKEN_STATUS.enabled),
      z.literal(TOKEN_STATUS.disabled),
      z.literal(TOKEN_STATUS.expired),
      z.literal(TOKEN_STATUS.exhausted),
    ])
    .optional(),
  group: z.string().max(64).optional(),
  sort: z.enum(TOKEN_SORTS).catch("id").default("id"),
  descending: z.boolean().catch(true).default(true),
});
export type TokenSearch = z.input<typeof tokenSearchSchema>;
