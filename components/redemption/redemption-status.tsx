import { CircleCheck, CircleSlash, TicketCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { StatusBadge, type StatusLook } from "@/components/ui/status-badge";

const LOOKS = {
  1: { hue: "green", icon: CircleCheck },
  2: { hue: "red", icon: CircleSlash },
  3: { hue: "grey", icon: TicketCheck },
} as const satisfies Record<number, StatusLook>;

/** The status of a code. */
export function RedemptionStatus({ status }: { status: number }) {
  const t = useTranslations("redemption");
  if (status === 1 || status === 2 || status === 3)
    return <StatusBadge look={LOOKS[status]} text={t(`status${status}`)} />;
  return <StatusBadge text={t("statusUnknown")} />;
}
