"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { Input } from "@/components/ui/input";
import type { CellIssue } from "./row-editor";
import { useTyped } from "./use-typed";

type PricingCellProps = {
  label: string;
  value: string;
  onValue: (text: string) => void;
  placeholder?: string | undefined;
  disabled?: boolean;
  issue?: CellIssue | undefined;
  prefix?: string;
};

/** A number in the pricing table. The placeholder shows the value that applies while the cell is empty. */
export function PricingCell({ label, value, onValue, placeholder, disabled, issue, prefix }: PricingCellProps) {
  const t = useTranslations("setting.row");
  const id = useId();
  const { text, onText, onLeave } = useTyped(value, onValue);
  return (
    <span className="flex w-20 flex-col items-end gap-1">
      <span className="relative w-full">
        {prefix ? (
          <span className="pointer-events-none absolute inset-y-0 left-2 flex items-center text-muted-foreground text-xs">
            {prefix}
          </span>
        ) : null}
        <Input
          aria-label={label}
          aria-invalid={issue ? true : undefined}
          aria-describedby={issue ? id : undefined}
          value={text}
          placeholder={placeholder}
          disabled={disabled}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => onText(event.target.value)}
          onBlur={onLeave}
          className={prefix ? "h-8 pr-2 pl-5 text-right tabular-nums" : "h-8 px-2 text-right tabular-nums"}
        />
      </span>
      {issue ? (
        <span id={id} role="alert" className="text-destructive text-xs">
          {t(issue)}
        </span>
      ) : null}
    </span>
  );
}
