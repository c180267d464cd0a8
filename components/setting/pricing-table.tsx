"use client";

import { Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { ModelFactsLine } from "@/components/pricing/model-facts";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { NativeSelect } from "@/components/ui/native-select";
import { MediaCell } from "./media-cell";
import { MeterCell } from "./meter-cell";
import { PricingCell } from "./pricing-cell";
import { type BuiltInPrices, isPerCall, toCompletionPrice, toCompletionRatio, toPrice, toRatio } from "./pricing-rows";
import type { CellIssue, CellIssues, Row } from "./row-editor";
import { useSetting } from "./setting-context";

type PricingTableProps = {
  rows: readonly Row[];
  issues: CellIssues;
  onCells: (row: Row, change: Record<string, string>) => void;
  onRemove: (row: Row) => void;
};

/** Model prices, one row per model. Ratios and the resulting prices of a million tokens can both be edited. */
export function PricingTable({ rows, issues, onCells, onRemove }: PricingTableProps) {
  const t = useTranslations("setting");
  const columns = usePricingColumns({ issues, onCells, onRemove });
  return <DataTable caption={t("card.pricing.title")} columns={columns} rows={[...rows]} rowKey={(row) => row.id} />;
}

/** The placeholders of empty cells: the built-in price. */
function builtInTexts(builtIn: BuiltInPrices, name: string) {
  const price = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  const text = (value: number | undefined) => (value === undefined ? "" : String(Number(value.toPrecision(6))));
  return { price: text(price?.price), ratio: text(price?.ratio), completion: text(price?.completion) };
}

/** On a phone two fields need their own line below the label. */
const STACKED = "max-md:flex-col max-md:items-start max-md:gap-1 max-md:py-1";

function usePricingColumns({ issues, onCells, onRemove }: Omit<PricingTableProps, "rows">): Column<Row>[] {
  const t = useTranslations("setting");
  const common = useTranslations("common");
  const { symbol } = useQuotaDisplay();
  const issueOf = (row: Row, cell: string) => issues[`${row.id}.${cell}`];
  return [
    {
      id: "name",
      header: t("modelName"),
      heading: true,
      className: "md:min-w-32",
      cell: (row) => <ModelName row={row} />,
    },
    { id: "mode", header: t("priceMode"), cell: (row) => <ModeSelect row={row} onCells={onCells} /> },
    {
      id: "price",
      header: t("perCallHeader", { symbol }),
      align: "right",
      cell: (row) => (
        <PricingCell
          label={`${row.cells.name}: ${t("pricePerCall", { symbol })}`}
          value={row.cells.price ?? ""}
          placeholder={t("perUse")}
          issue={issueOf(row, "price")}
          onValue={(price) => onCells(row, { price, mode: price === "" ? "ratio" : "call" })}
        />
      ),
    },
    {
      id: "prompt",
      header: t("promptHeader", { symbol }),
      align: "right",
      className: STACKED,
      cell: (row) => <PromptPrice row={row} issue={issueOf(row, "ratio")} onCells={onCells} />,
    },
    {
      id: "completion",
      header: t("completionHeader", { symbol }),
      align: "right",
      className: STACKED,
      cell: (row) => <CompletionPrice row={row} issue={issueOf(row, "completion")} onCells={onCells} />,
    },
    {
      id: "media",
      header: t("mediaHeader", { symbol }),
      align: "right",
      className: STACKED,
      cell: (row) => <MediaCell row={row} onCells={onCells} />,
    },
    {
      id: "meters",
      header: t("meterHeader", { symbol }),
      align: "right",
      className: STACKED,
      cell: (row) => <MeterCell row={row} onCells={onCells} />,
    },
    {
      id: "remove",
      header: common("actions"),
      align: "right",
      cell: (row) => <RemoveButton row={row} onRemove={onRemove} />,
    },
  ];
}

function RemoveButton({ row, onRemove }: { row: Row; onRemove: (row: Row) => void }) {
  const t = useTranslations("setting");
  const name = t("removeRow", { name: row.cells.name ?? "" });
  return (
    <Button
      variant="ghost"
      size="icon"
      className="text-muted-foreground"
      aria-label={name}
      onClick={() => onRemove(row)}
    >
      <Trash2 />
    </Button>
  );
}

function ModelName({ row }: { row: Row }) {
  const t = useTranslations("setting");
  const { builtInFacts } = useSetting();
  const { price, ratio, completion, meters, media, name = "" } = row.cells;
  const isBuiltIn = !price && !ratio && !completion && !meters && !media;
  const facts = Object.hasOwn(builtInFacts, name) ? builtInFacts[name] : undefined;
  return (
    <span className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-1.5">
        <span dir="auto" className="break-all font-medium">
          {name}
        </span>
        {isBuiltIn ? <Badge>{t("builtIn")}</Badge> : null}
      </span>
      {facts ? <ModelFactsLine facts={facts} /> : null}
    </span>
  );
}

function ModeSelect({ row, onCells }: { row: Row; onCells: PricingTableProps["onCells"] }) {
  const t = useTranslations("setting");
  const onMode = (mode: string) => onCells(row, mode === "call" ? { mode } : { mode, price: "" });
  return (
    <NativeSelect
      aria-label={`${row.cells.name}: ${t("priceMode")}`}
      value={row.cells.mode}
      onChange={(event) => onMode(event.target.value)}
      className="w-34 [&>select]:h-8"
    >
      <option value="ratio">{t("modeRatio")}</option>
      <option value="call">{t("modeCall")}</option>
    </NativeSelect>
  );
}

type PairProps = { row: Row; issue: CellIssue | undefined; onCells: PricingTableProps["onCells"] };

/** The model ratio, and the price of a million prompt tokens. */
function PromptPrice({ row, issue, onCells }: PairProps) {
  const t = useTranslations("setting");
  const { quotaPerUnit, builtInPrices } = useSetting();
  const { symbol } = useQuotaDisplay();
  const { name = "", ratio = "" } = row.cells;
  const builtIn = builtInTexts(builtInPrices, name);
  return (
    <span className="inline-flex items-start gap-1">
      <PricingCell
        label={`${name}: ${t("modelRatio")}`}
        value={ratio}
        placeholder={builtIn.ratio}
        disabled={isPerCall(row.cells)}
        issue={issue}
        onValue={(text) => onCells(row, { ratio: text })}
      />
      <PricingCell
        label={`${name}: ${t("promptPrice", { symbol })}`}
        value={toPrice(ratio, quotaPerUnit)}
        placeholder={toPrice(builtIn.ratio, quotaPerUnit)}
        disabled={isPerCall(row.cells)}
        prefix={symbol}
        onValue={(text) => onCells(row, { ratio: toRatio(text, quotaPerUnit) })}
      />
    </span>
  );
}

/** The completion ratio, and the price of a million completion tokens. That price needs a model ratio, set or built-in. */
function CompletionPrice({ row, issue, onCells }: PairProps) {
  const t = useTranslations("setting");
  const { quotaPerUnit, builtInPrices } = useSetting();
  const { symbol } = useQuotaDisplay();
  const { name = "", ratio = "", completion = "" } = row.cells;
  const builtIn = builtInTexts(builtInPrices, name);
  const base = ratio || builtIn.ratio;
  const onPrice = (text: string) =>
    onCells(row, { completion: text === "" ? "" : toCompletionRatio(text, base, quotaPerUnit) });
  return (
    <span className="inline-flex items-start gap-1">
      <PricingCell
        label={`${name}: ${t("completionRatio")}`}
        value={completion}
        placeholder={builtIn.completion}
        disabled={isPerCall(row.cells)}
        issue={issue}
        onValue={(text) => onCells(row, { completion: text })}
      />
      <PricingCell
        label={`${name}: ${t("completionPrice", { symbol })}`}
        value={toCompletionPrice(base, completion, quotaPerUnit)}
        placeholder={toCompletionPrice(base, builtIn.completion, quotaPerUnit)}
        disabled={isPerCall(row.cells) || base === ""}
        prefix={symbol}
        onValue={onPrice}
      />
    </span>
  );
}
