import { z } from "zod";
import { usedOfRow } from "@/lib/billing/meant-change";
import { AppError } from "@/lib/errors";
import { idField } from "@/lib/http/id";
import { fromWireLimits, toWireBudgets, wireLimits } from "@/lib/limit/wire";
import { TOKEN_STATUS } from "@/lib/row-status";
import type { CreateTokenInput, UpdateTokenInput } from "./schemas";
import type { Token } from "./types";

/** A token in the /api format; with the key only where its owner may see it. */
export function toWireToken(token: Token, key?: string) {
  return {
    id: token.id,
    user_id: token.userId,
    key: key ?? "",
    key_hint: token.keyHint,
    status: token.status,
    name: token.name,
    created_time: token.createdTime,
    accessed_time: token.accessedTime,
    expired_time: token.expiredTime,
    remain_quota: token.remainQuota,
    unlimited_quota: token.unlimitedQuota,
    model_limits_enabled: token.modelLimitsEnabled,
    model_limits: token.modelLimits,
    operation_limits: token.operationLimits,
    allow_ips: token.allowIps,
    deny_ips: token.denyIps,
    used_quota: token.usedQuota,
    group: token.group,
    rate_limit_count: token.rateLimitCount,
    rate_limit_seconds: token.rateLimitSeconds,
    rate_limit_message: token.rateLimitMessage,
    tokens_per_minute: token.tokensPerMinute,
    concurrency_limit: token.concurrencyLimit,
    ...toWireBudgets(token),
    DeletedAt: null,
  };
}

const fields = {
  name: z.string().optional(),
  expired_time: z.number().optional(),
  remain_quota: z.number().optional(),
  unlimited_quota: z.boolean().optional(),
  model_limits_enabled: z.boolean().optional(),
  model_limits: z.string().nullish(),
  /** Comma list; empty = every operation. */
  operation_limits: z.string().nullish(),
  allow_ips: z.string().nullish(),
  deny_ips: z.string().nullish(),
  group: z.string().nullish(),
  rate_limit_count: z.number("tokenRateInvalid").optional(),
  rate_limit_seconds: z.number("tokenRateSecondsInvalid").optional(),
  rate_limit_message: z.string().nullish(),
  /** The same as a `rate_limit_count` in 60 seconds; refused beside another limit. */
  ...wireLimits,
};

/** Statuses that only the system sets are no statuses of a new token. */
export const wireNewTokenSchema = z.object({
  ...fields,
  status: z.literal([TOKEN_STATUS.enabled, TOKEN_STATUS.disabled], "tokenStatusInvalid").optional(),
});

/** The fields a client may set. Clients send back whole rows; other fields are ignored. */
export const wireTokenSchema = z.object({
  ...fields,
  id: idField,
  /** Without `status_only` only compared: it is changed alone. */
  status: z.number().int().optional(),
  /** What the client saw as remaining; the difference to it is applied. */
  seen_remain_quota: z.number().optional(),
  /** Read-only. In a whole row sent back it tells which charges the client had seen. */
  used_quota: z.unknown().optional(),
});
type WireToken = z.output<typeof wireTokenSchema>;
type WireFields = Omit<WireToken, "id" | "status" | "seen_remain_quota" | "used_quota">;

/** The fields under their internal names; null becomes empty, absent stays absent. */
function fromWireToken(wire: WireFields): Partial<Omit<UpdateTokenInput, "id">> {
  const { requestsPerMinute, ...limits } = fromWireLimits(wire);
  const pairs = {
    ...limits,
    name: wire.name,
    expiredTime: wire.expired_time,
    remainQuota: wire.remain_quota,
    unlimitedQuota: wire.unlimited_quota,
    modelLimitsEnabled: wire.model_limits_enabled,
    modelLimits: wire.model_limits === null ? "" : wire.model_limits,
    operationLimits: wire.operation_limits === null ? "" : wire.operation_limits,
    allowIps: wire.allow_ips === null ? "" : wire.allow_ips,
    denyIps: wire.deny_ips === null ? "" : wire.deny_ips,
    group: wire.group === null ? "" : wire.group,
    ...rateOf(wire, requestsPerMinute),
    rateLimitMessage: wire.rate_limit_message === null ? "" : wire.rate_limit_message,
  };
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined));
}

const MINUTE = 60;

/**
 * A token's limit of requests is one of so many in so many seconds. Beside `requests_per_minute` a row that is sent back whole has the
 * limit that the token had before; a client that means another one must say which counts.
 */
function rateOf({ rate_limit_count: count, rate_limit_seconds: seconds }: WireFields, perMinute: number | undefined) {
  if (perMinute === undefined) return { rateLimitCount: count, rateLimitSeconds: seconds };
  const isSame = count === undefined || count === 0 || (count === perMinute && (seconds ?? MINUTE) === MINUTE);
  if (!isSame) throw new AppError("invalid", "tokenRateTwice", { field: "rateLimitCount" });
  return { rateLimitCount: perMinute, rateLimitSeconds: MINUTE };
}

/** A change with what the client saw of the quotas. */
export function toUpdateTokenInput(wire: WireToken): UpdateTokenInput {
  const { id, status, seen_remain_quota: remain, used_quota: used } = wire;
  return {
    ...fromWireToken(wire),
    id,
    ...(remain === undefined ? {} : { seen: { remainQuota: remain } }),
    usedQuotaSeen: usedOfRow(used),
    statusSeen: status,
  };
}

export function toCreateTokenInput(wire: z.output<typeof wireNewTokenSchema>): CreateTokenInput {
  return {
    ...fromWireToken(wire),
    name: wire.name ?? "",
    ...(wire.status === undefined ? {} : { status: wire.status }),
  };
}
