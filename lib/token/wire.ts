import { z } from "zod";
import { usedOfRow } from "@/lib/billing/meant-change";
import { idField } from "@/lib/http/id";
import { fromWireLimits, toWireBudgets, wireLimits } from "@/lib/limit/wire";
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

/** The fields a client may set. Clients send back whole rows; other fields are ignored. */
export const wireTokenSchema = z.object({
  id: idField.optional(),
  status: z.number().int().optional(),
  name: z.string().optional(),
  expired_time: z.number().optional(),
  remain_quota: z.number().optional(),
  /** What the client saw as remaining; the difference to it is applied. */
  seen_remain_quota: z.number().optional(),
  /** Read-only. In a whole row sent back it tells which charges the client had seen. */
  used_quota: z.unknown().optional(),
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
  ...wireLimits,
});
export type WireToken = z.output<typeof wireTokenSchema>;

/** The fields under their internal names; null becomes empty, absent stays absent. */
function fromWireToken(wire: WireToken): Partial<Omit<UpdateTokenInput, "id">> {
  const { requestsPerMinute: _ofUsers, ...limits } = fromWireLimits(wire);
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
    rateLimitCount: wire.rate_limit_count,
    rateLimitSeconds: wire.rate_limit_seconds,
    rateLimitMessage: wire.rate_limit_message === null ? "" : wire.rate_limit_message,
  };
  return Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== undefined));
}

/** A change with what the client saw of the quotas. */
export function toUpdateTokenInput(wire: WireToken & { id: number }): UpdateTokenInput {
  const { id, seen_remain_quota: remain, used_quota: used } = wire;
  return {
    ...fromWireToken(wire),
    id,
    ...(remain === undefined ? {} : { remainQuotaSeen: remain }),
    usedQuotaSeen: usedOfRow(used),
  };
}

export function toCreateTokenInput(wire: WireToken): CreateTokenInput {
  return { ...fromWireToken(wire), name: wire.name ?? "" };
}
