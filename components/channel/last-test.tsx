"use client";

import { useFormatter, useTranslations } from "next-intl";
import { formatTime, useInBrowser } from "@/components/format/time";
import { Hint } from "@/components/overlay/hint";
import { Badge, type Hue } from "@/components/ui/badge";
import type { Channel } from "@/lib/channel/types";

/** Up to 1 s green, up to 3 s lime, up to 5 s yellow, above red (B291). */
export function hueOfTime(milliseconds: number): Hue {
  if (milliseconds <= 1_000) return "green";
  if (milliseconds <= 3_000) return "lime";
  return milliseconds <= 5_000 ? "yellow" : "red";
}

type LastTestProps = {
  channel: Pick<Channel, "testTime" | "testError" | "responseTime">;
  /** Leaves the age to the tooltip. */
  isBrief?: boolean;
};

/** When the channel was last tested, and how it went. Says nothing about its traffic. */
export function LastTest({ channel, isBrief = false }: LastTestProps) {
  const t = useTranslations("channelTraffic");
  const common = useTranslations("common");
  const format = useFormatter();
  const inBrowser = useInBrowser();
  const { testTime, testError, responseTime } = channel;
  if (testTime === 0) return <TestTime milliseconds={responseTime} />;
  const label = [formatTime(testTime), testError ? t("testFailed", { reason: testError }) : ""];
  return (
    <span className="flex flex-col items-start gap-0.5 max-md:[td_&]:items-end">
      <Hint
        label={
          <span dir="auto" className="break-words">
            {label.filter(Boolean).join(" · ")}
          </span>
        }
      >
        <button type="button" className="rounded">
          {testError ? (
            <Badge hue="red">{t("failed")}</Badge>
          ) : (
            <Badge hue={responseTime === 0 ? "grey" : hueOfTime(responseTime)} className="tabular-nums">
              {[
                testError === null ? "" : t("passed"),
                responseTime === 0 ? t("unknown") : common("seconds", { value: (responseTime / 1_000).toFixed(2) }),
              ]
                .filter(Boolean)
                .join(" · ")}
            </Badge>
          )}
        </button>
      </Hint>
      {isBrief ? null : (
        <time
          dateTime={new Date(testTime * 1_000).toISOString()}
          className="whitespace-nowrap text-muted-foreground text-xs"
        >
          {inBrowser ? format.relativeTime(new Date(testTime * 1_000), { now: new Date() }) : <>&nbsp;</>}
        </time>
      )}
    </span>
  );
}

/** The duration of a test, or the mean of several channels' tests. */
export function TestTime({ milliseconds }: { milliseconds: number }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  if (milliseconds === 0) return <Badge hue="grey">{t("untested")}</Badge>;
  return (
    <Badge hue={hueOfTime(milliseconds)} className="tabular-nums">
      {common("seconds", { value: (milliseconds / 1_000).toFixed(2) })}
    </Badge>
  );
}
