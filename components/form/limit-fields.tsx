"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import type { LimitName } from "./limit-texts";
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
  const worth = useBudgetWorth();
  const lines = [names.filter((name) => !isBudget(name)), names.filter(isBudget)];
  return lines.map((line) =>
    line.length === 0 ? null : (
      <div key={line[0]} className="grid gap-4 sm:grid-cols-3">
        {line.map((name) => (
          <Field key={name} label={t(name as LimitName)} hint={worth(name, draft[name])} error={errors[name]}>
            {(control) => (
              <NumberInput
                {...control}
                value={draft[name]}
                onChange={(event) => onChange({ [name]: event.target.value } as { [field in Name]?: string })}
              />
            )}
          </Field>
        ))}
      </div>
    ),
  );
}

const isBudget = (name: LimitName) => name.startsWith("budget");

/** What a budget is worth in money, as for every amount that is typed in quota; nothing where it is no limit. */
function useBudgetWorth(): (name: LimitName, text: string) => string | undefined {
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  return (name, text) => {
    const quota = Number(text);
    if (!isBudget(name) || !display.inCurrency || !(quota > 0)) return undefined;
    return common("equivalent", { amount: formatQuota(quota, display) });
  };
}
