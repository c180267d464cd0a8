import { CircleCheck, CircleHelp, CircleSlash, TicketCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";

/** Status of a code in words with an icon; the colour only repeats it. */
export function RedemptionStatus({ status }: { status: number }) {
  const t = useTranslations("redemption");
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
  if (status === 3)
    return (
      <Badge hue="grey">
        <TicketCheck aria-hidden />
        {t("status3")}
      </Badge>
    );
  return (
    <Badge>
      <CircleHelp aria-hidden />
      {t("statusUnknown")}
    </Badge>
  );
}
