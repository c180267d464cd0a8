"use client";

import { CircleCheck, CircleX } from "lucide-react";
import { useTranslations } from "next-intl";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import type { ChannelTestResult } from "@/lib/channel/types";
import { priceListPath } from "@/lib/pricing/price-list-path";

/** The cost of one test is a fraction of a cent. */
const COST_DIGITS = 6;

export function TestResult({ model, result }: { model: string; result: ChannelTestResult }) {
  const t = useTranslations("channel");
  const editor = useTranslations("channelEditor");
  const common = useTranslations("common");
  const nameOf = useTranslations("operation");
  const display = useQuotaDisplay();
  const seconds = (milliseconds: number | undefined) =>
    milliseconds === undefined ? "—" : common("seconds", { value: (milliseconds / 1000).toFixed(2) });
  const figures = [
    { label: t("httpStatus"), value: result.status === undefined ? "—" : String(result.status) },
    { label: t("latency"), value: seconds(result.timeMs) },
    { label: t("firstToken"), value: seconds(result.firstTokenMs) },
    {
      label: editor("upstreamCost"),
      value: result.cost === null ? editor("unknownCost") : formatQuota(result.cost, display, COST_DIGITS),
    },
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
        <code dir="auto" className="ml-auto truncate font-mono text-muted-foreground text-xs">
          {model}
        </code>
      </div>
      <dl className="grid grid-cols-2 gap-x-px gap-y-1.5 px-3.5 py-2.5 sm:grid-cols-4">
        {figures.map((figure) => (
          <div key={figure.label}>
            <dt className="text-muted-foreground text-xs">{figure.label}</dt>
            <dd dir="auto" className="font-medium tabular-nums">
              {figure.value}
            </dd>
          </div>
        ))}
      </dl>
      {result.isEnabled ? <p className="border-t px-3.5 py-2.5">{t("testReenabled")}</p> : null}
      {result.isUnpriced ? <Unpriced model={model} /> : null}
      {result.success || result.isUnpriced ? null : (
        <div className="border-t px-3.5 py-2.5">
          <p className="font-medium">
            {result.tls ? editor(`whyTls.${result.tls}`) : editor(`why.${whyOf(result.status)}`)}
          </p>
          <p dir="auto" className="mt-0.5 break-words text-muted-foreground">
            {result.message}
          </p>
        </div>
      )}
    </li>
  );
}

function Unpriced({ model }: { model: string }) {
  const t = useTranslations("channel");
  return (
    <div className="border-t px-3.5 py-2.5">
      <p>{t("testUnpriced")}</p>
      <Link href={priceListPath([model])} className="text-primary underline underline-offset-2">
        {t("testSetPrice")}
      </Link>
    </div>
  );
}

type Why = "key" | "address" | "limit" | "upstream" | "request" | "strange" | "unreachable";

/** What a failed test means, by the upstream's status; undefined = there was no response. */
function whyOf(status: number | undefined): Why {
  if (status === undefined) return "unreachable";
  if (status === 401 || status === 403) return "key";
  if (status === 404) return "address";
  if (status === 402 || status === 429) return "limit";
  if (status >= 500) return "upstream";
  return status >= 400 ? "request" : "strange";
}
