import { useTranslations } from "next-intl";
import { formatTime, useInBrowser } from "@/components/format/time";
import type { ArchiveStatus } from "@/lib/usage-log/archive-status-queries";

/** Where cleared entries are archived, and how that goes. */
export function ArchiveNote({ status }: { status: ArchiveStatus }) {
  const t = useTranslations("setting.archive");
  // Times are in the browser's time zone.
  if (!useInBrowser()) return null;
  const { place, newest, waitingBefore, failure } = status;
  const minute = (seconds: number) => formatTime(seconds).slice(0, 16);
  return (
    <div className="flex flex-col gap-1 text-muted-foreground text-xs">
      {place !== "" && <p className="text-pretty [overflow-wrap:anywhere]">{t("place", { place })}</p>}
      {newest && (
        <p>{t("newest", { rows: String(newest.rows), until: minute(newest.until), at: minute(newest.createdAt) })}</p>
      )}
      {waitingBefore !== null && <p>{t("waiting", { until: minute(waitingBefore) })}</p>}
      {failure && (
        <p role="alert" className="text-pretty text-destructive [overflow-wrap:anywhere]">
          {t("failing", { since: minute(failure.since), reason: failure.reason })}
        </p>
      )}
    </div>
  );
}
