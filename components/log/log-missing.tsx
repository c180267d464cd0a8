import { TriangleAlert } from "lucide-react";
import { getTranslations } from "next-intl/server";
import { RefreshMeanwhile } from "@/components/data-table/refresh-meanwhile";
import { formatNumber } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import type { Missing } from "@/lib/log-store/read-available";

/** Says what of the log is not on the page, and goes by itself when nothing is missing any more. Null = nothing is. */
export async function LogMissing({ missing }: { missing: Missing | null }) {
  if (!missing) return null;
  const t = await getTranslations("logMissing");
  const { awaySince, newestOnly } = missing;
  return (
    <div
      role="note"
      data-testid="log-missing"
      className="mb-3 flex items-start gap-2 rounded-md border border-warning/50 bg-surface px-3 py-2"
    >
      <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
      <p className="min-w-0 text-pretty">
        {awaySince === null ? t("behind") : t.rich("away", { since: () => <Time seconds={awaySince} /> })}
        {newestOnly === null ? null : ` ${t("newest", { count: formatNumber(newestOnly) })}`}
      </p>
      <RefreshMeanwhile />
    </div>
  );
}
