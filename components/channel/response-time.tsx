"use client";

import { useTranslations } from "next-intl";
import { formatTime } from "@/components/format/time";
import { Hint } from "@/components/overlay/hint";
import { Badge, type Hue } from "@/components/ui/badge";

/** Up to 1 s green, up to 3 s lime, up to 5 s yellow, above red (B291). */
export function hueOfTime(milliseconds: number): Hue {
  if (milliseconds <= 1_000) return "green";
  if (milliseconds <= 3_000) return "lime";
  return milliseconds <= 5_000 ? "yellow" : "red";
}

/** The duration of the last test; its time shows in the hint. */
export function ResponseTime({ milliseconds, testedAt }: { milliseconds: number; testedAt: number }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  if (milliseconds === 0) return <Badge hue="grey">{t("untested")}</Badge>;
  const value = (milliseconds / 1000).toFixed(2);
  const badge = (
    <Badge hue={hueOfTime(milliseconds)} className="tabular-nums">
      {common("seconds", { value })}
    </Badge>
  );
  // The mean of several channels has no test time.
  if (testedAt === 0) return badge;
  return (
    <Hint label={t("testedAt", { time: formatTime(testedAt) })}>
      <button type="button" className="rounded">
        {badge}
      </button>
    </Hint>
  );
}
