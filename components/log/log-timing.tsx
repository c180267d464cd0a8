import { useTranslations } from "next-intl";
import { Badge, type Hue } from "@/components/ui/badge";

const SLOW_S = 101;
const VERY_SLOW_S = 300;
const FIRST_SLOW_S = 3;
const FIRST_VERY_SLOW_S = 10;

function hueOf(seconds: number, slow: number, verySlow: number): Hue {
  if (seconds < slow) return "green";
  return seconds < verySlow ? "orange" : "red";
}

/** Colour of the request duration (B292): green below 101 s, orange below 300 s, else red. */
export const timeHue = (seconds: number): Hue => hueOf(seconds, SLOW_S, VERY_SLOW_S);

/** Colour of the time to the first token (B293): green below 3 s, orange below 10 s, else red. */
export const firstTokenHue = (seconds: number): Hue => hueOf(seconds, FIRST_SLOW_S, FIRST_VERY_SLOW_S);

type LogTimingProps = { useTimeMs: number; firstTokenMs: number | null; isStream: boolean };

/** Request duration, time to the first token, and whether it was streamed. */
export function LogTiming({ useTimeMs, firstTokenMs, isStream }: LogTimingProps) {
  const t = useTranslations("log");
  const common = useTranslations("common");
  const total = useTimeMs / 1000;
  const first = firstTokenMs === null ? null : firstTokenMs / 1000;
  return (
    <span className="flex flex-wrap gap-1 max-md:justify-end">
      <Badge hue={timeHue(total)} className="whitespace-nowrap tabular-nums">
        {common("seconds", { value: total.toFixed(1) })}
      </Badge>
      {isStream && first !== null ? (
        <Badge hue={firstTokenHue(first)} className="whitespace-nowrap tabular-nums">
          {common("seconds", { value: first.toFixed(1) })}
        </Badge>
      ) : null}
      <Badge hue={isStream ? "blue" : "purple"} className="whitespace-nowrap">
        {isStream ? t("stream") : t("nonStream")}
      </Badge>
    </span>
  );
}
