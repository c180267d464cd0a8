import { CircleCheck, CircleHelp, CircleSlash, Clock, Hourglass } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";

/** Status of a token in words with an icon; the colour only repeats it. */
export function TokenStatus({ status, limited }: { status: number; limited: boolean }) {
  const t = useTranslations("token");
  if (status === 1)
    return (
      <Badge hue="green">
        <CircleCheck aria-hidden />
        {limited ? t("status1Limited") : t("status1")}
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
      <Badge hue="yellow">
        <Clock aria-hidden />
        {t("status3")}
      </Badge>
    );
  if (status === 4)
    return (
      <Badge hue="grey">
        <Hourglass aria-hidden />
        {t("status4")}
      </Badge>
    );
  return (
    <Badge>
      <CircleHelp aria-hidden />
      {t("statusUnknown")}
    </Badge>
  );
}
