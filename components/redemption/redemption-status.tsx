import { CircleCheck, CircleSlash, TicketCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { StatusBadge, type StatusLook } from "@/components/ui/status-badge";
import { REDEMPTION_STATUS } from "@/lib/row-status";

const LOOKS = {
  [REDEMPTION_STATUS.unused]: { hue: "green", icon: CircleCheck },
  [REDEMPTION_STATUS.disabled]: { hue: "red", icon: CircleSlash },
  [REDEMPTION_STATUS.used]: { hue: "grey", icon: TicketCheck },
} as const satisfies Record<number, StatusLook>;

export function RedemptionStatus({ status }: { status: number }) {
  const t = useTranslations("redemption");
  if (status === REDEMPTION_STATUS.unused || status === REDEMPTION_STATUS.disabled || status === REDEMPTION_STATUS.used)
    return <StatusBadge look={LOOKS[status]} text={t(`status${status}`)} />;
  return <StatusBadge text={t("statusUnknown")} />;
}
