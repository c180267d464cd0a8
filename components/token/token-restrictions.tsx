"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { LimitFields } from "@/components/form/limit-fields";
import { NumberInput } from "@/components/form/number-input";
import { SwitchField } from "@/components/form/switch-field";
import { TagInput } from "@/components/form/tag-input";
import { cn } from "@/components/ui/class-names";
import { Textarea } from "@/components/ui/textarea";
import { OperationField } from "./operation-field";
import { TOKEN_LIMITS } from "./token-draft";
import type { SectionProps } from "./token-fields";

/** The fields for allowed models, operations, IP addresses and rate limit. */
export function TokenRestrictions({ draft, onChange, errors, models }: SectionProps & { models: string[] }) {
  const t = useTranslations("token");
  return (
    <FormSection title={t("advanced")}>
      <SwitchField
        label={t("modelLimits")}
        hint={t("modelLimitsHint")}
        checked={draft.limitModels}
        onChecked={(limitModels) => onChange({ limitModels })}
      />
      <fieldset disabled={!draft.limitModels} className={cn(!draft.limitModels && "opacity-60")}>
        <Field label={t("models")} error={errors.modelLimits}>
          {(control) => (
            <TagInput
              control={control}
              values={draft.models}
              suggestions={models}
              placeholder={t("modelsPlaceholder")}
              onValues={(values) => onChange({ models: values })}
            />
          )}
        </Field>
      </fieldset>
      <OperationField
        value={draft.operations}
        error={errors.operationLimits}
        onValue={(operations) => onChange({ operations })}
      />
      <AddressField
        label={t("allowIps")}
        value={draft.allowIps}
        error={errors.allowIps}
        onValue={(allowIps) => onChange({ allowIps })}
      />
      <AddressField
        label={t("denyIps")}
        value={draft.denyIps}
        error={errors.denyIps}
        onValue={(denyIps) => onChange({ denyIps })}
      />
      <RateFields draft={draft} onChange={onChange} errors={errors} />
      <LimitFields names={TOKEN_LIMITS} draft={draft} onChange={onChange} errors={errors} />
    </FormSection>
  );
}

type AddressFieldProps = { label: string; value: string; error: string | undefined; onValue: (text: string) => void };

function AddressField({ label, value, error, onValue }: AddressFieldProps) {
  const t = useTranslations("token");
  return (
    <Field label={label} hint={t("ipsHint")} error={error}>
      {(control) => (
        <Textarea
          {...control}
          value={value}
          spellCheck={false}
          onChange={(event) => onValue(event.target.value)}
          className="font-mono text-xs"
        />
      )}
    </Field>
  );
}

function RateFields({ draft, onChange, errors }: SectionProps) {
  const t = useTranslations("token");
  return (
    <>
      <SwitchField
        label={t("rate")}
        hint={t("rateHint")}
        checked={draft.limitRate}
        onChecked={(limitRate) => onChange({ limitRate })}
      />
      {draft.limitRate ? (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={t("rateCount")} error={errors.rateLimitCount}>
              {(control) => (
                <NumberInput
                  {...control}
                  min={1}
                  value={draft.rateCount}
                  onChange={(event) => onChange({ rateCount: event.target.value })}
                />
              )}
            </Field>
            <Field label={t("rateSeconds")} error={errors.rateLimitSeconds}>
              {(control) => (
                <NumberInput
                  {...control}
                  min={1}
                  value={draft.rateSeconds}
                  onChange={(event) => onChange({ rateSeconds: event.target.value })}
                />
              )}
            </Field>
          </div>
          <Field label={t("rateMessage")} hint={t("rateMessageHint")} error={errors.rateLimitMessage}>
            {(control) => (
              <Textarea
                {...control}
                value={draft.rateMessage}
                maxLength={500}
                onChange={(event) => onChange({ rateMessage: event.target.value })}
              />
            )}
          </Field>
        </>
      ) : null}
    </>
  );
}
