import { toLimits, toLimitTexts, toNumber } from "@/components/form/limit-texts";
import { splitList } from "@/components/form/split-list";
import { type OperationId, readOperations } from "@/lib/operations";
import type { Token } from "@/lib/token/types";
import { readExpiry, toExpiryText } from "./expiry";

/** The limits of which 0 means none. */
export const TOKEN_LIMITS = ["tokensPerMinute", "concurrencyLimit", "budgetDay", "budgetWeek", "budgetMonth"] as const;

/** The token form's fields as entered. */
export type TokenDraft = Record<(typeof TOKEN_LIMITS)[number], string> & {
  name: string;
  quota: string;
  unlimited: boolean;
  /** yyyy-MM-dd HH:mm:ss in local time; empty or -1 = never. */
  expires: string;
  group: string;
  /** The number of tokens to create. */
  count: string;
  limitModels: boolean;
  models: string[];
  /** Empty = all. */
  operations: OperationId[];
  allowIps: string;
  denyIps: string;
  limitRate: boolean;
  rateCount: string;
  rateSeconds: string;
  rateMessage: string;
};

const NEW_TOKEN_QUOTA = "500000";
const NEW_RATE = { count: 60, seconds: 60 };

export function toDraft(token: Token | null): TokenDraft {
  const limitRate = (token?.rateLimitCount ?? 0) > 0;
  return {
    name: token?.name ?? "",
    quota: token ? String(token.remainQuota) : NEW_TOKEN_QUOTA,
    unlimited: token?.unlimitedQuota ?? false,
    expires: toExpiryText(token?.expiredTime ?? -1),
    group: token?.group ?? "",
    count: "1",
    limitModels: token?.modelLimitsEnabled ?? false,
    models: splitList(token?.modelLimits ?? ""),
    operations: readOperations(token?.operationLimits ?? ""),
    allowIps: token?.allowIps ?? "",
    denyIps: token?.denyIps ?? "",
    limitRate,
    rateCount: String(limitRate ? (token?.rateLimitCount ?? 0) : NEW_RATE.count),
    rateSeconds: String(token?.rateLimitSeconds ?? NEW_RATE.seconds),
    rateMessage: token?.rateLimitMessage ?? "",
    ...toLimitTexts(TOKEN_LIMITS, token),
  };
}

/** The input of the server action; null if the expiry is no valid date. Invalid numbers become NaN, which the server refuses. */
export function toTokenInput(draft: TokenDraft) {
  const expiredTime = readExpiry(draft.expires);
  if (expiredTime === null) return null;
  return {
    name: draft.name.trim(),
    remainQuota: draft.unlimited && draft.quota.trim() === "" ? 0 : toNumber(draft.quota),
    unlimitedQuota: draft.unlimited,
    expiredTime,
    group: draft.group,
    modelLimitsEnabled: draft.limitModels,
    modelLimits: draft.models.join(","),
    operationLimits: draft.operations.join(","),
    allowIps: draft.allowIps,
    denyIps: draft.denyIps,
    rateLimitCount: draft.limitRate ? toNumber(draft.rateCount) : 0,
    ...(draft.limitRate ? { rateLimitSeconds: toNumber(draft.rateSeconds) } : {}),
    rateLimitMessage: draft.rateMessage,
    ...toLimits(TOKEN_LIMITS, draft),
  };
}

export type TokenInput = NonNullable<ReturnType<typeof toTokenInput>>;
