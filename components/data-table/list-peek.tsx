"use client";

import { useTranslations } from "next-intl";
import type { MouseEvent, ReactNode } from "react";
import { isOnControl } from "./data-table";
import { FROM_SERVER } from "./peek-button";
import { RowPeek } from "./row-peek";
import { usePeek } from "./use-peek";

type ListPeekProps = {
  /** What the list is called. */
  title: string;
  /** The rows of the page, in order. */
  rows: readonly { id: number; name: string }[];
  /** The row that `detail` is of. */
  shown: number | null;
  detail: ReactNode;
  /** The table, with a PeekButton in each row. */
  children: ReactNode;
};

/** From this width on the table is a table, not cards. */
const WIDE = "(min-width: 768px)";

/** Opens a row of the table beside it. The URL names the row, and the server sends its details. */
export function ListPeek({ title, rows, shown, detail, children }: ListPeekProps) {
  const t = useTranslations("list");
  const { peek, open, move } = usePeek(FROM_SERVER);
  const onClick = (event: MouseEvent) => {
    // Cards of a phone are touched to scroll; there the button opens them.
    if (isOnControl(event) || !window.matchMedia(WIDE).matches || !(event.target instanceof Element)) return;
    const id = event.target.closest("tr")?.querySelector<HTMLElement>("[data-peek]")?.dataset.peek;
    if (id !== undefined) open(id);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: each row has a button for the keyboard */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: each row has a button for the keyboard */}
      <div onClick={onClick} className="md:[&_tr:has([data-peek])]:cursor-pointer">
        {children}
      </div>
      <RowPeek
        peek={peek}
        keys={rows.map(({ id }) => String(id))}
        title={rows.find(({ id }) => String(id) === peek)?.name ?? title}
        onMove={move}
        focusRow={(key) => document.querySelector<HTMLElement>(`[data-peek="${CSS.escape(key)}"]`)?.focus()}
      >
        {peek === null || String(shown) === peek ? (
          detail
        ) : (
          <p role="status" className="text-muted-foreground">
            {t("loading")}
          </p>
        )}
      </RowPeek>
    </>
  );
}
