"use client";

import { cn } from "./class-names";

type SegmentedProps<Value extends string> = {
  label: string;
  value: Value;
  choices: readonly { value: Value; label: string; className?: string }[];
  onValue: (value: Value) => void;
  className?: string;
};

/** Switches between a few views of the same data. */
export function Segmented<Value extends string>({ label, value, choices, onValue, className }: SegmentedProps<Value>) {
  return (
    <fieldset
      data-slot="segmented"
      aria-label={label}
      className={cn("inline-flex rounded-md border bg-muted p-0.5", className)}
    >
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onValue(choice.value)}
          className={cn(
            "rounded px-2.5 py-1 font-medium text-muted-foreground text-xs transition-colors hover:text-foreground",
            choice.value === value && "bg-surface text-foreground shadow-sm",
            choice.className,
          )}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  );
}
