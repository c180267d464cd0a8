"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { NumberInput } from "@/components/form/number-input";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Input } from "@/components/ui/input";
import { ALERT_COMPARISONS, ALERT_WINDOWS } from "@/lib/alert/types";
import type { PartProps } from "./alert-draft";
import { AlertSelect } from "./alert-select";
import { useAlertWords } from "./use-alert-words";

/** Threshold, window and the least number of requests. */
export function AlertConditionFields({ draft, errors, onDraft }: PartProps) {
  const t = useTranslations("alert");
  const { span } = useAlertWords();
  const display = useQuotaDisplay();
  const { metric } = draft;
  const isRate = metric === "error_rate" || metric === "latency";
  const isMoney = !isRate && display.inCurrency;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <AlertSelect
        label={t("comparisonLabel")}
        value={draft.comparison}
        options={ALERT_COMPARISONS.map((value) => ({ value, text: t(`comparison.${value}`) }))}
        onValue={(comparison) => onDraft({ ...draft, comparison })}
      />
      <Field
        label={isMoney ? t("thresholdIn", { unit: display.symbol }) : t(`thresholdLabel.${metric}`)}
        error={errors.threshold}
      >
        {(control) => (
          <Input
            {...control}
            type="number"
            min={0}
            step="any"
            inputMode="decimal"
            className="tabular-nums"
            value={draft.threshold}
            onChange={({ target }) => onDraft({ ...draft, threshold: target.value })}
          />
        )}
      </Field>
      {metric === "balance" ? null : (
        <AlertSelect
          label={t("windowLabel")}
          error={errors.windowSeconds}
          value={String(draft.windowSeconds)}
          options={ALERT_WINDOWS.map((seconds) => ({ value: String(seconds), text: span(seconds) }))}
          onValue={(value) => onDraft({ ...draft, windowSeconds: Number(value) })}
        />
      )}
      {isRate ? (
        <Field label={t("minRequests")} hint={t("minRequestsHint")} error={errors.minRequests}>
          {(control) => (
            <NumberInput
              {...control}
              value={draft.minRequests}
              onChange={({ target }) => onDraft({ ...draft, minRequests: target.value })}
            />
          )}
        </Field>
      ) : null}
    </div>
  );
}
