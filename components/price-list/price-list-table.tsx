"use client";

import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { useMeterNames } from "@/components/format/meter-names";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { amountOf, metersOf } from "@/components/price-effect/change-list";
import { EFFECT_FIELDS, priceText } from "@/components/price-effect/price-text";
import { Badge } from "@/components/ui/badge";
import { Checkbox } from "@/components/ui/checkbox";
import { Link } from "@/components/ui/link";
import type { ListedPrice } from "@/lib/pricing/adjust/list-queries";

type PriceListTableProps = {
  prices: ListedPrice[];
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
};

/** One row per model, with a link to the history of its price. */
export function PriceListTable({ prices, selected, onSelect }: PriceListTableProps) {
  const t = useTranslations("priceList");
  const effect = useTranslations("priceEffect");
  const { symbol } = useQuotaDisplay();
  const onToggle = (model: string) =>
    onSelect(
      selected.has(model) ? new Set([...selected].filter((other) => other !== model)) : new Set([...selected, model]),
    );
  const columns: Column<ListedPrice>[] = [
    {
      id: "model",
      header: effect("model"),
      heading: true,
      className: "md:min-w-48",
      cell: (row) => (
        <span className="flex items-start gap-3">
          <Checkbox
            aria-label={t("select", { model: row.model })}
            checked={selected.has(row.model)}
            onChange={() => onToggle(row.model)}
          />
          <ModelName row={row} />
        </span>
      ),
    },
    ...EFFECT_FIELDS.map(
      (field): Column<ListedPrice> => ({
        id: field,
        header: effect(`field.${field}`),
        align: "right",
        cell: ({ price }) => {
          const amount = amountOf(price, field);
          return amount === null ? null : priceText(amount, symbol);
        },
      }),
    ),
    {
      id: "meters",
      header: effect("field.meters"),
      align: "right",
      cell: ({ price }) => {
        // No element, so that a phone's card has no label without a value.
        const meters = Object.entries(metersOf(price));
        return meters.length === 0 ? null : <Meters meters={meters} />;
      },
    },
    {
      id: "history",
      header: t("history"),
      align: "right",
      cell: ({ model }) => (
        <Link
          href={{ pathname: "/setting/prices/history", query: { name: model } }}
          className="rounded text-primary hover:underline"
          aria-label={t("historyOf", { model })}
        >
          {t("history")}
        </Link>
      ),
    },
  ];
  return <DataTable caption={t("title")} columns={columns} rows={prices} rowKey={({ model }) => model} />;
}

function ModelName({ row }: { row: ListedPrice }) {
  const t = useTranslations("priceList");
  const effect = useTranslations("priceEffect");
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-1.5">
      <span dir="auto" className="break-all font-medium">
        {row.model}
      </span>
      {row.isOwn ? null : row.price ? <Badge>{t("builtIn")}</Badge> : <Badge hue="red">{t("noPrice")}</Badge>}
      {row.isServed ? null : <Badge>{effect("notServed")}</Badge>}
    </span>
  );
}

function Meters({ meters }: { meters: readonly [string, number][] }) {
  const { labelOf } = useMeterNames();
  const { symbol } = useQuotaDisplay();
  return (
    <span className="inline-flex flex-col items-end">
      {meters.map(([key, amount]) => (
        <span key={key}>
          <span className="text-muted-foreground text-xs">{labelOf(key)}</span> {priceText(amount, symbol)}
        </span>
      ))}
    </span>
  );
}
