"use client";

import { Pencil } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";

type PriceLinesProps = {
  lines: readonly { key: string; text: string }[];
  /** The operator set them; else they are the built-in ones, in grey. */
  isOwn: boolean;
  /** Names the button for those who cannot see it. */
  editLabel: string;
  isDisabled: boolean;
  onEdit: () => void;
  /** The dialog, while it is open. */
  children: ReactNode;
};

/** Several prices in one cell of the table, with a button that opens their dialog. */
export function PriceLines({ lines, isOwn, editLabel, isDisabled, onEdit, children }: PriceLinesProps) {
  return (
    <span className="inline-flex items-start gap-1">
      <span className={isOwn ? "flex flex-col text-xs" : "flex flex-col text-muted-foreground text-xs"}>
        {lines.map(({ key, text }) => (
          <span key={key} className="text-balance tabular-nums md:max-w-40">
            {text}
          </span>
        ))}
      </span>
      <Button
        variant="ghost"
        size="icon"
        className="text-muted-foreground"
        aria-label={editLabel}
        disabled={isDisabled}
        onClick={onEdit}
      >
        <Pencil />
      </Button>
      {children}
    </span>
  );
}
