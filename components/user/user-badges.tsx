"use client";

import { CircleCheck, CircleSlash, UserX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useRoleName } from "@/components/shell/role-name";
import { Badge, type Hue } from "@/components/ui/badge";
import { StatusBadge, type StatusLook } from "@/components/ui/status-badge";
import { USER_STATUS } from "@/lib/row-status";

const ROLE_HUES: Record<number, Hue> = { 1: "grey", 10: "yellow", 100: "orange" };

/** The role as text; the colour is not the only cue. */
export function RoleBadge({ role }: { role: number }) {
  const roleName = useRoleName();
  return <Badge hue={ROLE_HUES[role] ?? "red"}>{roleName(role)}</Badge>;
}

const STATUS_LOOKS = {
  [USER_STATUS.enabled]: { hue: "green", icon: CircleCheck },
  [USER_STATUS.disabled]: { hue: "red", icon: CircleSlash },
} as const satisfies Record<number, StatusLook>;

export function UserStatus({ status, deleted }: { status: number; deleted: boolean }) {
  const t = useTranslations("user");
  if (deleted) return <StatusBadge look={{ hue: "red", icon: UserX }} text={t("statusDeleted")} />;
  if (status === USER_STATUS.enabled || status === USER_STATUS.disabled)
    return <StatusBadge look={STATUS_LOOKS[status]} text={t(`status${status}`)} />;
  return <StatusBadge text={t("statusUnknown")} />;
}
