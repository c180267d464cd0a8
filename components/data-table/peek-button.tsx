"use client";

import { useTranslations } from "next-intl";
import type { KeyboardEvent } from "react";
import { cn } from "@/components/ui/class-names";
import { isComposing } from "@/components/ui/composing";
import { usePeek } from "./use-peek";

type PeekButtonProps = { id: number; name: string; className?: string; children: string };

/** The id or name of a row; opens the row beside the list. The arrow keys, j and k lead to the other rows. */
export function PeekButton({ id, name, className, children }: PeekButtonProps) {
  const t = useTranslations("list");
  const { peek, open } = usePeek(FROM_SERVER);
  return (
    <button
      type="button"
      data-peek={id}
      title={t("peek", { name })}
      aria-haspopup="dialog"
      aria-expanded={peek === String(id)}
      onClick={() => open(String(id))}
      onKeyDown={onArrow}
      className={cn("min-h-6 min-w-6 rounded text-left hover:underline", className)}
    >
      {children}
    </button>
  );
}

/** The details come from the server. */
export const FROM_SERVER = { isFromServer: true };

function onArrow(event: KeyboardEvent<HTMLElement>): void {
  if (isComposing(event) || event.metaKey || event.ctrlKey || event.altKey) return;
  const step = STEPS[event.key];
  const buttons = [...(event.currentTarget.closest("table")?.querySelectorAll<HTMLElement>("[data-peek]") ?? [])];
  const next = step === undefined ? undefined : buttons[buttons.indexOf(event.currentTarget) + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };
