import { useTranslations } from "next-intl";
import { Converted } from "@/components/format/converted";
import { GroupBadge } from "@/components/format/group-badge";
import { formatNumber, formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Avatar } from "@/components/shell/avatar";
import { Badge, hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import type { User } from "@/lib/user/types";
import { ModelChips } from "./model-chips";

const ROOT = 100;

type ProfileCardProps = { own: User; models: string[]; display: QuotaDisplay };

export function ProfileCard({ own, models, display }: ProfileCardProps) {
  const t = useTranslations("personal");
  const figures = [
    { id: "balance", label: t("balance"), value: formatQuota(own.quota, display), quota: own.quota },
    { id: "spent", label: t("spent"), value: formatQuota(own.usedQuota, display), quota: own.usedQuota },
    { id: "requests", label: t("requests"), value: formatNumber(own.requestCount), quota: null },
  ];
  return (
    <section aria-labelledby="profile-name" className="rounded-lg border bg-surface">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3 px-5 py-4">
        <Avatar name={own.username} hue={hueOf(own.username)} large />
        <div className="min-w-0 flex-1">
          <h2 dir="auto" id="profile-name" className="truncate font-semibold text-base">
            {own.displayName || own.username}
          </h2>
          <p className="mt-1 flex flex-wrap items-center gap-1.5">
            <RoleTag role={own.role} />
            <Badge className="tabular-nums">{`ID ${own.id}`}</Badge>
            <GroupBadge group={own.group} />
          </p>
        </div>
        <Button asChild size="md">
          <Link href="/user/edit">{t("editProfile")}</Link>
        </Button>
      </div>
      <dl className="grid border-y max-sm:divide-y sm:grid-cols-3 sm:divide-x">
        {figures.map((figure) => (
          <div key={figure.id} className="px-5 py-3.5 max-sm:flex max-sm:items-baseline max-sm:justify-between">
            <dt className="text-muted-foreground text-xs">{figure.label}</dt>
            <dd
              dir="auto"
              data-testid={`figure-${figure.id}`}
              className="font-semibold text-lg tabular-nums tracking-tight"
            >
              {figure.value} {figure.quota === null ? null : <Converted quota={figure.quota} display={display} />}
            </dd>
          </div>
        ))}
      </dl>
      <ModelChips models={models} />
    </section>
  );
}

/** Red for a super administrator, blue for everybody else, administrators included (decision T11). */
function RoleTag({ role }: { role: number }) {
  const t = useTranslations("personal");
  return role >= ROOT ? <Badge hue="red">{t("badgeAdmin")}</Badge> : <Badge hue="blue">{t("badgeUser")}</Badge>;
}
