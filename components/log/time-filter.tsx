"use client";

import { useEffect, useId, useRef } from "react";
import { toLocalField } from "@/components/format/local-field";
import { useInBrowser } from "@/components/format/time";
import { Input } from "@/components/ui/input";

/** Long enough to type the next part of a date. */
const TYPING_PAUSE_MS = 1_000;

type TimeFilterProps = { label: string; value: number | null; onValue: (seconds: number | null) => void };

/**
 * A time filter in the browser's time zone; the URL holds unix seconds. The value applies after a typing pause, on Enter or
 * on blur, so that a half-typed date is not used.
 */
export function TimeFilter({ label, value, onValue }: TimeFilterProps) {
  const id = useId();
  const inBrowser = useInBrowser();
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const text = inBrowser && value !== null ? toLocalField(value).slice(0, 16) : "";
  // Uncontrolled: writing to the field would clear a half-typed date, so it is only updated when the value differs.
  useEffect(() => {
    if (field.current && field.current.value !== text) field.current.value = text;
  }, [text]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const apply = () => {
    clearTimeout(timer.current);
    const typed = field.current?.value ?? "";
    if (typed === text || (typed === "" && field.current?.validity.badInput)) return;
    const seconds = Math.floor(new Date(typed).getTime() / 1000);
    onValue(Number.isNaN(seconds) ? null : seconds);
  };
  const onChange = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(apply, TYPING_PAUSE_MS);
  };
  return (
    <div className="flex items-center gap-1.5 max-sm:w-full">
      <label htmlFor={id} className="shrink-0 text-muted-foreground text-xs max-sm:w-16">
        {label}
      </label>
      <Input
        id={id}
        ref={field}
        type="datetime-local"
        max="9999-12-31T23:59"
        defaultValue={text}
        onChange={onChange}
        onBlur={apply}
        onKeyDown={(event) => (event.key === "Enter" ? apply() : undefined)}
        className="sm:w-46"
      />
    </div>
  );
}
