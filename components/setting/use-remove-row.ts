import { useTranslations } from "next-intl";
import { useEffect, useRef } from "react";
import { toast } from "@/components/ui/toast";
import type { Row } from "./row-editor";

const UNDO_MS = 8_000;

/** Removes a row of the price table, built-in or not, with an undo that puts it back where it was. */
export function useRemoveRow(rows: readonly Row[] | null, setRows: (rows: Row[]) => void): (row: Row) => void {
  const t = useTranslations("setting");
  // The notice stays longer than these rows.
  const restore = useRef<(row: Row, at: number) => void>(() => undefined);
  useEffect(() => {
    restore.current = (row, at) => {
      const now = rows ?? [];
      if (!now.some(({ cells }) => cells.name === row.cells.name)) setRows(now.toSpliced(at, 0, row));
    };
  });
  return (row) => {
    const at = rows?.indexOf(row) ?? -1;
    if (!rows || at === -1) return;
    setRows(rows.toSpliced(at, 1));
    toast(t("rowRemoved", { name: row.cells.name ?? "" }), {
      duration: UNDO_MS,
      action: { label: t("undoRemove"), onClick: () => restore.current(row, at) },
    });
  };
}
