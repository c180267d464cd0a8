"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { Field } from "@/components/form/field";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";

type ChoiceFieldProps = {
  label: string;
  hint?: string;
  value: string;
  /** Without the choice to leave it unset. */
  choices: readonly string[];
  onValue: (value: string) => void;
};

/** One of a few values as the API names them, or not set. */
export function ChoiceField({ label, hint, value, choices, onValue }: ChoiceFieldProps) {
  const t = useTranslations("playground");
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <NativeSelect {...control} value={value} onChange={(event) => onValue(event.target.value)}>
          <option value="">{t("notSet")}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </NativeSelect>
      )}
    </Field>
  );
}

type TextFieldProps = ChoiceFieldProps & { max?: number };

/** Any value, with the usual ones as suggestions: upstreams have their own. */
export function SuggestionField({ label, hint, value, choices, onValue, max = 64 }: TextFieldProps) {
  const t = useTranslations("playground");
  const list = useId();
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <>
          <Input
            {...control}
            list={list}
            value={value}
            maxLength={max}
            placeholder={t("notSet")}
            onChange={(event) => onValue(event.target.value)}
          />
          <datalist id={list}>
            {choices.map((choice) => (
              <option key={choice} value={choice} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

type NumberFieldProps = {
  label: string;
  hint?: string;
  value: string;
  min: number;
  max: number;
  step?: number;
  onValue: (value: string) => void;
};

export function NumberField({ label, hint, value, min, max, step = 1, onValue }: NumberFieldProps) {
  const t = useTranslations("playground");
  return (
    <Field
      label={label}
      hint={hint}
      error={numberIn(value, min, max) === null ? t("call.range", { min: String(min), max: String(max) }) : undefined}
    >
      {(control) => (
        <Input
          {...control}
          type="number"
          min={min}
          max={max}
          step={step}
          value={value}
          placeholder={t("notSet")}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}

/** Undefined = not set; null = no number within the bounds. */
export function numberIn(text: string, min: number, max: number): number | undefined | null {
  if (text.trim() === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= min && value <= max ? value : null;
}
