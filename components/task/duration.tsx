import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";

const SLOW_SECONDS = 60;

/** Lets timestamps wrap between date and time, which saves width in tables with many columns. */
export const WRAPPING_TIME = "[&_time]:inline-block [&_time]:min-w-[11ch] [&_time]:whitespace-normal";

/** Duration of a task, red above 60 s (B294). Times are unix milliseconds; 0 = not yet known, shown as a dash. */
export function Duration({ submitMs, finishMs }: { submitMs: number; finishMs: number }) {
  const t = useTranslations("common");
  if (submitMs <= 0 || finishMs <= 0 || finishMs < submitMs) return "—";
  const seconds = (finishMs - submitMs) / 1000;
  return (
    <Badge hue={seconds > SLOW_SECONDS ? "red" : "green"} data-testid="duration" className="tabular-nums">
      {t("seconds", { value: seconds.toFixed(1) })}
    </Badge>
  );
}
