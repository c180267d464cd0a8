import type { Sql } from "@/db/client";
import { type Balances, readBalances } from "@/lib/snapshot/queries";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Caller } from "../../admission/authenticate";
import type { KeyLimits } from "../../admission/limits";
import { RelayError } from "../../base/relay-error";
import { effectiveGroup } from "../../routing/route";

type Needs = { sql: Sql; keyLimits: KeyLimits };

/**
 * What a key may know of itself, in OpenRouter's names where there are any: amounts are in money. Of the account it learns what it would
 * find out by calls alone: what it can spend, whether a budget of the account is used up, the limits in a time.
 */
export async function keyView(caller: Caller, snapshot: Snapshot, { sql, keyLimits }: Needs): Promise<object> {
  const { token } = caller;
  const { options } = snapshot;
  const [balances, { budgets, rates }] = await Promise.all([readBalances(sql, token), keyLimits(caller, options)]);
  if (!balances) throw new RelayError("invalid_api_key", "invalid API key");
  const money = (quota: number): number => quota / options.QuotaPerUnit;
  const { unlimitedQuota, remainQuota, tokenUsedQuota, expiredTime } = balances;
  return {
    data: {
      label: `sk-${token.keyHint}`,
      balance: money(spendable(balances)),
      limit: unlimitedQuota ? null : money(remainQuota + tokenUsedQuota),
      limit_remaining: unlimitedQuota ? null : money(remainQuota),
      usage: money(tokenUsedQuota),
      quota_per_unit: options.QuotaPerUnit,
      expires_at: expiredTime === -1 ? null : toMoment(expiredTime),
      group: effectiveGroup(caller, snapshot),
      models: token.modelLimitsEnabled ? [...token.models].sort() : null,
      operations: token.operations.size > 0 ? [...token.operations] : null,
      budgets: budgets.map(({ owner, period, limit, left, resetsAt }) => ({
        scope: owner === "token" ? "key" : "account",
        period,
        ...(owner === "token" ? { limit: money(limit), remaining: money(Math.max(0, left)) } : {}),
        is_used_up: left <= 0,
        resets_at: toMoment(resetsAt),
      })),
      rate_limits: rates.map(({ of, scope, limit, remaining, seconds, resetSeconds }) => ({
        scope,
        of,
        limit,
        remaining,
        interval_seconds: seconds,
        reset_seconds: Math.ceil(resetSeconds),
      })),
      concurrency_limit: token.concurrencyLimit > 0 ? token.concurrencyLimit : null,
    },
  };
}

/** What its next requests can cost: the account pays for them, within the key's own limit. */
function spendable({ unlimitedQuota, remainQuota, userQuota }: Balances): number {
  return Math.max(0, unlimitedQuota ? userQuota : Math.min(remainQuota, userQuota));
}

const toMoment = (seconds: number): string => new Date(seconds * 1_000).toISOString();
