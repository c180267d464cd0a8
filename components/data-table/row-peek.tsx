"use client";

import { ChevronDown, ChevronUp } from "lucide-react";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { Drawer } from "@/components/overlay/drawer";
import { Button } from "@/components/ui/button";
import { isComposing } from "@/components/ui/composing";

type RowPeekProps = {
  /** Key of the open row; null = closed. */
  peek: string | null;
  /** Keys of the rows of the page, in order. */
  keys: readonly string[];
  title: ReactNode;
  children: ReactNode;
  onMove: (key: string | null) => void;
  /** Gives the focus back to the row that was open last. */
  focusRow: (key: string) => void;
};

/** A row beside its list, with the next and the previous one by button, arrow key, j or k. */
export function RowPeek({ peek, keys, title, children, onMove, focusRow }: RowPeekProps) {
  const t = useTranslations("list");
  const [last, setLast] = useState(peek);
  if (peek !== null && peek !== last) setLast(peek);
  const at = peek === null ? -1 : keys.indexOf(peek);
  const previous = at > 0 ? keys[at - 1] : undefined;
  const next = at >= 0 ? keys[at + 1] : undefined;
  const onKeyDown = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, [role=menu]");
    if (isTyping || isComposing(event) || event.metaKey || event.ctrlKey || event.altKey) return;
    const to = event.key === "j" || event.key === "ArrowDown" ? next : isBack(event.key) ? previous : undefined;
    if (to === undefined) return;
    event.preventDefault();
    onMove(to);
  };
  // A disabled button loses the focus, and with it the keys would be lost.
  const step = (to: string | undefined) => ({
    "aria-disabled": to === undefined,
    className: to === undefined ? "cursor-not-allowed opacity-50" : "",
    onClick: () => (to === undefined ? undefined : onMove(to)),
  });
  const footer = (
    <div className="mr-auto flex items-center gap-2">
      <Button size="md" {...step(previous)}>
        <ChevronUp aria-hidden />
        {t("previous")}
      </Button>
      <Button size="md" {...step(next)}>
        <ChevronDown aria-hidden />
        {t("next")}
      </Button>
      {at >= 0 ? (
        <span className="text-muted-foreground text-xs tabular-nums">
          {t("rowOf", { place: String(at + 1), count: String(keys.length) })}
        </span>
      ) : null}
    </div>
  );
  return (
    <Drawer
      open={peek !== null}
      onClose={() => onMove(null)}
      onKeyDown={onKeyDown}
      onCloseAutoFocus={(event) => {
        if (last === null) return;
        event.preventDefault();
        focusRow(last);
      }}
      title={title}
      footer={footer}
      className="max-w-180"
    >
      <div className="@container">{children}</div>
    </Drawer>
  );
}

const isBack = (key: string): boolean => key === "k" || key === "ArrowUp";
