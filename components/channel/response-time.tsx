"use client";

import { useTranslations } from "next-intl";
import { formatTime } from "@/components/format/time";
import { Badge, type Hue } from "@/components/ui/badge";
import { Tooltip } from "@/components/ui/tooltip";

function hueOfTime(milliseconds: number): Hue {
  if (milliseconds <= 1_000) return "green";
  if (milliseconds <= 3_000) return "lime";
  return milliseconds <= 5_000 ? "yellow" : "red";
}

/** How long the last test took, and on demand when that was. */
export function ResponseTime({ milliseconds, testedAt }: { milliseconds: number; testedAt: number }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  if (milliseconds === 0) return <Badge hue="grey">{t("untested")}</Badge>;
  const value = (milliseconds / 1000).toFixed(2);
  return (
    <Tooltip label={t("testedAt", { time: formatTime(testedAt) })}>
      <button type="button" className="rounded">
        <Badge hue={hueOfTime(milliseconds)} className="tabular-nums">
          {common("seconds", { value })}
        </Badge>
      </button>
    </Tooltip>
  );
}
