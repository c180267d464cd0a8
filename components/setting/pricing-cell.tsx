"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { Input } from "@/components/ui/input";
import type { CellIssue } from "./row-editor";

type PricingCellProps = {
  label: string;
  value: string;
  onValue: (text: string) => void;
  placeholder?: string | undefined;
  disabled?: boolean;
  issue?: CellIssue | undefined;
  prefix?: string;
};

/**
 * A number in the pricing table. While it is being typed it shows what is typed, so that a price and the ratio that it
 * makes can follow each other without rewriting themselves under the cursor.
 */
export function PricingCell({ label, value, onValue, placeholder, disabled, issue, prefix }: PricingCellProps) {
  const t = useTranslations("setting.row");
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const onChange = (text: string) => {
    setTyped(text);
    onValue(text.trim());
  };
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
          value={typed ?? value}
          placeholder={placeholder}
          disabled={disabled}
          inputMode="decimal"
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
          onBlur={() => setTyped(null)}
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
