"use client";

import { ShieldAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Link } from "@/components/ui/link";
import { toast } from "@/components/ui/toast";
import { CHANNEL_STATUS, LOG_TYPE } from "@/lib/row-status";
import { setChannelStatus } from "./actions";

type AutoDisabledNoticeProps = {
  channel: { id: number; name: string; otherInfo: { status_reason?: string; status_time?: number } };
};

/** Says why and when the system disabled a channel, lists the failed requests, and offers to enable it again. */
export function AutoDisabledNotice({ channel }: AutoDisabledNoticeProps) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const { status_reason: reason, status_time: since } = channel.otherInfo;
  const onEnable = () =>
    run(
      () => setChannelStatus({ id: channel.id, status: CHANNEL_STATUS.enabled }),
      () => toast.success(common("enabled"), { duration: 1500 }),
    );
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-foreground text-xs">
      <ShieldAlert className="size-4 shrink-0 text-warning" aria-hidden />
      <p dir="auto" className="min-w-0 flex-1 basis-64 break-words">
        {t("autoReason", { reason: reason || t("statusUnknown") })}
        {since ? (
          <span className="text-muted-foreground">
            {" · "}
            <Time seconds={since} />
          </span>
        ) : null}
      </p>
      <span className="flex gap-1.5">
        <Button asChild variant="ghost" className="h-7 px-2 text-xs">
          <Link href={`/log?channel=${channel.id}&type=${LOG_TYPE.error}`}>{t("failedRequests")}</Link>
        </Button>
        <Button className="h-7 px-2 text-xs" pending={pending} onClick={onEnable}>
          {t("enableAgain")}
        </Button>
      </span>
    </div>
  );
}
