"use client";

import { CircleCheck, CircleHelp, CircleSlash, UserX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useRoleName } from "@/components/shell/role-name";
import { Badge, type Hue } from "@/components/ui/badge";

const ROLE_HUES: Record<number, Hue> = { 1: "grey", 10: "yellow", 100: "orange" };

/** The level of an account in words; the colour only repeats it. */
export function RoleBadge({ role }: { role: number }) {
  const roleName = useRoleName();
  return <Badge hue={ROLE_HUES[role] ?? "red"}>{roleName(role)}</Badge>;
}

/** The state of an account in words with an icon. */
export function UserStatus({ status, deleted }: { status: number; deleted: boolean }) {
  const t = useTranslations("user");
  if (deleted)
    return (
      <Badge hue="red">
        <UserX aria-hidden />
        {t("statusDeleted")}
      </Badge>
    );
  if (status === 1)
    return (
      <Badge hue="green">
        <CircleCheck aria-hidden />
        {t("status1")}
      </Badge>
    );
  if (status === 2)
    return (
      <Badge hue="red">
        <CircleSlash aria-hidden />
        {t("status2")}
      </Badge>
    );
  return (
    <Badge>
      <CircleHelp aria-hidden />
      {t("statusUnknown")}
    </Badge>
  );
}
