"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { NativeSelect } from "@/components/ui/native-select";
import type { PriceDifference, PriceEffect } from "@/lib/pricing/effect/types";
import { amountOf, meterKeysOf } from "./change-list";
import { MeterShifts, priceShift } from "./price-shift";
import { EFFECT_FIELDS, timesRatio } from "./price-text";
import { QuotaShift } from "./shift-text";

const STEP = 20;

/** Old and new prices of each model, as the list has them or for a group, with what they do to its traffic. */
export function DifferenceTable({ effect }: { effect: PriceEffect }) {
  const t = useTranslations("priceEffect");
  const [group, setGroup] = useState("");
  const [count, setCount] = useState(STEP);
  const { differences, groups, more } = effect;
  const columns = useDifferenceColumns(effect, group);
  return (
    <section aria-label={t("prices")}>
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 dir="auto" className="font-medium">
          {t("pricesOf", { count: differences.length + more })}
        </h3>
        <NativeSelect
          aria-label={t("forGroup")}
          value={group}
          onChange={(event) => setGroup(event.target.value)}
          className="w-48"
        >
          <option value="">{t("listPrice")}</option>
          {groups.map(({ name, after }) => (
            <option key={name} value={name}>
              {t("groupPrice", { group: name, ratio: String(after ?? 1) })}
            </option>
          ))}
        </NativeSelect>
      </div>
      <div className="overflow-hidden rounded-md border">
        <DataTable
          caption={t("prices")}
          columns={columns}
          rows={differences.slice(0, count)}
          rowKey={({ model }) => model}
        />
      </div>
      {differences.length > count ? (
        <Button className="mt-2" onClick={() => setCount(count + 5 * STEP)}>
          {t("more", { count: String(differences.length - count) })}
        </Button>
      ) : null}
      {more > 0 ? (
        <p className="mt-1 text-muted-foreground text-xs">{t("moreModels", { count: String(more) })}</p>
      ) : null}
    </section>
  );
}

function useDifferenceColumns(
  { groups, differences, reckoned }: PriceEffect,
  group: string,
): Column<PriceDifference>[] {
  const t = useTranslations("priceEffect");
  const chosen = groups.find(({ name }) => name === group);
  const pricesOf = ({ before, after }: PriceDifference) => ({
    before: timesRatio(before, chosen ? (chosen.before ?? 1) : 1),
    after: timesRatio(after, chosen ? (chosen.after ?? 1) : 1),
  });
  const traffic = new Map(reckoned?.models.map((row) => [row.model, row]));
  const fields = EFFECT_FIELDS.filter((field) =>
    differences.some(({ before, after }) => amountOf(before, field) !== null || amountOf(after, field) !== null),
  );
  const hasMeters = differences.some((row) => meterKeysOf(row).length > 0);
  return [
    { id: "model", header: t("model"), heading: true, cell: (row) => <ModelName row={row} /> },
    ...fields.map(
      (field): Column<PriceDifference> => ({
        id: field,
        header: t(`field.${field}`),
        align: "right",
        cell: (row) => priceShift(pricesOf(row), field),
      }),
    ),
    ...(hasMeters
      ? [
          {
            id: "meters",
            header: t("field.meters"),
            align: "right" as const,
            cell: (row: PriceDifference) => <MeterShifts {...pricesOf(row)} />,
          },
        ]
      : []),
    {
      id: "traffic",
      header: t("lastDays"),
      align: "right",
      cell: ({ model }) => {
        const sums = traffic.get(model);
        return sums ? <QuotaShift {...sums} /> : <span className="text-muted-foreground">—</span>;
      },
    },
  ];
}

function ModelName({ row }: { row: PriceDifference }) {
  const t = useTranslations("priceEffect");
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <span dir="auto" className="break-all font-medium">
        {row.model}
      </span>
      {row.isServed ? null : <Badge>{t("notServed")}</Badge>}
      {row.before === null ? <Badge hue="green">{t("newPrice")}</Badge> : null}
      {row.after === null ? <Badge hue="red">{t("noPrice")}</Badge> : null}
    </span>
  );
}
