"use client";

import { useId } from "react";
import { toLocalField } from "@/components/format/local-field";
import { useInBrowser } from "@/components/format/time";
import { Input } from "@/components/ui/input";

type TimeFilterProps = { label: string; value: number | null; onValue: (seconds: number | null) => void };

/** A moment in the reader's time zone; the URL holds it as unix seconds. */
export function TimeFilter({ label, value, onValue }: TimeFilterProps) {
  const id = useId();
  const inBrowser = useInBrowser();
  const onChange = (text: string) => {
    const seconds = Math.floor(new Date(text).getTime() / 1000);
    onValue(Number.isNaN(seconds) ? null : seconds);
  };
  return (
    <div className="flex items-center gap-1.5 max-sm:w-full">
      <label htmlFor={id} className="shrink-0 text-muted-foreground text-xs max-sm:w-16">
        {label}
      </label>
      <Input
        id={id}
        type="datetime-local"
        key={value ?? "none"}
        defaultValue={inBrowser && value !== null ? toLocalField(value).slice(0, 16) : ""}
        onChange={(event) => onChange(event.target.value)}
        className="sm:w-46"
      />
    </div>
  );
}
