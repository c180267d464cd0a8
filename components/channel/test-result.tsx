"use client";

import { CircleCheck, CircleX } from "lucide-react";
import { useTranslations } from "next-intl";
import { Badge } from "@/components/ui/badge";
import type { ChannelTestResult } from "@/lib/channel/types";

export function TestResult({ model, result }: { model: string; result: ChannelTestResult }) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const nameOf = useTranslations("operation");
  const seconds = (milliseconds: number | undefined) =>
    milliseconds === undefined ? "—" : common("seconds", { value: (milliseconds / 1000).toFixed(2) });
  const figures = [
    { label: t("httpStatus"), value: result.status === undefined ? "—" : String(result.status) },
    { label: t("latency"), value: seconds(result.timeMs) },
    { label: t("firstToken"), value: seconds(result.firstTokenMs) },
  ];
  return (
    <li className="overflow-hidden rounded-lg border" data-testid="test-result">
      <div className="flex items-center gap-2 border-b bg-muted/50 px-3.5 py-2">
        {result.success ? (
          <CircleCheck className="size-4 text-success" aria-hidden />
        ) : (
          <CircleX className="size-4 text-destructive" aria-hidden />
        )}
        <span className="font-medium">{result.success ? t("testOk") : t("testFailed")}</span>
        {result.operation ? <Badge hue="grey">{nameOf(result.operation)}</Badge> : null}
        <code className="ml-auto truncate font-mono text-muted-foreground text-xs">{model}</code>
      </div>
      <dl className="grid grid-cols-3 gap-px px-3.5 py-2.5">
        {figures.map((figure) => (
          <div key={figure.label}>
            <dt className="text-muted-foreground text-xs">{figure.label}</dt>
            <dd className="font-medium tabular-nums">{figure.value}</dd>
          </div>
        ))}
      </dl>
      {result.success ? null : <p className="break-words border-t px-3.5 py-2.5">{result.message}</p>}
    </li>
  );
}
