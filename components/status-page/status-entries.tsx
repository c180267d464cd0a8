import { Activity, CircleCheck, CircleHelp, CircleX, TriangleAlert } from "lucide-react";
import { getLocale, getTranslations } from "next-intl/server";
import { EmptyList } from "@/components/data-table/list-parts";
import { formatRate } from "@/components/format/quota";
import { Badge, type Hue } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import type { Condition, StatusEntry } from "@/lib/status-page/types";

const LOOKS: Record<Condition, { hue: Hue; Icon: typeof CircleCheck }> = {
  up: { hue: "green", Icon: CircleCheck },
  degraded: { hue: "yellow", Icon: TriangleAlert },
  down: { hue: "red", Icon: CircleX },
  unknown: { hue: "grey", Icon: CircleHelp },
};

async function ConditionBadge({ condition }: { condition: Condition }) {
  const t = await getTranslations("statusPage");
  const { hue, Icon } = LOOKS[condition];
  return (
    <Badge hue={hue}>
      <Icon aria-hidden />
      {t(`condition.${condition}`)}
    </Badge>
  );
}

/** Heights differ as well, so that the bars are told apart without their colours. */
const BARS: Record<Condition, string> = {
  up: "h-full bg-green-600 dark:bg-green-500",
  degraded: "h-3/4 bg-amber-500",
  down: "h-1/2 bg-red-600 dark:bg-red-500",
  unknown: "h-full bg-muted-foreground/25",
};
const LEGEND = ["up", "degraded", "down", "unknown"] as const;

/** Each model or group with its condition now and a bar for each day. */
export async function StatusEntries({ entries }: { entries: StatusEntry[] }) {
  const t = await getTranslations("statusPage");
  if (entries.length === 0)
    return <EmptyList icon={<Activity aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  return (
    <section aria-label={t("models")} className="rounded-lg border bg-surface">
      <ul className="divide-y">
        {entries.map((entry) => (
          <li key={entry.name} className="px-4 py-3">
            <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <h2 dir="auto" className="min-w-0 break-all font-medium">
                {entry.name}
              </h2>
              <ConditionBadge condition={entry.now} />
            </div>
            <Days entry={entry} />
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap gap-x-4 gap-y-1 border-t px-4 py-2.5 text-muted-foreground text-xs">
        {LEGEND.map((condition) => (
          <span key={condition} className="inline-flex items-center gap-1.5">
            <span className="flex h-3 w-1.5 items-end" aria-hidden>
              <span className={cn("w-full rounded-sm", BARS[condition])} />
            </span>
            {t(`day.${condition}`)}
          </span>
        ))}
        <span>{t("utc")}</span>
      </p>
    </section>
  );
}

async function Days({ entry: { days, uptime } }: { entry: StatusEntry }) {
  const [t, locale] = await Promise.all([getTranslations("statusPage"), getLocale()]);
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });
  const count = (condition: Condition) => days.filter((day) => day.condition === condition).length;
  const label = t("daysLabel", {
    days: days.length,
    up: count("up"),
    degraded: count("degraded"),
    down: count("down"),
    unknown: count("unknown"),
  });
  return (
    <>
      <div role="img" aria-label={label} className="mt-2 flex h-7 items-end gap-px sm:gap-0.5">
        {days.map(({ day, condition, uptime: rate }) => (
          <span
            key={day}
            title={`${format.format(day * 1_000)}: ${t(`day.${condition}`)}${rate === null ? "" : ` (${formatRate(rate)})`}`}
            className={cn("min-w-0 flex-1 rounded-[1px]", BARS[condition])}
          />
        ))}
      </div>
      <p className="mt-1 flex justify-between gap-2 text-muted-foreground text-xs tabular-nums">
        <span>{t("daysAgo", { days: days.length })}</span>
        <span>{uptime === null ? t("uptimeUnknown") : t("uptime", { rate: formatRate(uptime) })}</span>
        <span>{t("today")}</span>
      </p>
    </>
  );
}
