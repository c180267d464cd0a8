"use client";

import { ChevronLeft, ChevronRight, Plus } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import { later, useLater } from "@/components/ui/later";
import { Switch } from "@/components/ui/switch";
import { DualEditor } from "./dual-editor";
import { type BuiltInPrices, filterRows, pricingCells, pricingEditor } from "./pricing-rows";
import { PricingTable } from "./pricing-table";
import type { Cells, Row } from "./row-editor";
import type { RowFieldsProps } from "./row-fields";
import { useSetting } from "./setting-context";
import { useRemoveRow } from "./use-remove-row";
import { useRows } from "./use-rows";

const dialogCode = later(() => import("./pricing-dialog").then(({ PricingDialog }) => PricingDialog));

const ROWS_PER_PAGE = 10;

/** Model prices: a table with ten rows per page, or the JSON of each map. */
export function PricingFields({ views, state, dispatch }: RowFieldsProps) {
  const t = useTranslations("setting");
  const shown = pricingEditor.keys.flatMap((key) => views.filter((view) => view.key === key));
  const extra = views.filter((view) => !shown.includes(view));
  return (
    <DualEditor name={t("card.pricing.title")} views={shown} extra={extra} state={state} dispatch={dispatch}>
      <PricingRows views={shown} state={state} dispatch={dispatch} />
    </DualEditor>
  );
}

function PricingRows({ views, state, dispatch }: RowFieldsProps) {
  const t = useTranslations("setting");
  const { builtInPrices } = useSetting();
  const [search, setSearch] = useState("");
  const [page, setPage] = useState(1);
  const [adding, setAdding] = useState(false);
  const PricingDialog = useLater(dialogCode, adding);
  const [withBuiltIn, setWithBuiltIn] = useState(false);
  const complete = (cells: Cells[]) => (withBuiltIn ? withMissing(cells, builtInPrices) : cells);
  const { rows, issues, setRows, showRows, newId } = useRows(pricingEditor, views, state, dispatch, complete);
  const remove = useRemoveRow(rows, setRows);
  if (rows === null)
    return <p className="rounded-md border border-dashed p-4 text-muted-foreground">{t("jsonFirst")}</p>;

  const onBuiltIn = (on: boolean) => {
    setWithBuiltIn(on);
    setPage(1);
    const own = rows.filter((row) => isOwn(row.cells));
    const names = own.map((row) => row.cells);
    const added = withMissing(names, builtInPrices).slice(own.length);
    showRows(on ? [...own, ...added.map((cells) => ({ id: newId(), cells }))] : own);
  };
  const onCells = (row: Row, change: Record<string, string>) =>
    setRows(rows.map((other) => (other.id === row.id ? { ...row, cells: { ...row.cells, ...change } } : other)));
  const onAdd = (cells: Cells) => {
    setRows([{ id: newId(), cells }, ...rows.filter((row) => isOwn(row.cells) || row.cells.name !== cells.name)]);
    setSearch("");
    setPage(1);
  };
  const found = filterRows(rows, search);
  const pages = Math.max(1, Math.ceil(found.length / ROWS_PER_PAGE));
  const current = Math.min(page, pages);
  const onSearch = (text: string) => {
    setSearch(text);
    setPage(1);
  };
  const taken = rows.filter((row) => isOwn(row.cells)).map((row) => row.cells.name ?? "");
  return (
    <div className="flex min-w-0 flex-col">
      <PricingTools
        search={search}
        onSearch={onSearch}
        withBuiltIn={withBuiltIn}
        onBuiltIn={onBuiltIn}
        onAdd={() => setAdding(true)}
      />
      {found.length === 0 ? (
        <p className="rounded-md border border-dashed p-6 text-center text-muted-foreground">
          {rows.length === 0 ? t("noPrices") : t("noPriceFound")}
        </p>
      ) : (
        <PricingTable
          rows={found.slice((current - 1) * ROWS_PER_PAGE, current * ROWS_PER_PAGE)}
          issues={issues}
          onCells={onCells}
          onRemove={remove}
        />
      )}
      <Pages page={current} pages={pages} total={found.length} onPage={setPage} />
      {adding && PricingDialog ? <PricingDialog taken={taken} onAdd={onAdd} onClose={() => setAdding(false)} /> : null}
    </div>
  );
}

type PricingToolsProps = {
  search: string;
  onSearch: (text: string) => void;
  withBuiltIn: boolean;
  onBuiltIn: (on: boolean) => void;
  onAdd: () => void;
};

function PricingTools({ search, onSearch, withBuiltIn, onBuiltIn, onAdd }: PricingToolsProps) {
  const t = useTranslations("setting");
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      <Input
        type="search"
        aria-label={t("searchModels")}
        placeholder={t("searchModels")}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
        className="sm:w-60"
      />
      <Label className="flex items-center gap-2 font-normal">
        <Switch checked={withBuiltIn} onCheckedChange={onBuiltIn} />
        {t("showBuiltIn")}
      </Label>
      <Button className="ml-auto" size="md" onClick={onAdd}>
        <Plus aria-hidden />
        {t("addModel")}
      </Button>
    </div>
  );
}

/** The rows, followed by the models that have only a built-in price. */
function withMissing(cells: readonly Cells[], builtIn: BuiltInPrices): Cells[] {
  const names = new Set(cells.map((one) => one.name));
  const missing = Object.keys(builtIn).filter((name) => !names.has(name));
  return [...cells, ...missing.map((name) => pricingCells(name, EMPTY))];
}

const EMPTY = { price: "", ratio: "", completion: "" };

/** Whether the operator set a price for this model; otherwise the row only shows the built-in price. */
function isOwn(cells: Cells): boolean {
  return (
    isSet(cells.price) ||
    isSet(cells.ratio) ||
    isSet(cells.completion) ||
    isSet(cells.meters) ||
    isSet(cells.media) ||
    cells.mode === "call"
  );
}

const isSet = (text: string | undefined) => (text ?? "").trim() !== "";

type PagesProps = { page: number; pages: number; total: number; onPage: (page: number) => void };

function Pages({ page, pages, total, onPage }: PagesProps) {
  const t = useTranslations("paging");
  const setting = useTranslations("setting");
  return (
    <nav
      aria-label={setting("pricingPages")}
      className="mt-2 flex items-center justify-between gap-2 text-muted-foreground text-xs"
    >
      <span className="tabular-nums">{setting("modelCount", { count: total })}</span>
      <span className="flex items-center gap-2">
        <Button size="icon" aria-label={t("previous")} disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeft />
        </Button>
        <span className="tabular-nums">{t("page", { page: String(page), pages: String(pages) })}</span>
        <Button size="icon" aria-label={t("next")} disabled={page >= pages} onClick={() => onPage(page + 1)}>
          <ChevronRight />
        </Button>
      </span>
    </nav>
  );
}
