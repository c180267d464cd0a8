import type { Sql } from "@/db/client";
import { readBalances } from "@/lib/snapshot/queries";
import type { Snapshot } from "@/lib/snapshot/store";
import type { Caller } from "../../admission/authenticate";
import { RelayError } from "../../base/relay-error";

const UNLIMITED = 100_000_000;

/** OpenAI's old billing endpoints, which some clients still call (contract §4.1). */
export async function billingView(
  kind: "subscription" | "usage",
  caller: Caller,
  { options }: Snapshot,
  sql: Sql,
): Promise<object> {
  const balances = await readBalances(sql, caller.token);
  if (!balances) throw new RelayError("invalid_api_key", "invalid API key");
  const byToken = options.DisplayTokenStatEnabled;
  const unit = options.DisplayInCurrencyEnabled ? options.QuotaPerUnit : 1;
  const used = byToken ? balances.tokenUsedQuota : balances.userUsedQuota;
  if (kind === "usage") return { object: "list", total_usage: (used / unit) * 100 };
  const left = byToken ? balances.remainQuota : balances.userQuota;
  const limit = byToken && balances.unlimitedQuota ? UNLIMITED : (left + used) / unit;
  return {
    object: "billing_subscription",
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Math.max(0, balances.expiredTime),
  };
}
