"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { formatDecimal } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { useMeterNames } from "@/components/log/meter-names";
import { Badge } from "@/components/ui/badge";
import { Checkbox } from "@/components/ui/checkbox";
import { cn } from "@/components/ui/class-names";
import type { PriceChange } from "@/lib/pricing/sync/compare-prices";
import {
  amountOf,
  isFree,
  isNew,
  meterAmountOf,
  meterKeysOf,
  PRICE_FIELDS,
  type PriceField,
  percentOf,
  percentText,
} from "./change-list";

/** Prices below one unit per million tokens have as many digits as they need. */
const DIGITS = 10;

type ChangeTableProps = {
  changes: PriceChange[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** Old and new prices, one row per model. */
export function ChangeTable({ changes, selected, onSelect }: ChangeTableProps) {
  const t = useTranslations("priceSync");
  const { symbol } = useQuotaDisplay();
  const onToggle = (model: string) =>
    onSelect(
      selected.has(model) ? new Set([...selected].filter((other) => other !== model)) : new Set([...selected, model]),
    );
  const columns: Column<PriceChange>[] = [
    {
      id: "model",
      header: t("model"),
      heading: true,
      className: "md:min-w-48",
      cell: (change) => (
        <span className="flex items-start gap-3">
          <Checkbox
            aria-label={t("select", { model: change.model })}
            checked={selected.has(change.model)}
            onChange={() => onToggle(change.model)}
          />
          <ModelName change={change} />
        </span>
      ),
    },
    ...PRICE_FIELDS.map(
      (field): Column<PriceChange> => ({
        id: field,
        header: t(`field.${field}`, { symbol }),
        align: "right",
        cell: (change) => priceCell(change, field),
      }),
    ),
  ];
  columns.push({
    id: "meters",
    header: t("field.meters", { symbol }),
    align: "right",
    cell: (change) => <MeterAmounts change={change} />,
  });
  return <DataTable caption={t("changes")} columns={columns} rows={changes} rowKey={({ model }) => model} />;
}

function ModelName({ change }: { change: PriceChange }) {
  const t = useTranslations("priceSync");
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5">
      <span className="break-all font-medium">{change.model}</span>
      {isNew(change) ? <Badge hue="green">{t("kindNew")}</Badge> : null}
      {change.isServed ? <Badge hue="blue">{t("served")}</Badge> : null}
      {isFree(change) ? <Badge hue="red">{t("free")}</Badge> : null}
      {change.isPartial ? (
        <Badge hue="amber" title={t("partialHint")}>
          {t("partial")}
        </Badge>
      ) : null}
    </span>
  );
}

function MeterAmounts({ change }: { change: PriceChange }) {
  const { labelOf } = useMeterNames();
  const keys = meterKeysOf(change);
  if (keys.length === 0) return null;
  return (
    <span className="inline-flex flex-col items-end gap-1">
      {keys.map((key) => (
        <span key={key} className="inline-flex flex-wrap items-baseline justify-end gap-x-1.5">
          <span className="text-muted-foreground text-xs">{labelOf(key)}</span>
          <Amounts before={meterAmountOf(change.before, key)} after={meterAmountOf(change.after, key)} />
        </span>
      ))}
    </span>
  );
}

/** Null where neither price has the field, so that a phone shows no empty line. */
function priceCell({ before, after }: PriceChange, field: PriceField) {
  const amounts = { before: amountOf(before, field), after: amountOf(after, field) };
  return amounts.before === null && amounts.after === null ? null : <Amounts {...amounts} />;
}

function Amounts({ before, after }: { before: number | null; after: number | null }) {
  const t = useTranslations("priceSync");
  const { symbol } = useQuotaDisplay();
  const price = (amount: number | null) => priceText(amount, symbol);
  const percent = percentOf(before, after);
  const isSame = percent !== null && Math.abs(percent) < 0.0001;
  if (isSame) return <span className="whitespace-nowrap text-muted-foreground">{price(after)}</span>;
  return (
    <span className="inline-flex flex-col items-end whitespace-nowrap">
      <span>
        {before === null ? null : (
          <>
            <span className="sr-only">{t("before")} </span>
            <del className="text-muted-foreground">{price(before)}</del> <span aria-hidden>→</span>{" "}
            <span className="sr-only">{t("after")} </span>
          </>
        )}
        <span className="font-medium">{after === null ? "—" : price(after)}</span>
      </span>
      {percent === null ? null : (
        <span className={cn("text-xs", percent > 0 ? "text-destructive" : "text-success")}>{percentText(percent)}</span>
      )}
    </span>
  );
}

function priceText(amount: number | null, symbol: string): string {
  return amount === null ? "—" : `${symbol}${formatDecimal(Number(amount.toPrecision(6)), DIGITS)}`;
}
