"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { isFree, isNew, PRICE_FIELDS } from "@/components/price-effect/change-list";
import { MeterShifts, priceShift } from "@/components/price-effect/price-shift";
import { Badge } from "@/components/ui/badge";
import { Checkbox } from "@/components/ui/checkbox";
import type { PriceChange } from "@/lib/pricing/sync/compare-prices";

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
        cell: (change) => priceShift(change, field),
      }),
    ),
  ];
  columns.push({
    id: "meters",
    header: t("field.meters", { symbol }),
    align: "right",
    cell: (change) => <MeterShifts before={change.before} after={change.after} />,
  });
  return <DataTable caption={t("changes")} columns={columns} rows={changes} rowKey={({ model }) => model} />;
}

function ModelName({ change }: { change: PriceChange }) {
  const t = useTranslations("priceSync");
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5">
      <span dir="auto" className="break-all font-medium">
        {change.model}
      </span>
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
