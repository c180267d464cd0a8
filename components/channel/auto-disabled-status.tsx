"use client";

import { useTranslations } from "next-intl";
import { formatTime } from "@/components/format/time";
import { Hint } from "@/components/overlay/hint";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { ChannelStatus } from "./channel-status";

type AutoDisabledStatusProps = { otherInfo: { status_reason?: string; status_time?: number } };

/** The status of a channel that the system disabled; its tooltip says why and when. */
export function AutoDisabledStatus({ otherInfo }: AutoDisabledStatusProps) {
  const t = useTranslations("channel");
  const { status_reason: reason, status_time: since } = otherInfo;
  const label = [t("autoReason", { reason: reason || t("statusUnknown") }), since ? formatTime(since) : ""];
  return (
    <Hint
      label={
        <span dir="auto" className="break-words">
          {label.filter(Boolean).join(" · ")}
        </span>
      }
    >
      <button type="button" className="rounded">
        <ChannelStatus status={CHANNEL_STATUS.autoDisabled} />
      </button>
    </Hint>
  );
}
