import { ArrowLeft, ChartColumn, Pencil, ScrollText } from "lucide-react";
import type { Route } from "next";
import { useTranslations } from "next-intl";
import { GroupBadge } from "@/components/format/group-badge";
import { Avatar } from "@/components/shell/avatar";
import { hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import type { User } from "@/lib/user/types";
import { RoleBadge, UserStatus } from "./user-badges";

/** Name and badges of the user, with links to their log, dashboard and edit drawer. */
export function UserHeading({ user }: { user: User }) {
  const t = useTranslations("user");
  const common = useTranslations("common");
  const name = encodeURIComponent(user.username);
  const links = [
    { href: `/log?username=${name}`, label: t("openLog"), Icon: ScrollText },
    { href: `/detail?username=${name}`, label: t("openDashboard"), Icon: ChartColumn },
    { href: `/user?edit=${user.id}`, label: common("edit"), Icon: Pencil },
  ];
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <Link
          href="/user"
          className="inline-flex items-center gap-1 rounded text-muted-foreground text-xs hover:underline"
        >
          <ArrowLeft className="size-3.5" aria-hidden />
          {t("title")}
        </Link>
        <h1 dir="auto" className="mt-1 flex items-center gap-2 break-words font-semibold text-lg tracking-tight">
          <Avatar name={user.username} hue={hueOf(user.username)} />
          {user.username}
          {user.displayName && user.displayName !== user.username ? (
            <span dir="auto" className="font-normal text-base text-muted-foreground">
              {user.displayName}
            </span>
          ) : null}
        </h1>
        <p className="mt-1 flex flex-wrap items-center gap-1.5 text-muted-foreground text-xs">
          <span className="tabular-nums">#{user.id}</span>
          <RoleBadge role={user.role} />
          <UserStatus status={user.status} deleted={false} />
          <GroupBadge group={user.group} />
        </p>
      </div>
      <span className="flex flex-wrap gap-2">
        {links.map(({ href, label, Icon }) => (
          <Button key={href} asChild size="md">
            <Link href={href as Route}>
              <Icon aria-hidden />
              {label}
            </Link>
          </Button>
        ))}
      </span>
    </header>
  );
}
