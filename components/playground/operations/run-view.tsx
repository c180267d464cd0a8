"use client";

import { LoaderCircle, TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Link } from "@/components/ui/link";
import { useExplain } from "../use-explain";
import type { CallFailure } from "./call-operation";
import type { Run, ShownCharge } from "./use-run";

type RunViewProps<Result> = { run: Run<Result>; renderResult: (result: Result) => ReactNode };

/** A call: that it runs, what it gave, why it failed, how long it took and what it cost. */
export function RunView<Result>({ run, renderResult }: RunViewProps<Result>) {
  const t = useTranslations("playground");
  const isRunning = run.state === "running";
  return (
    <section
      aria-label={t("call.result")}
      aria-busy={isRunning}
      data-state={run.state}
      data-testid="run"
      className="flex min-w-0 flex-col gap-3"
    >
      {isRunning ? (
        <p role="status" className="flex items-center gap-2 text-muted-foreground">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
          {t("call.running")}
        </p>
      ) : null}
      {run.result === null ? null : renderResult(run.result)}
      {run.failure ? <FailureView failure={run.failure} /> : null}
      {run.state === "stopped" ? <p className="text-muted-foreground">{t("stopped")}</p> : null}
      {run.totalMs === null ? null : <Figures totalMs={run.totalMs} charge={run.charge} />}
    </section>
  );
}

function Figures({ totalMs, charge }: { totalMs: number; charge: ShownCharge | null }) {
  const t = useTranslations("playground");
  const display = useQuotaDisplay();
  const parts = [t("seconds", { seconds: (totalMs / 1000).toFixed(1) })];
  if (charge === "waiting") parts.push(t("call.chargeWaiting"));
  else if (charge === "unknown") parts.push(t("call.chargeUnknown"));
  else if (charge !== null) {
    if (charge.promptTokens + charge.completionTokens > 0)
      parts.push(t("tokens", { prompt: String(charge.promptTokens), completion: String(charge.completionTokens) }));
    parts.push(t("call.charged", { amount: formatQuota(charge.quota, display, 6) }));
  }
  return (
    <p data-testid="call-figures" className="text-muted-foreground text-xs tabular-nums">
      {parts.join(" · ")}
    </p>
  );
}

const HINTS = {
  insufficient_quota: "noQuota",
  quota_reserved: "noQuota",
  model_price_error: "noPrice",
  no_available_channel: "noChannel",
  model_not_allowed: "noChannel",
  request_too_large: "tooLarge",
  sensitive_words_detected: "words",
  network: "network",
} as const;

type Hint = (typeof HINTS)[keyof typeof HINTS] | "busy" | "upstream";

/** What can be done about a failure; null = its own words say it. */
function hintOf({ code, status }: CallFailure): Hint | null {
  if (Object.hasOwn(HINTS, code)) return HINTS[code as keyof typeof HINTS];
  if (status === 413) return "tooLarge";
  if (status === 429) return "busy";
  return status >= 500 ? "upstream" : null;
}

function FailureView({ failure }: { failure: CallFailure }) {
  const t = useTranslations("playground");
  const explain = useExplain();
  const hint = hintOf(failure);
  return (
    <div role="alert" className="flex items-start gap-2 rounded-lg border border-destructive bg-surface px-3.5 py-2.5">
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-destructive" aria-hidden />
      <div className="flex min-w-0 flex-col gap-1">
        <p className="whitespace-pre-wrap break-words text-destructive">{explain(failure.code, failure.message)}</p>
        {hint ? <p>{t(`call.hint.${hint}`)}</p> : null}
        {hint === "noQuota" ? (
          <Link href="/topup" className="self-start text-primary underline underline-offset-2">
            {t("call.toWallet")}
          </Link>
        ) : null}
      </div>
    </div>
  );
}
