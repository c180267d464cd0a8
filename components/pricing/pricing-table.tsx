"use client";

import { Boxes, Calculator, Check, CircleCheck, CircleX, Code, SearchX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { EmptyList } from "@/components/data-table/list-parts";
import { ModelChip } from "@/components/format/model-chip";
import { formatDecimal } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Hint } from "@/components/overlay/hint";
import { Badge, badgeVariants, hueOf } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import type { PricedModel, PriceList } from "@/lib/pricing/types";
import { MediaLines } from "./media-lines";
import { MeterLines } from "./meter-lines";
import { ModelFactsCell } from "./model-facts";
import { groupPrice, priceText, ratioText } from "./price-math";

/** Rows shown at first, and added by each "show more". */
const STEP = 50;

type PricingTableProps = {
  models: PricedModel[];
  /** The site has no models at all, regardless of the filters. */
  none: boolean;
  group: string;
  groupRatio: number;
  prices: PriceList;
  selected: ReadonlySet<string>;
  onSelect: (selected: ReadonlySet<string>) => void;
  onGroup: (group: string) => void;
  onSimulate: (model: string) => void;
  onCode: (model: string) => void;
};

export function PricingTable(props: PricingTableProps) {
  const { models, none, selected, onSelect } = props;
  const t = useTranslations("pricing");
  const [count, setCount] = useState(STEP);
  const columns = useColumns(props);
  if (none) return <EmptyList icon={<Boxes aria-hidden />} title={t("emptyTitle")} text={t("emptyText")} />;
  if (models.length === 0)
    return <EmptyList icon={<SearchX aria-hidden />} title={t("noneTitle")} text={t("noneText")} />;
  const rows = models.slice(0, count);
  const all = rows.every(({ modelName }) => selected.has(modelName));
  const onAll = () => {
    const names = rows.map(({ modelName }) => modelName);
    onSelect(all ? new Set([...selected].filter((name) => !names.includes(name))) : new Set([...selected, ...names]));
  };
  return (
    <>
      <p className="flex items-center gap-2 border-b px-4 py-1.5 text-muted-foreground text-xs">
        <Checkbox aria-label={t("selectAll")} checked={all} onChange={onAll} />
        {t("shown", { shown: String(rows.length), total: String(models.length) })}
      </p>
      <DataTable caption={t("title")} columns={columns} rows={rows} rowKey={(model) => model.modelName} />
      {models.length > count ? (
        <div className="flex justify-center border-t p-3">
          <Button onClick={() => setCount(count + STEP)}>{t("more")}</Button>
        </div>
      ) : null}
    </>
  );
}

function useColumns(props: PricingTableProps): Column<PricedModel>[] {
  const { group, groupRatio, selected, onSelect } = props;
  const t = useTranslations("pricing");
  const common = useTranslations("common");
  const onToggle = (name: string) =>
    onSelect(
      selected.has(name) ? new Set([...selected].filter((other) => other !== name)) : new Set([...selected, name]),
    );
  return [
    {
      id: "availability",
      header: t("availability"),
      cell: ({ modelName, groups }) => (
        <span className="flex items-center gap-3">
          <Checkbox
            aria-label={t("select", { model: modelName })}
            checked={selected.has(modelName)}
            onChange={() => onToggle(modelName)}
          />
          <Availability available={groups.includes(group)} group={group} />
        </span>
      ),
    },
    {
      id: "name",
      header: t("name"),
      heading: true,
      cell: ({ modelName }) => <ModelChip model={modelName} className="whitespace-normal break-all" />,
    },
    {
      id: "billing",
      header: t("billing"),
      cell: ({ perCall, metersOnly }) => (
        <Badge hue={perCall ? "teal" : metersOnly ? "amber" : "violet"}>
          {perCall ? t("byCall") : metersOnly ? t("byMeter") : t("byUsage")}
        </Badge>
      ),
    },
    {
      id: "groups",
      header: t("usableGroups"),
      cell: (model) => <Groups model={model} {...props} />,
    },
    { id: "ratios", header: t("ratioColumn"), cell: (model) => <Ratios model={model} groupRatio={groupRatio} /> },
    { id: "price", header: t("price"), cell: (model) => <Price model={model} groupRatio={groupRatio} /> },
    { id: "facts", header: t("facts"), cell: ({ facts }) => <ModelFactsCell facts={facts} /> },
    {
      id: "actions",
      header: common("actions"),
      className: "md:w-px",
      cell: ({ modelName }) => <RowButtons model={modelName} {...props} />,
    },
  ];
}

