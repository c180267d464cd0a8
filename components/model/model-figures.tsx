import { getTranslations } from "next-intl/server";
import { formatRate } from "@/components/format/quota";
import { REQUESTS_MIN } from "@/lib/health/model-figures";
import type { RecentModelFigures } from "@/lib/health/model-queries";

/** Uptime and times of the last day and of the last 30 days. */
export async function ModelFigures({ figures }: { figures: RecentModelFigures }) {
  const [t, common] = await Promise.all([getTranslations("modelPage"), getTranslations("common")]);
  const seconds = (ms: number | null) => (ms === null ? "—" : common("seconds", { value: (ms / 1_000).toFixed(2) }));
  const { day, month } = figures;
  const rate = (value: number | null) => (value === null ? t("fewRequests") : formatRate(value));
  const rows = [
    { label: t("uptime"), day: rate(day.uptime), month: rate(month.uptime) },
    { label: t("firstTokenP50"), day: seconds(day.firstTokenP50Ms), month: seconds(month.firstTokenP50Ms) },
    { label: t("firstTokenP95"), day: seconds(day.firstTokenP95Ms), month: seconds(month.firstTokenP95Ms) },
    { label: t("totalP50"), day: seconds(day.p50Ms), month: seconds(month.p50Ms) },
    { label: t("totalP95"), day: seconds(day.p95Ms), month: seconds(month.p95Ms) },
  ];
  return (
    <>
      <table className="w-full text-left text-sm tabular-nums">
        <thead>
          <tr className="border-b text-muted-foreground text-xs">
            <th scope="col" className="py-1.5 font-medium">
              <span className="sr-only">{t("figure")}</span>
            </th>
            <th scope="col" className="py-1.5 pl-4 text-right font-medium">
              {t("day")}
            </th>
            <th scope="col" className="py-1.5 pl-4 text-right font-medium">
              {t("month")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.label} className="border-b last:border-b-0">
              <th dir="auto" scope="row" className="py-1.5 font-normal text-muted-foreground">
                {row.label}
              </th>
              <td dir="auto" className="py-1.5 pl-4 text-right">
                {row.day}
              </td>
              <td dir="auto" className="py-1.5 pl-4 text-right">
                {row.month}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-1 text-muted-foreground text-xs">{t("uptimeHint", { count: REQUESTS_MIN })}</p>
    </>
  );
}
