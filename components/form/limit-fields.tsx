"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { Input } from "@/components/ui/input";
import type { LimitName } from "./limit-texts";

type LimitFieldsProps<Name extends LimitName> = {
  names: readonly Name[];
  draft: Record<Name, string>;
  onChange: (change: { [field in Name]?: string }) => void;
  errors: Record<string, string>;
};

/** Numbers of which 0 means no limit. */
export function LimitFields<Name extends LimitName>({ names, draft, onChange, errors }: LimitFieldsProps<Name>) {
  const t = useTranslations("limit");
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {names.map((name) => (
        <Field key={name} label={t(name as LimitName)} error={errors[name]}>
          {(control) => (
            <Input
              {...control}
              type="number"
              min={0}
              step={1}
              inputMode="numeric"
              value={draft[name]}
              onChange={(event) => onChange({ [name]: event.target.value } as { [field in Name]?: string })}
              className="tabular-nums"
            />
          )}
        </Field>
      ))}
    </div>
  );
}
