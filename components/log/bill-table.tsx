"use client";

import { useTranslations } from "next-intl";
import { useMeterNames } from "@/components/format/meter-names";
import { formatDecimal, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { cn } from "@/components/ui/class-names";
import { METERS } from "@/lib/meters";
import type { Bill, BillKind, BillLine } from "./bill";

const MILLION = 1_000_000;

/** A charge as quantity × unit price × group ratio = amount; the amounts add up to the charged total. */
export function BillTable({ bill }: { bill: Bill }) {
  const t = useTranslations("log.bill");
  const amount = useAmount();
  const lineName = useLineName();
  const cell = "whitespace-nowrap px-2 py-1.5 text-right tabular-nums last:pr-3 max-sm:px-1.5 max-sm:text-xs";
  const head =
    "px-2 py-1.5 text-right font-medium sm:whitespace-nowrap text-muted-foreground text-xs last:pr-3 max-sm:px-1.5";
  return (
    <div className="overflow-x-auto rounded-md border bg-surface">
      <table className="w-full border-collapse" data-testid="bill">
        <caption className="sr-only">{t("title")}</caption>
        <thead className="border-b">
          <tr>
            <th scope="col" className="px-3 py-1.5 text-left font-medium text-muted-foreground text-xs max-sm:px-1.5">
              {t("item")}
            </th>
            <th scope="col" className={head}>
              {t("quantity")}
            </th>
            <th scope="col" className={head}>
              × {t("unitPrice")}
            </th>
            <th scope="col" className={head}>
              × {t("group")}
            </th>
            <th scope="col" className={head}>
              = {t("amount")}
            </th>
          </tr>
        </thead>
        <tbody>
          {bill.lines.map((line, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bill may have two lines of a kind, and never changes
            <tr key={at} className="border-b">
              <th
                scope="row"
                className="px-3 py-1.5 text-left font-normal max-sm:px-1.5 max-sm:text-xs sm:whitespace-nowrap"
              >
                {lineName(line.kind)}
                {line.variant ? (
                  <span dir="auto" className="text-muted-foreground max-sm:block max-sm:break-all">
                    {" "}
                    {line.variant}
                  </span>
                ) : null}
              </th>
              <td dir="auto" className={cell}>
                {line.quantity.toLocaleString("en-US", { maximumFractionDigits: 3 })}
              </td>
              <td dir="auto" className={cn(cell, "max-sm:whitespace-normal")}>
                <UnitPrice line={line} />
              </td>
              <td dir="auto" className={cell}>
                {formatDecimal(bill.groupRatio)}
              </td>
              <td dir="auto" className={cell}>
                {amount(line.amount)}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-medium">
            <th dir="auto" scope="row" colSpan={4} className="px-3 py-1.5 text-left">
              {t("total")}
            </th>
            <td dir="auto" className={cell} data-testid="bill-total">
              {amount(bill.total)}
            </td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

/** Formats amounts of a bill: money with six decimals (line amounts can be tiny), or whole quota units. */
export function useAmount(): (quota: number) => string {
  const display = useQuotaDisplay();
  return (quota) => (display.inCurrency ? formatQuota(quota, display, 6) : quota.toLocaleString("en-US"));
}

export function useLineName(): (kind: BillKind) => string {
  const t = useTranslations("log.bill");
  const meters = useMeterNames();
  const names: Record<BillKind, string> = {
    ...meters.names,
    prompt: t("linePrompt"),
    cached: t("lineCached"),
    cachedAudio: t("lineCachedAudio"),
    cachedImage: t("lineCachedImage"),
    cacheWrite: t("lineCacheWrite"),
    audioPrompt: t("lineAudioPrompt"),
    imagePrompt: t("lineImagePrompt"),
    completion: t("lineCompletion"),
    audioCompletion: t("lineAudioCompletion"),
    call: t("lineCall"),
  };
  return (kind) => names[kind];
}

function UnitPrice({ line }: { line: BillLine }) {
  const t = useTranslations("log.bill");
  const display = useQuotaDisplay();
  const { perUnit, unitsOf } = useMeterNames();
  const meter = METERS.find((known) => known === line.kind);
  const quota = line.unitPrice * (meter ? unitsOf(meter) : line.kind === "call" ? 1 : MILLION);
  const price = display.inCurrency
    ? `${display.symbol}${formatDecimal(quota / display.quotaPerUnit)}`
    : formatDecimal(quota);
  if (meter) return perUnit(meter, price);
  return line.kind === "call" ? t("perCall", { price }) : t("perUnit", { price });
}
