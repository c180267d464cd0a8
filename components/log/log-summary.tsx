import { getTranslations } from "next-intl/server";
import { formatNumber, formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Skeleton } from "@/components/ui/skeleton";
import type { UsageSum } from "@/lib/usage-log/columns";

type LogSummaryProps = { sum: Promise<UsageSum | null>; site: Promise<{ quotaDisplay: QuotaDisplay }> };

/** Total cost of the filtered rows, and the RPM and TPM of the last minute. */
export async function LogSummary({ sum, site }: LogSummaryProps) {
  const [sums, { quotaDisplay }, t] = await Promise.all([sum, site, getTranslations("log")]);
  if (!sums) return null;
  const { quota, rpm, tpm } = sums;
  const chips = [
    { id: "quota", label: t("quota"), value: formatQuota(quota, quotaDisplay), hint: t("quotaHint") },
    { id: "rpm", label: t("rpm"), value: formatNumber(rpm), hint: t("rpmHint") },
    { id: "tpm", label: t("tpm"), value: formatNumber(tpm), hint: t("tpmHint") },
  ];
  return (
    <dl aria-label={t("summary")} className="flex flex-wrap gap-2">
      {chips.map((chip) => (
        <div
          key={chip.id}
          title={chip.hint}
          className="flex items-baseline gap-2 rounded-md border bg-surface px-3 py-1.5"
        >
          <dt className="text-muted-foreground text-xs">{chip.label}</dt>
          <dd dir="auto" className="font-semibold tabular-nums" data-testid={`sum-${chip.id}`}>
            {chip.value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

export function LogSummarySkeleton() {
  return (
    <div className="flex gap-2" aria-hidden>
      <Skeleton className="h-8.5 w-36 rounded-md" />
      <Skeleton className="h-8.5 w-20 rounded-md" />
      <Skeleton className="h-8.5 w-20 rounded-md" />
    </div>
  );
}
