import { CircleCheck, CircleHelp, CircleSlash, ShieldAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge, type Hue } from "@/components/ui/badge";
import { CHANNEL_STATUS } from "@/lib/row-status";

const LOOKS: Record<number, { hue: Hue; Icon: typeof CircleCheck }> = {
  1: { hue: "green", Icon: CircleCheck },
  2: { hue: "yellow", Icon: CircleSlash },
  3: { hue: "amber", Icon: ShieldAlert },
};

export function ChannelStatus({ status }: { status: number }) {
  const name = useStatusName();
  const { hue, Icon } = LOOKS[status] ?? { hue: "grey", Icon: CircleHelp };
  return (
    <Badge hue={hue}>
      <Icon aria-hidden />
      {name(status)}
    </Badge>
  );
}

/** Works in server and client components. */
export function useStatusName(): (status: number) => string {
  const t = useTranslations("channel");
  return (status) => {
    if (status === CHANNEL_STATUS.enabled) return t("statusEnabled");
    if (status === CHANNEL_STATUS.disabled) return t("statusDisabled");
    return status === CHANNEL_STATUS.autoDisabled ? t("statusAuto") : t("statusUnknown");
  };
}
