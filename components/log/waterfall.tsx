"use client";

import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Badge, type Hue } from "@/components/ui/badge";
import { cn } from "@/components/ui/class-names";
import type { UsageLog } from "@/lib/usage-log/columns";
import { type AttemptBar, OUTCOMES, type Outcome, placeOf } from "./attempts";

const HUES: Record<Outcome, Hue> = {
  ok: "green",
  cut: "orange",
  gone: "grey",
  refused: "red",
  limited: "amber",
  timeout: "orange",
  request: "grey",
  usage: "red",
  failed: "red",
  hedged: "grey",
};
const COLOURS: Record<Outcome, string> = {
  ok: "bg-success",
  cut: "bg-warning",
  gone: "bg-muted-foreground",
  refused: "bg-destructive",
  limited: "bg-warning",
  timeout: "bg-warning",
  request: "bg-muted-foreground",
  usage: "bg-destructive",
  failed: "bg-destructive",
  hedged: "bg-muted-foreground",
};

/** The attempts of a request as a timeline with their outcomes (administrators only). */
export function Waterfall({ bars, row }: { bars: AttemptBar[]; row: UsageLog }) {
  const t = useTranslations("log");
  const totalMs = Math.max(row.useTimeMs, ...bars.map(({ startMs, ms }) => startMs + ms));
  return (
    <section aria-label={t("retryChain")} className="min-w-0">
      <h2 dir="auto" className="mb-1.5 font-medium text-muted-foreground text-xs">
        {t("retryChain")}
      </h2>
      <ol className="flex flex-col gap-2 rounded-md border bg-surface p-3" data-testid="attempts">
        {bars.map((bar, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same channel may be tried twice; the order never changes
          <li key={index} className="flex flex-col gap-1">
            <AttemptLine bar={bar} />
            <Track bar={bar} totalMs={totalMs} firstTokenMs={index === bars.length - 1 ? row.firstTokenMs : null} />
            {bar.message ? (
              <p dir="auto" className="break-words text-muted-foreground text-xs">
                {bar.message}
              </p>
            ) : null}
          </li>
        ))}
        <li aria-hidden className="flex justify-between text-muted-foreground text-xs tabular-nums">
          <span>0</span>
          <span>{t("milliseconds", { value: String(totalMs) })}</span>
        </li>
      </ol>
    </section>
  );
}

function AttemptLine({ bar }: { bar: AttemptBar }) {
  const t = useTranslations("log");
  const display = useQuotaDisplay();
  const outcome = toOutcome(bar.outcome);
  const names: Record<Outcome, string> = {
    ok: t("outcome.ok"),
    cut: t("outcome.cut"),
    gone: t("outcome.gone"),
    refused: t("outcome.refused"),
    limited: t("outcome.limited"),
    timeout: t("outcome.timeout"),
    request: t("outcome.request"),
    usage: t("outcome.usage"),
    failed: t("outcome.failed"),
    hedged: t("outcome.hedged"),
  };
  const ways = { repeat: t("continues.repeat"), prefill: t("continues.prefill") };
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge hue="blue">#{bar.channel}</Badge>
      {bar.model === undefined ? null : (
        <span dir="auto" className="break-all text-xs">
          {bar.model}
        </span>
      )}
      {bar.key === null ? null : (
        <span className="text-muted-foreground text-xs">{t("keyNumber", { key: String(bar.key) })}</span>
      )}
      <Badge hue={HUES[outcome]}>{names[outcome]}</Badge>
      {bar.continues === null ? null : <span className="text-xs">{ways[bar.continues]}</span>}
      {bar.status === null ? null : <span className="text-xs tabular-nums">HTTP {bar.status}</span>}
      {bar.cost === undefined || bar.cost === 0 ? null : (
        <span className="text-muted-foreground text-xs tabular-nums">
          {t("attemptCost", { cost: bar.cost === null ? t("costUnknown") : formatQuota(bar.cost, display, 6) })}
        </span>
      )}
      <span className="ml-auto text-muted-foreground text-xs tabular-nums">
        {t("attemptTime", { start: String(bar.startMs), ms: String(bar.ms) })}
      </span>
    </div>
  );
}

type TrackProps = { bar: AttemptBar; totalMs: number; firstTokenMs: number | null };

function Track({ bar, totalMs, firstTokenMs }: TrackProps) {
  const t = useTranslations("log");
  const { left, width } = placeOf(bar.startMs, bar.ms, totalMs);
  const first = firstTokenMs === null ? null : placeOf(firstTokenMs, 0, totalMs).left;
  return (
    <div className="relative h-2 rounded bg-muted">
      <div
        className={cn("absolute inset-y-0 rounded", COLOURS[toOutcome(bar.outcome)])}
        style={{ left: `${left}%`, width: `${width}%` }}
      />
      {first === null || firstTokenMs === null ? null : (
        <div
          title={t("firstTokenAt", { ms: String(firstTokenMs) })}
          className="absolute -inset-y-1 w-0.5 bg-foreground"
          style={{ left: `${first}%` }}
        />
      )}
    </div>
  );
}

function toOutcome(text: string): Outcome {
  return OUTCOMES.find((known) => known === text) ?? "failed";
}
