"use client";

import { useTranslations } from "next-intl";
import type { FormEvent } from "react";
import { Card } from "@/components/form/card";
import { EditClashes } from "@/components/form/edit-clashes";
import { Field } from "@/components/form/field";
import { MoneyField } from "@/components/form/money-field";
import { SwitchField } from "@/components/form/switch-field";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { BudgetList } from "@/components/format/budget-list";
import { formatExactQuota, formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import { toast } from "@/components/ui/toast";
import type { Locale } from "@/lib/i18n/locale";
import type { BudgetState } from "@/lib/limit/budget-queries";
import type { NotificationPreferences as Preferences } from "@/lib/notify/types";
import { savePreferences } from "./notification-actions";

type Choices = Pick<Preferences, "language" | "threshold" | "acceptsUnpriced" | "budgetWarnings">;
type PreferencesProps = { preferences: Preferences; budgets: readonly BudgetState[] };

const LANGUAGES = [
  { locale: "zh", name: "中文" },
  { locale: "en", name: "English" },
] as const;

/** Threshold presets in currency units. */
const PRESETS = [1, 5, 10, 50] as const;

type Draft = { threshold: string; language: Locale; acceptsUnpriced: boolean; warnings: string };

const SHAPE = {
  toDraft: (row: Choices | null): Draft => ({
    threshold: typeof row?.threshold === "number" ? String(row.threshold) : "",
    language: row?.language ?? "zh",
    acceptsUnpriced: row?.acceptsUnpriced ?? false,
    warnings: row?.budgetWarnings.join(", ") ?? "",
  }),
  toInput: ({ threshold, language, acceptsUnpriced, warnings }: Draft): Choices => ({
    language,
    threshold: threshold.trim() === "" ? null : Number(threshold),
    acceptsUnpriced,
    budgetWarnings: toPercentages(warnings),
  }),
};

/** The threshold of the low-balance warning, the language of messages, and the account's concurrency limit. */
export function NotificationPreferences({ preferences, budgets }: PreferencesProps) {
  const t = useTranslations("notify");
  const common = useTranslations("common");
  const { pending, run } = useRunAction();
  const edit = useEdit<Choices, Draft, Choices>(preferences, SHAPE);
  const { draft, errors, setErrors, onChange, onFailure } = edit;

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    const changes = edit.changes();
    if (!changes) return;
    const onSaved = () => {
      edit.onSaved(changes);
      toast.success(common("saved"), { duration: 1500 });
    };
    run(() => savePreferences(changes), onSaved, onFailure);
  };
  const limit = useTranslations("limit");
  const display = useQuotaDisplay();
  const { concurrencyLimit } = preferences;
  const labels: Record<keyof Choices, string> = {
    language: t("language"),
    threshold: t("threshold"),
    acceptsUnpriced: t("unpriced"),
    budgetWarnings: t("budgetWarnings"),
  };
  return (
    <Card title={t("preferences")} lead={t("preferencesLead")}>
      <form onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <EditClashes edit={edit} labels={labels} kinds={{ threshold: "money" }} />
        <ThresholdField
          value={draft.threshold}
          error={errors.threshold}
          siteThreshold={preferences.siteThreshold}
          onValue={(threshold) => onChange({ threshold })}
        />
        <BudgetWarningsField value={draft.warnings} errors={errors} onValue={(warnings) => onChange({ warnings })} />
        <Field label={t("language")}>
          {(control) => (
            <NativeSelect
              {...control}
              value={draft.language}
              onChange={({ target }) => onChange({ language: target.value === "en" ? "en" : "zh" })}
            >
              {LANGUAGES.map(({ locale, name }) => (
                <option key={locale} value={locale} lang={locale}>
                  {name}
                </option>
              ))}
            </NativeSelect>
          )}
        </Field>
        <SwitchField
          label={t("unpriced")}
          hint={t("unpricedHint")}
          checked={draft.acceptsUnpriced}
          onChecked={(acceptsUnpriced) => onChange({ acceptsUnpriced })}
        />
        <div>
          <Button size="md" variant="primary" type="submit" pending={pending}>
            {t("save")}
          </Button>
        </div>
      </form>
      <dl className="mt-4 border-t pt-4">
        <dt className="font-medium">{t("limit")}</dt>
        <dd dir="auto" className="mt-0.5 text-muted-foreground text-xs">
          {concurrencyLimit > 0 ? t("limitText", { count: String(concurrencyLimit) }) : t("limitNone")}
        </dd>
        {budgets.length > 0 ? (
          <>
            <dt className="mt-3 font-medium">{limit("budgets")}</dt>
            <dd dir="auto" className="mt-0.5">
              <BudgetList budgets={budgets} display={display} />
            </dd>
          </>
        ) : null}
      </dl>
    </Card>
  );
}

/** What is no number is refused by the server. */
const toPercentages = (text: string): number[] =>
  text
    .split(/[,，\s]+/)
    .filter((part) => part !== "")
    .map(Number);

type WarningsProps = { value: string; errors: Record<string, string>; onValue: (value: string) => void };

function BudgetWarningsField({ value, errors, onValue }: WarningsProps) {
  const t = useTranslations("notify");
  const error = Object.entries(errors).find(([field]) => field.startsWith("budgetWarnings"))?.[1];
  return (
    <Field label={t("budgetWarnings")} hint={t("budgetWarningsHint")} error={error}>
      {(control) => <Input {...control} value={value} onChange={({ target }) => onValue(target.value)} />}
    </Field>
  );
}

type ThresholdProps = {
  value: string;
  error: string | undefined;
  siteThreshold: number;
  onValue: (value: string) => void;
};

function ThresholdField({ value, error, siteThreshold, onValue }: ThresholdProps) {
  const t = useTranslations("notify");
  const display = useQuotaDisplay();
  return (
    <div className="flex flex-col gap-2">
      <MoneyField
        label={t("threshold")}
        hint={t("thresholdHint", { value: formatExactQuota(siteThreshold, display) })}
        error={error}
        quota={value}
        onQuota={onValue}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that fill in the field above are no group of fields */}
      <div role="group" aria-label={t("presetLabel")} className="flex flex-wrap gap-1.5">
        {PRESETS.map((units) => {
          const quota = Math.ceil(units * display.quotaPerUnit);
          return (
            <Button key={units} className="h-7 px-2 font-normal text-xs" onClick={() => onValue(String(quota))}>
              {formatQuota(quota, display)}
            </Button>
          );
        })}
      </div>
    </div>
  );
}