function RowButtons({ model, onSimulate, onCode }: PricingTableProps & { model: string }) {
  const t = useTranslations("pricing");
  return (
    <span className="flex justify-end gap-1">
      <Button variant="ghost" size="icon" aria-label={t("simulateOf", { model })} onClick={() => onSimulate(model)}>
        <Calculator />
      </Button>
      <Button variant="ghost" size="icon" aria-label={t("codeOf", { model })} onClick={() => onCode(model)}>
        <Code />
      </Button>
    </span>
  );
}

function Availability({ available, group }: { available: boolean; group: string }) {
  const t = useTranslations("pricing");
  const text = available ? t("available") : t("unavailable", { group });
  return (
    <Hint label={text}>
      <button type="button" aria-label={text} className="rounded-full">
        {available ? (
          <CircleCheck className="size-4.5 text-success" aria-hidden />
        ) : (
          <CircleX className="size-4.5 text-destructive" aria-hidden />
        )}
      </button>
    </Hint>
  );
}

function Groups({ model, group, prices, onGroup }: PricingTableProps & { model: PricedModel }) {
  const t = useTranslations("pricing");
  return (
    <span className="flex flex-wrap gap-1 max-md:justify-end">
      {model.groups.map((name) => (
        <button
          key={name}
          type="button"
          title={prices.usableGroup[name]}
          aria-pressed={name === group}
          aria-label={t("viewGroup", { group: name })}
          onClick={() => onGroup(name)}
          className={badgeVariants({ hue: name === "default" ? "blue" : hueOf(name) })}
        >
          {name === group ? <Check aria-hidden /> : null}
          {name}
        </button>
      ))}
    </span>
  );
}

function Ratios({ model, groupRatio }: { model: PricedModel; groupRatio: number }) {
  const t = useTranslations("pricing");
  if (model.perCall || model.metersOnly) return <span className="text-muted-foreground">{t("none")}</span>;
  const parts = [
    { name: t("modelRatio"), value: formatDecimal(model.modelRatio) },
    { name: t("completionRatio"), value: ratioText(model.completionRatio) },
    { name: t("groupRatio"), value: formatDecimal(groupRatio) },
    { name: t("product"), value: formatDecimal(model.modelRatio * groupRatio) },
  ];
  return (
    <dl className="grid grid-cols-[auto_auto] justify-start gap-x-2 text-xs max-md:justify-end">
      {parts.map(({ name, value }) => (
        <div key={name} className="contents">
          <dt className="text-muted-foreground">{name}</dt>
          <dd dir="auto" className="text-right tabular-nums">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Price({ model, groupRatio }: { model: PricedModel; groupRatio: number }) {
  const t = useTranslations("pricing");
  const display = useQuotaDisplay();
  const price = groupPrice(model, groupRatio, display.quotaPerUnit);
  if (model.perCall)
    return (
      <span className="whitespace-nowrap tabular-nums">{t("perCall", { price: priceText(price.call, display) })}</span>
    );
  return (
    <span className="flex flex-col whitespace-nowrap tabular-nums max-md:items-end">
      {model.metersOnly ? null : (
        <>
          <span>{t("promptPrice", { price: priceText(price.prompt, display) })}</span>
          <span>{t("completionPrice", { price: priceText(price.completion, display) })}</span>
        </>
      )}
      <MediaLines model={model} groupRatio={groupRatio} />
      {model.meterPrices ? <MeterLines prices={model.meterPrices} groupRatio={groupRatio} /> : null}
    </span>
  );
}
