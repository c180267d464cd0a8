"use client";

import { useTranslations } from "next-intl";
import { type KeyboardEvent, useId } from "react";
import { isComposing } from "@/components/ui/composing";
import { Input } from "@/components/ui/input";
import type { FieldControl } from "./field";
import type { MomentText } from "./moment";

type MomentProps = {
  label: string;
  text: MomentText;
  onText: (text: MomentText) => void;
  onBlur?: () => void;
  /** Instead of what Enter does in a form. */
  onEnter?: () => void;
};

/** A date and a 24-hour time of day with their label in front. */
export function MomentInput({ isInvalid = false, ...moment }: MomentProps & { isInvalid?: boolean }) {
  const id = useId();
  return (
    <div className="flex items-center gap-1.5 max-sm:w-full">
      <label htmlFor={id} className="w-16 shrink-0 text-muted-foreground text-xs">
        {moment.label}
      </label>
      <MomentFields
        {...moment}
        control={{ id, "aria-invalid": isInvalid || undefined, "aria-describedby": undefined }}
      />
    </div>
  );
}

/** The fields of a date and a 24-hour time of day, for a form. One native field for both would cut off AM and PM. */
export function MomentFields({
  label,
  text,
  control,
  onText,
  onBlur,
  onEnter,
}: MomentProps & { control: FieldControl }) {
  const t = useTranslations("common");
  const { id, ...described } = control;
  const common = {
    ...described,
    onBlur,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" || !onEnter || isComposing(event)) return;
      event.preventDefault();
      onEnter();
    },
  };
  return (
    <span className="flex min-w-0 gap-1.5 max-sm:flex-1">
      <Input
        {...common}
        id={id}
        type="date"
        max="9999-12-31"
        value={text.date}
        onChange={(event) => onText({ ...text, date: event.target.value })}
        className="min-w-36 sm:w-36"
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
    </span>
  );
}
