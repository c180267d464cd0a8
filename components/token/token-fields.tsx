"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { SwitchField } from "@/components/form/switch-field";
import { TagInput } from "@/components/form/tag-input";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Button } from "@/components/ui/button";
import { Input, Textarea } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import type { UsableGroup } from "@/lib/group/types";
import { fromNow, type TokenDraft } from "./token-draft";

type SectionProps = {
  draft: TokenDraft;
  onChange: (change: Partial<TokenDraft>) => void;
  errors: Record<string, string>;
};

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

export function TokenBasics({ draft, onChange, errors, groups }: SectionProps & { groups: UsableGroup[] }) {
  const t = useTranslations("token");
  return (
    <FormSection title={t("basics")}>
      <Field label={t("name")} hint={t("nameHint")} error={errors.name}>
        {(control) => (
          <Input
            {...control}
            value={draft.name}
            autoComplete="off"
            autoFocus
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      <QuotaFields draft={draft} onChange={onChange} errors={errors} />
      <ExpiryField draft={draft} onChange={onChange} errors={errors} />
      <Field label={t("group")} hint={groups.length === 0 ? t("groupEmpty") : t("groupHint")} error={errors.group}>
        {(control) => (
          <Select
            {...control}
            value={draft.group}
            disabled={groups.length === 0}
            onChange={(event) => onChange({ group: event.target.value })}
          >
            <option value="">{t("groupDefault")}</option>
            {groups.map((group) => (
              <option key={group.name} value={group.name}>
                {`${group.name} · ${group.description} · ${t("ratioTag", { ratio: String(group.ratio) })}`}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </FormSection>
  );
}

function QuotaFields({ draft, onChange, errors }: SectionProps) {
  const t = useTranslations("token");
  const common = useTranslations("common");
  const display = useQuotaDisplay();
  const amount = formatQuota(Number(draft.quota) || 0, display);
  return (
    <>
      <Field
        label={t("quota")}
        error={errors.remainQuota}
        hint={display.inCurrency && !draft.unlimited ? common("equivalent", { amount }) : undefined}
      >
        {(control) => (
          <Input
            {...control}
            type="number"
            min={0}
            step={1}
            inputMode="numeric"
            value={draft.quota}
            disabled={draft.unlimited}
            onChange={(event) => onChange({ quota: event.target.value })}
            className="tabular-nums"
          />
        )}
      </Field>
      <SwitchField
        label={t("unlimited")}
        hint={t("unlimitedHint")}
        checked={draft.unlimited}
        onChecked={(unlimited) => onChange({ unlimited })}
      />
    </>
  );
}

function ExpiryField({ draft, onChange, errors }: SectionProps) {
  const t = useTranslations("token");
  const quick = [
    { label: t("quickNever"), expires: () => "" },
    { label: t("quickMonth"), expires: () => fromNow(30 * DAY) },
    { label: t("quickDay"), expires: () => fromNow(DAY) },
    { label: t("quickHour"), expires: () => fromNow(HOUR) },
    { label: t("quickMinute"), expires: () => fromNow(MINUTE) },
  ];
  return (
    <div className="flex flex-col gap-2">
      <Field label={t("expiry")} hint={draft.expires === "" ? t("quickNever") : undefined} error={errors.expiredTime}>
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            step={1}
            value={draft.expires}
            onChange={(event) => onChange({ expires: event.target.value })}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-1.5">
        {quick.map((choice) => (
          <Button
            key={choice.label}
            onClick={() => onChange({ expires: choice.expires() })}
            className="h-7 px-2 font-normal text-xs"
          >
            {choice.label}
          </Button>
        ))}
      </div>
    </div>
  );
}

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
      {draft.limitModels ? (
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
      ) : null}
      <Field label={t("allowIps")} hint={t("ipsHint")} error={errors.allowIps}>
        {(control) => (
          <Textarea
            {...control}
            value={draft.allowIps}
            spellCheck={false}
            onChange={(event) => onChange({ allowIps: event.target.value })}
            className="font-mono text-xs"
          />
        )}
      </Field>
      <Field label={t("denyIps")} hint={t("ipsHint")} error={errors.denyIps}>
        {(control) => (
          <Textarea
            {...control}
            value={draft.denyIps}
            spellCheck={false}
            onChange={(event) => onChange({ denyIps: event.target.value })}
            className="font-mono text-xs"
          />
        )}
      </Field>
    </FormSection>
  );
}
