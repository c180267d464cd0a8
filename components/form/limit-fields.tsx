"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import type { LimitName } from "./limit-texts";
import { MoneyField } from "./money-field";
import { NumberInput } from "./number-input";

type LimitFieldsProps<Name extends LimitName> = {
  names: readonly Name[];
  draft: Record<Name, string>;
  onChange: (change: { [field in Name]?: string }) => void;
  errors: Record<string, string>;
};

/** Numbers of which 0 means no limit. Budgets have a line of their own. */
export function LimitFields<Name extends LimitName>({ names, draft, onChange, errors }: LimitFieldsProps<Name>) {
  const t = useTranslations("limit");
  const lines = [names.filter((name) => !isBudget(name)), names.filter(isBudget)];
  return lines.map((line) =>
    line.length === 0 ? null : (
      <div key={line[0]} className="grid gap-4 sm:grid-cols-3">
        {line.map((name) => {
          const field = { label: t(name as LimitName), error: errors[name] };
          const onText = (text: string) => onChange({ [name]: text } as { [field in Name]?: string });
          return isBudget(name) ? (
            <MoneyField key={name} {...field} quota={draft[name]} onQuota={onText} />
          ) : (
            <Field key={name} {...field}>
              {(control) => (
                <NumberInput {...control} value={draft[name]} onChange={(event) => onText(event.target.value)} />
              )}
            </Field>
          );
        })}
      </div>
    ),
  );
}

const isBudget = (name: LimitName) => name.startsWith("budget");
