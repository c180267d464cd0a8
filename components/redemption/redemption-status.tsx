import { CircleCheck, CircleSlash, Clock, TicketCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { StatusBadge, type StatusLook } from "@/components/ui/status-badge";
import { REDEMPTION_STATUS } from "@/lib/row-status";

const LOOKS = {
  [REDEMPTION_STATUS.unused]: { hue: "green", icon: CircleCheck },
  [REDEMPTION_STATUS.disabled]: { hue: "red", icon: CircleSlash },
  [REDEMPTION_STATUS.used]: { hue: "grey", icon: TicketCheck },
} as const satisfies Record<number, StatusLook>;

const EXPIRED = { hue: "yellow", icon: Clock } as const satisfies StatusLook;

/** `isExpired`: nobody can redeem it any more, although it is unused. */
export function RedemptionStatus({ status, isExpired }: { status: number; isExpired: boolean }) {
  const t = useTranslations("redemption");
  if (status === REDEMPTION_STATUS.unused && isExpired) return <StatusBadge look={EXPIRED} text={t("statusExpired")} />;
  if (status === REDEMPTION_STATUS.unused || status === REDEMPTION_STATUS.disabled || status === REDEMPTION_STATUS.used)
    return <StatusBadge look={LOOKS[status]} text={t(`status${status}`)} />;
  return <StatusBadge text={t("statusUnknown")} />;
}
