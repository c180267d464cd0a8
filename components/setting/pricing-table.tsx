"use client";

import { Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/select";
import { PricingCell } from "./pricing-cell";
import {
  type BuiltInPrices,
  isPerCall,
  toCompletionDollars,
  toCompletionRatio,
  toDollars,
  toRatio,
} from "./pricing-rows";
import type { CellIssues, Row } from "./row-editor";
import { useSetting } from "./setting-context";

type PricingTableProps = {
  rows: readonly Row[];
  issues: CellIssues;
  onCells: (row: Row, change: Record<string, string>) => void;
  onRemove: (row: Row) => void;
};

/** Prices of models, one a row; ratios and what they come to in USD per million tokens are edited alike. */
export function PricingTable({ rows, issues, onCells, onRemove }: PricingTableProps) {
  const t = useTranslations("setting");
  const columns = usePricingColumns({ issues, onCells, onRemove });
  return <DataTable caption={t("card.pricing.title")} columns={columns} rows={[...rows]} rowKey={(row) => row.id} />;
}

/** What counts where a cell is empty. */
function builtInTexts(builtIn: BuiltInPrices, name: string) {
  const price = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  const text = (value: number | undefined) => (value === undefined ? "" : String(Number(value.toPrecision(6))));
  return { price: text(price?.price), ratio: text(price?.ratio), completion: text(price?.completion) };
}

function usePricingColumns({ issues, onCells, onRemove }: Omit<PricingTableProps, "rows">): Column<Row>[] {
  const t = useTranslations("setting");
  const { quotaPerUnit, builtInPrices } = useSetting();
  const nameOf = (row: Row) => row.cells.name ?? "";
  const cell = (row: Row, id: "price" | "ratio" | "completion", header: string) => (
    <PricingCell
      label={`${nameOf(row)}: ${header}`}
      value={row.cells[id] ?? ""}
      placeholder={id === "price" ? t("perUse") : builtInTexts(builtInPrices, nameOf(row))[id]}
      disabled={id !== "price" && isPerCall(row.cells)}
      issue={issues[`${row.id}.${id}`]}
      onValue={(text) =>
        onCells(row, id === "price" ? { price: text, mode: text === "" ? "ratio" : "call" } : { [id]: text })
      }
    />
  );
  return [
    {
      id: "name",
      header: t("modelName"),
      heading: true,
      className: "md:min-w-44",
      cell: (row) => <ModelName row={row} />,
    },
    { id: "mode", header: t("priceMode"), cell: (row) => <ModeSelect row={row} onCells={onCells} /> },
    { id: "price", header: t("pricePerCall"), align: "right", cell: (row) => cell(row, "price", t("pricePerCall")) },
    { id: "ratio", header: t("modelRatio"), align: "right", cell: (row) => cell(row, "ratio", t("modelRatio")) },
    {
      id: "dollars",
      header: t("promptDollars"),
      align: "right",
      cell: (row) => (
        <PricingCell
          label={`${nameOf(row)}: ${t("promptDollars")}`}
          value={toDollars(row.cells.ratio ?? "", quotaPerUnit)}
          placeholder={toDollars(builtInTexts(builtInPrices, nameOf(row)).ratio, quotaPerUnit)}
          disabled={isPerCall(row.cells)}
          prefix="$"
          onValue={(text) => onCells(row, { ratio: toRatio(text, quotaPerUnit) })}
        />
      ),
    },
    {
      id: "completion",
      header: t("completionRatio"),
      align: "right",
      cell: (row) => cell(row, "completion", t("completionRatio")),
    },
    {
      id: "completionDollars",
      header: t("completionDollars"),
      align: "right",
      cell: (row) => <CompletionDollars row={row} onCells={onCells} />,
    },
    {
      id: "remove",
      header: "",
      align: "right",
      cell: (row) => (
        <Button
          variant="ghost"
          size="icon"
          className="text-muted-foreground"
          aria-label={t("removeRow", { name: nameOf(row) })}
          onClick={() => onRemove(row)}
        >
          <Trash2 />
        </Button>
      ),
    },
  ];
}

function ModelName({ row }: { row: Row }) {
  const t = useTranslations("setting");
  const { price, ratio, completion, name } = row.cells;
  const isBuiltIn = !price && !ratio && !completion;
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <span className="break-all font-medium">{name}</span>
      {isBuiltIn ? <Badge>{t("builtIn")}</Badge> : null}
    </span>
  );
}

function ModeSelect({ row, onCells }: { row: Row; onCells: PricingTableProps["onCells"] }) {
  const t = useTranslations("setting");
  const onMode = (mode: string) => onCells(row, mode === "call" ? { mode } : { mode, price: "" });
  return (
    <Select
      aria-label={`${row.cells.name}: ${t("priceMode")}`}
      value={row.cells.mode}
      onChange={(event) => onMode(event.target.value)}
      className="w-32 [&>select]:h-8"
    >
      <option value="ratio">{t("modeRatio")}</option>
      <option value="call">{t("modeCall")}</option>
    </Select>
  );
}

/** The price of completion tokens needs the prompt's; without an own one the built-in counts. */
function CompletionDollars({ row, onCells }: { row: Row; onCells: PricingTableProps["onCells"] }) {
  const t = useTranslations("setting");
  const { quotaPerUnit, builtInPrices } = useSetting();
  const { name = "", ratio = "", completion = "" } = row.cells;
  const builtIn = builtInTexts(builtInPrices, name);
  const base = ratio || builtIn.ratio;
  return (
    <PricingCell
      label={`${name}: ${t("completionDollars")}`}
      value={toCompletionDollars(base, completion, quotaPerUnit)}
      placeholder={toCompletionDollars(base, builtIn.completion, quotaPerUnit)}
      disabled={isPerCall(row.cells) || base === ""}
      prefix="$"
      onValue={(text) => onCells(row, { completion: text === "" ? "" : toCompletionRatio(text, base, quotaPerUnit) })}
    />
  );
}
