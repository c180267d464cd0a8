"use client";

import { ArrowDown, ArrowUp, Plus, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import type { CSSProperties, ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Input } from "@/components/ui/input";
import { Switch } from "@/components/ui/switch";
import type { Cells, Row } from "./row-editor";
import type { Rows } from "./use-rows";

type CellColumn = {
  id: string;
  header: string;
  kind?: "number" | "switch";
  placeholder?: string;
  disabled?: (cells: Cells) => boolean;
  /** Width of the column in the grid on a wide screen. */
  width: string;
};

type EditableRowsProps = {
  rows: Rows;
  columns: readonly CellColumn[];
  /** The cells of a new row. */
  blank: Cells;
  addLabel: string;
  /** Whether the order matters. */
  movable?: boolean;
};

/** A short table of inputs. Rows can be added, removed and, if `movable`, reordered. */
export function EditableRows({ rows, columns, blank, addLabel, movable = false }: EditableRowsProps) {
  const t = useTranslations("setting");
  const { rows: list, setRows, newId } = rows;
  if (list === null)
    return <p className="rounded-md border border-dashed p-4 text-muted-foreground">{t("jsonFirst")}</p>;
  const setCell = (row: Row, cell: string, text: string) =>
    setRows(list.map((other) => (other === row ? { ...row, cells: { ...row.cells, [cell]: text } } : other)));
  const move = (index: number, by: -1 | 1) => {
    const next = [...list];
    const [row] = next.splice(index, 1);
    if (row) next.splice(index + by, 0, row);
    setRows(next);
  };
  const template = [...columns.map((column) => column.width), movable ? "6.5rem" : "2rem"].join(" ");
  return (
    <div className="flex flex-col gap-2" style={{ "--row": template } as CSSProperties}>
      <div
        className="hidden gap-2 px-0.5 font-medium text-muted-foreground text-xs md:grid md:grid-cols-(--row)"
        aria-hidden
      >
        {columns.map((column) => (
          <span key={column.id}>{column.header}</span>
        ))}
      </div>
      <ul className="flex flex-col gap-2 max-md:gap-3">
        {list.map((row, index) => (
          <RowItem
            key={row.id}
            row={row}
            name={nameOf(row, index)}
            columns={columns}
            position={index + 1}
            issues={rows.issues}
            onCell={(cell, text) => setCell(row, cell, text)}
            onRemove={() => setRows(list.filter((other) => other !== row))}
          >
            {movable ? (
              <MoveButtons
                name={nameOf(row, index)}
                index={index}
                last={list.length - 1}
                onMove={(by) => move(index, by)}
              />
            ) : null}
          </RowItem>
        ))}
      </ul>
      <Button className="self-start" onClick={() => setRows([...list, { id: newId(), cells: blank }])}>
        <Plus aria-hidden />
        {addLabel}
      </Button>
    </div>
  );
}

/** Rows with more cells have two beside each other on a phone. */
const LONG = 4;

const nameOf = (row: Row, index: number) => row.cells.name || String(index + 1);

type RowItemProps = {
  row: Row;
  name: string;
  columns: readonly CellColumn[];
  position: number;
  issues: Rows["issues"];
  onCell: (cell: string, text: string) => void;
  onRemove: () => void;
  /** Buttons beside the one that removes the row. */
  children: ReactNode;
};

function RowItem({ row, name, columns, position, issues, onCell, onRemove, children }: RowItemProps) {
  const t = useTranslations("setting");
  const remove = t("removeRow", { name });
  return (
    <li
      className={cn(
        "grid items-start gap-2 max-md:rounded-md max-md:border max-md:p-3 md:grid-cols-(--row)",
        columns.length > LONG &&
          "max-md:grid-cols-2 max-md:items-end max-md:*:first:col-span-2 max-md:*:last:col-span-2",
      )}
    >
      {columns.map((column) => (
        <RowCell
          key={column.id}
          row={row}
          column={column}
          position={position}
          issue={issues[`${row.id}.${column.id}`]}
          onText={(text) => onCell(column.id, text)}
        />
      ))}
      <div className="flex h-9 items-center justify-end">
        {children}
        <Button variant="ghost" size="icon" aria-label={remove} onClick={onRemove} className="text-muted-foreground">
          <Trash2 />
        </Button>
      </div>
    </li>
  );
}

type RowCellProps = {
  row: Row;
  column: CellColumn;
  position: number;
  issue: Rows["issues"][string] | undefined;
  onText: (text: string) => void;
};

function RowCell({ row, column, position, issue, onText }: RowCellProps) {
  const t = useTranslations("setting.row");
  const label = `${column.header} ${position}`;
  const text = row.cells[column.id] ?? "";
  const id = `cell-${row.id}-${column.id}`;
  if (column.kind === "switch")
    return (
      <span className="flex h-9 items-center gap-2">
        <Switch aria-label={label} checked={text === "true"} onCheckedChange={(on) => onText(String(on))} />
        <span className="text-muted-foreground text-xs md:hidden" aria-hidden>
          {column.header}
        </span>
      </span>
    );
  return (
    <span className="flex min-w-0 flex-col gap-1">
      <span className="text-muted-foreground text-xs md:hidden" aria-hidden>
        {column.header}
      </span>
      <Input
        aria-label={label}
        aria-invalid={issue ? true : undefined}
        aria-describedby={issue ? `${id}-issue` : undefined}
        value={text}
        disabled={column.disabled?.(row.cells) ?? false}
        placeholder={column.placeholder}
        inputMode={column.kind === "number" ? "decimal" : "text"}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        className={cn(column.kind === "number" && "tabular-nums")}
      />
      {issue ? (
        <span id={`${id}-issue`} role="alert" className="text-destructive text-xs">
          {t(issue)}
        </span>
      ) : null}
    </span>
  );
}

type MoveButtonsProps = { name: string; index: number; last: number; onMove: (by: -1 | 1) => void };

function MoveButtons({ name, index, last, onMove }: MoveButtonsProps) {
  const t = useTranslations("setting");
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t("moveUp", { name })}
        disabled={index === 0}
        onClick={() => onMove(-1)}
      >
        <ArrowUp />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t("moveDown", { name })}
        disabled={index === last}
        onClick={() => onMove(1)}
      >
        <ArrowDown />
      </Button>
    </>
  );
}
