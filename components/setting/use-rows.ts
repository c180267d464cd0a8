"use client";

import { useTranslations } from "next-intl";
import { useRef, useState } from "react";
import type { OptionView } from "@/lib/option/types";
import { type CardEvent, type CardState, textOf } from "./card-draft";
import type { CellIssues, Cells, Row, RowEditor } from "./row-editor";

export type Rows = {
  /** Null while a text does not have the expected shape. */
  rows: Row[] | null;
  issues: CellIssues;
  setRows: (rows: Row[]) => void;
  /** Replaces the rows without writing the texts; for rows that are not part of the texts. */
  showRows: (rows: Row[]) => void;
  /** An id that no other row has. */
  newId: () => number;
};

type Held = { texts: readonly string[]; round: number; rows: Row[] | null };

/**
 * The rows of a visual editor and the JSON texts behind them. A change of rows is written to the texts once every cell
 * is valid. When the texts change elsewhere or edits are discarded, the rows are rebuilt, with the rows that `complete`
 * adds.
 */
export function useRows(
  editor: RowEditor,
  views: readonly OptionView[],
  state: CardState,
  dispatch: (event: CardEvent) => void,
  complete: (cells: Cells[]) => Cells[] = (cells) => cells,
): Rows {
  const t = useTranslations("setting.row");
  const { round } = state;
  const serial = useRef(0);
  const texts = views.map((view) => textOf(state, view));
  const newId = () => {
    serial.current += 1;
    return serial.current;
  };
  const read = (): Held => {
    const cells = editor.read(texts);
    return { texts, round, rows: cells && complete(cells).map((one) => ({ id: newId(), cells: one })) };
  };
  const [held, setHeld] = useState<Held>(read);
  if (held.round !== round || !sameTexts(held.texts, texts)) setHeld(read());
  const rows = held.rows;
  const setRows = (next: Row[]) => {
    const [first] = Object.values(editor.check(next));
    const written = first
      ? texts
      : editor.write(
          next.map((row) => row.cells),
          texts,
        );
    setHeld({ texts: written, round, rows: next });
    for (const [index, view] of views.entries()) {
      const text = written[index] ?? "";
      if (text !== texts[index]) dispatch({ type: "text", key: view.key, text });
    }
    const [main] = views;
    if (main) dispatch({ type: "issue", key: main.key, message: first ? t(first) : null });
  };
  return {
    rows,
    issues: rows ? editor.check(rows) : {},
    setRows,
    showRows: (next) => setHeld({ texts, round, rows: next }),
    newId,
  };
}

const sameTexts = (one: readonly string[], other: readonly string[]) =>
  one.every((text, index) => text === other[index]);
