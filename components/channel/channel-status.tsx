"use client";

import { CircleCheck, CircleHelp, CircleSlash, ShieldAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { formatTime } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Tooltip } from "@/components/ui/tooltip";

type ChannelStatusProps = { status: number; reason?: string | undefined; since?: number | undefined };

/** Status of a channel in words with an icon; of one that the system took out of service also why and when. */
export function ChannelStatus({ status, reason, since }: ChannelStatusProps) {
  const t = useTranslations("channel");
  if (status === 1)
    return (
      <Badge hue="green">
        <CircleCheck aria-hidden />
        {t("statusEnabled")}
      </Badge>
    );
  if (status === 2)
    return (
      <Badge hue="yellow">
        <CircleSlash aria-hidden />
        {t("statusDisabled")}
      </Badge>
    );
  if (status !== 3)
    return (
      <Badge>
        <CircleHelp aria-hidden />
        {t("statusUnknown")}
      </Badge>
    );
  const lines = [
    t("autoReason", { reason: reason || t("statusUnknown") }),
    ...(since ? [t("autoTime", { time: formatTime(since) })] : []),
  ];
  return (
    <Tooltip label={lines.join("\n")}>
      <button type="button" className="rounded">
        <Badge hue="amber">
          <ShieldAlert aria-hidden />
          {t("statusAuto")}
        </Badge>
      </button>
    </Tooltip>
  );
}
