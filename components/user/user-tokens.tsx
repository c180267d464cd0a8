"use client";

import type { Route } from "next";
import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Time } from "@/components/format/time";
import { TokenStatus } from "@/components/token/token-status";
import { Link } from "@/components/ui/link";
import type { Token } from "@/lib/token/types";

type UserTokensProps = { tokens: Token[]; total: number; username: string };

/** The user's most recently used tokens with links to their log rows. Keys are not shown: only the owner may see them. */
export function UserTokens({ tokens, total, username }: UserTokensProps) {
  const t = useTranslations("user");
  const display = useQuotaDisplay();
  if (tokens.length === 0) return <p className="px-4 py-3 text-muted-foreground">{t("tokensNone")}</p>;
  const hrefOf = ({ name }: Token) => `/log?${new URLSearchParams({ username, token: name })}` as Route;
  return (
    <>
      <ul className="divide-y">
        {tokens.map((token) => (
          <li key={token.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
            <span className="flex min-w-0 flex-1 basis-48 flex-col">
              <Link href={hrefOf(token)} className="truncate font-medium hover:underline">
                {token.name}
              </Link>
              <span className="text-muted-foreground text-xs">
                {token.accessedTime > 0
                  ? t.rich("tokenSeen", { time: () => <Time seconds={token.accessedTime} /> })
                  : t("tokenUnused")}
              </span>
            </span>
            <TokenStatus status={token.status} limited={token.modelLimitsEnabled} />
            <span className="text-right text-xs tabular-nums max-sm:flex max-sm:w-full max-sm:gap-3">
              <span className="block">{t("tokenUsed", { amount: formatQuota(token.usedQuota, display) })}</span>
              <span className="block text-muted-foreground">
                {t("tokenLeft", {
                  amount: token.unlimitedQuota ? t("unlimited") : formatQuota(token.remainQuota, display),
                })}
              </span>
            </span>
          </li>
        ))}
      </ul>
      {total > tokens.length ? (
        <p className="border-t px-4 py-2 text-muted-foreground text-xs">
          {t("shownOf", { shown: String(tokens.length), total: String(total) })}
        </p>
      ) : null}
    </>
  );
}
