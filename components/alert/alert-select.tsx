"use client";

import { Field } from "@/components/form/field";
import { NativeSelect } from "@/components/ui/native-select";

type AlertSelectProps<Value extends string> = {
  label: string;
  hint?: string;
  error?: string | undefined;
  value: Value;
  options: readonly { value: Value; text: string }[];
  onValue: (value: Value) => void;
};

/** A labelled choice of a few values. */
export function AlertSelect<Value extends string>(props: AlertSelectProps<Value>) {
  const { label, hint, error, value, options, onValue } = props;
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <NativeSelect
          {...control}
          value={value}
          onChange={({ target }) => {
            const chosen = options.find((option) => option.value === target.value);
            if (chosen) onValue(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </NativeSelect>
      )}
    </Field>
  );
}
