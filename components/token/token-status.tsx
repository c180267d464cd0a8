import { CircleCheck, CircleSlash, Clock, Hourglass } from "lucide-react";
import { useTranslations } from "next-intl";
import { StatusBadge, type StatusLook } from "@/components/ui/status-badge";
import { TOKEN_STATUS } from "@/lib/row-status";

const LOOKS = {
  [TOKEN_STATUS.enabled]: { hue: "green", icon: CircleCheck },
  [TOKEN_STATUS.disabled]: { hue: "red", icon: CircleSlash },
  [TOKEN_STATUS.expired]: { hue: "yellow", icon: Clock },
  [TOKEN_STATUS.exhausted]: { hue: "grey", icon: Hourglass },
} as const satisfies Record<number, StatusLook>;

/** The status of a token; an enabled token can be limited to some models. */
export function TokenStatus({ status, limited }: { status: number; limited: boolean }) {
  const t = useTranslations("token.statusName");
  if (status === TOKEN_STATUS.enabled)
    return <StatusBadge look={LOOKS[status]} text={limited ? t("status1Limited") : t("status1")} />;
  if (status === TOKEN_STATUS.disabled || status === TOKEN_STATUS.expired || status === TOKEN_STATUS.exhausted)
    return <StatusBadge look={LOOKS[status]} text={t(`status${status}`)} />;
  return <StatusBadge text={t("unknown")} />;
}
