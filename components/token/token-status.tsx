import { CircleCheck, CircleSlash, Clock, Hourglass } from "lucide-react";
import { useTranslations } from "next-intl";
import { StatusBadge, type StatusLook } from "@/components/ui/status-badge";

const LOOKS = {
  1: { hue: "green", icon: CircleCheck },
  2: { hue: "red", icon: CircleSlash },
  3: { hue: "yellow", icon: Clock },
  4: { hue: "grey", icon: Hourglass },
} as const satisfies Record<number, StatusLook>;

/** The status of a token; one that is on may be limited to some models. */
export function TokenStatus({ status, limited }: { status: number; limited: boolean }) {
  const t = useTranslations("token");
  if (status === 1) return <StatusBadge look={LOOKS[1]} text={limited ? t("status1Limited") : t("status1")} />;
  if (status === 2 || status === 3 || status === 4)
    return <StatusBadge look={LOOKS[status]} text={t(`status${status}`)} />;
  return <StatusBadge text={t("statusUnknown")} />;
}
