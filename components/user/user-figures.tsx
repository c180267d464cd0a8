"use client";

import { Activity, HandCoins, type LucideIcon, ReceiptText, UserPlus, UserRound, Wallet } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { formatNumber, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Hint } from "@/components/overlay/hint";
import { Badge, badgeVariants } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import { Link } from "@/components/ui/link";
import type { UserRow } from "./user-row";

/** A figure with its name as tooltip (hover and focus) and for screen readers. */
function Figure({ name, icon: Icon, children }: { name: string; icon: LucideIcon; children: ReactNode }) {
  return (
    <Hint label={name}>
      <button type="button" className="rounded">
        <Badge className="tabular-nums">
          <Icon className="opacity-70" aria-hidden />
          <span className="sr-only">{`${name}: `}</span>
          {children}
        </Badge>
      </button>
    </Hint>
  );
}

export function UserStatistics({ user }: { user: UserRow }) {
  const t = useTranslations("user");
  const display = useQuotaDisplay();
  return (
    <span className="flex flex-wrap gap-1 max-md:justify-end">
      <Figure name={t("remaining")} icon={Wallet}>
        {formatQuota(user.quota, display)}
      </Figure>
      <Figure name={t("used")} icon={ReceiptText}>
        {formatQuota(user.usedQuota, display)}
      </Figure>
      <Figure name={t("requests")} icon={Activity}>
        {formatNumber(user.requestCount)}
      </Figure>
    </span>
  );
}

export function UserInvitations({ user }: { user: UserRow }) {
  const t = useTranslations("user");
  const display = useQuotaDisplay();
  const { inviterId, inviterUsername } = user;
  return (
    <span className="flex flex-wrap gap-1 max-md:justify-end">
      <Figure name={t("invited")} icon={UserPlus}>
        {formatNumber(user.affCount)}
      </Figure>
      <Figure name={t("earned")} icon={HandCoins}>
        {formatQuota(user.affHistoryQuota, display)}
      </Figure>
      {inviterId ? (
        <Hint label={t("inviterId")}>
          <Link href={`/user/${inviterId}`} className={cn(badgeVariants(), "tabular-nums hover:underline")}>
            <UserRound className="opacity-70" aria-hidden />
            <span className="sr-only">{`${t("inviterId")}: `}</span>
            {`#${inviterId} ${inviterUsername ?? ""}`.trim()}
          </Link>
        </Hint>
      ) : (
        <Figure name={t("inviterId")} icon={UserRound}>
          {t("noInviter")}
        </Figure>
      )}
    </span>
  );
}
