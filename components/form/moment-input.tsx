"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { Input } from "@/components/ui/input";
import type { MomentText } from "./moment";

type MomentInputProps = {
  label: string;
  text: MomentText;
  isInvalid?: boolean;
  onText: (text: MomentText) => void;
  onBlur?: () => void;
  onEnter?: () => void;
};

/** A date and a 24-hour time of day. One native field for both would cut off AM and PM. */
export function MomentInput({ label, text, isInvalid = false, onText, onBlur, onEnter }: MomentInputProps) {
  const t = useTranslations("common");
  const id = useId();
  const common = {
    "aria-invalid": isInvalid || undefined,
    onBlur,
    onKeyDown: (event: { key: string }) => (event.key === "Enter" ? onEnter?.() : undefined),
  };
  return (
    <div className="flex items-center gap-1.5 max-sm:w-full">
      <label htmlFor={id} className="w-16 shrink-0 text-muted-foreground text-xs">
        {label}
      </label>
      <Input
        {...common}
        id={id}
        type="date"
        max="9999-12-31"
        value={text.date}
        onChange={(event) => onText({ ...text, date: event.target.value })}
        className="sm:w-36"
      />
      <Input
        {...common}
        aria-label={t("timeOfDay", { name: label })}
        placeholder="00:00"
        inputMode="numeric"
        maxLength={5}
        autoComplete="off"
        value={text.time}
        onChange={(event) => onText({ ...text, time: event.target.value })}
        className="w-18 shrink-0 tabular-nums"
      />
    </div>
  );
}
