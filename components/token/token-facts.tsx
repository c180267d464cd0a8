import { getTranslations } from "next-intl/server";
import { type Fact, FactList } from "@/components/data-table/fact-list";
import { splitList } from "@/components/form/split-list";
import { BudgetList } from "@/components/format/budget-list";
import { GroupBadge } from "@/components/format/group-badge";
import { ModelChip } from "@/components/format/model-chip";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { isHashOnly } from "@/lib/key-hint";
import type { BudgetState } from "@/lib/limit/budget-queries";
import type { Token, TokenUsage } from "@/lib/token/types";
import { TokenLimits } from "./token-limits";
import { TokenStatus } from "./token-status";

type TokenFactsProps = {
  token: Token;
  usage: TokenUsage | undefined;
  budgets: readonly BudgetState[];
  display: QuotaDisplay;
};

/** An API key with all that limits it; never with the key. */
export async function TokenFacts({ token, usage, budgets, display }: TokenFactsProps) {
  const [t, common, limits] = await Promise.all([
    getTranslations("token"),
    getTranslations("common"),
    limitFacts({ token, budgets, display }),
  ]);
  const week = usage
    ? t("usageWeek", {
        amount: formatQuota(
          usage.quota.reduce((sum, quota) => sum + quota, 0),
          display,
        ),
        count: usage.count,
      })
    : t("usageNone");
  const facts: Fact[] = [
    { label: t("key"), value: <KeyHint token={token} note={t("keyHashOnly")} /> },
    { label: t("status"), value: <TokenStatus status={token.status} limited={token.modelLimitsEnabled} /> },
    { label: t("group"), value: <GroupBadge group={token.group} /> },
    { label: t("used"), value: `${formatQuota(token.usedQuota, display)}\n${week}` },
    {
      label: t("remain"),
      value: token.unlimitedQuota ? common("unlimited") : formatQuota(token.remainQuota, display),
    },
    ...limits,
    { label: t("created"), value: <Time seconds={token.createdTime} /> },
    { label: t("lastUsed"), value: token.accessedTime > 0 ? <Time seconds={token.accessedTime} /> : t("neverUsed") },
    {
      label: t("expires"),
      value: token.expiredTime === -1 ? common("never") : <Time seconds={token.expiredTime} />,
    },
  ];
  return <FactList facts={facts} />;
}

/** `note`: what is said of a key of which only the hash is known. */
function KeyHint({ token, note }: { token: Token; note: string }) {
  return (
    <>
      <code className="font-mono text-xs">{`sk-${token.keyHint}`}</code>
      {isHashOnly(token) ? <p className="text-muted-foreground text-pretty text-xs">{note}</p> : null}
    </>
  );
}

async function limitFacts({ token, budgets, display }: Omit<TokenFactsProps, "usage">): Promise<Fact[]> {
  const [t, limit] = await Promise.all([getTranslations("token"), getTranslations("limit")]);
  const models = token.modelLimitsEnabled ? splitList(token.modelLimits) : [];
  const badges = <TokenLimits token={token} />;
  const hasBadges =
    token.operationLimits !== "" ||
    token.allowIps.trim() !== "" ||
    token.denyIps.trim() !== "" ||
    token.rateLimitCount > 0;
  return [
    ...(hasBadges ? [{ label: t("advanced"), value: <span className="flex flex-wrap gap-1">{badges}</span> }] : []),
    ...(models.length > 0
      ? [
          {
            label: t("models"),
            value: (
              <span className="flex flex-wrap gap-1">
                {models.map((model) => (
                  <ModelChip key={model} model={model} />
                ))}
              </span>
            ),
          },
        ]
      : []),
    ...text(t("allowIps"), token.allowIps),
    ...text(t("denyIps"), token.denyIps),
    ...text(limit("tokensPerMinute"), numberText(token.tokensPerMinute)),
    ...text(limit("concurrencyLimit"), numberText(token.concurrencyLimit)),
    ...(budgets.length > 0
      ? [{ label: limit("budgets"), value: <BudgetList budgets={budgets} display={display} /> }]
      : []),
  ];
}

/** Zero is no limit. */
const numberText = (value: number): string => (value === 0 ? "" : value.toLocaleString("en-US"));
const text = (label: string, value: string): Fact[] => (value.trim() === "" ? [] : [{ label, value: value.trim() }]);
