"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { PasswordInput } from "@/components/auth/password-input";
import { Field } from "@/components/form/field";
import { LimitFields } from "@/components/form/limit-fields";
import { MoneyField } from "@/components/form/money-field";
import { NumberInput } from "@/components/form/number-input";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import { AddQuotaDialog } from "./add-quota-dialog";
import { toWhole, USER_LIMITS, type UserDraft } from "./user-draft";

type SectionProps<Draft> = {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  errors: Record<string, string>;
};

type IdentityDraft = Pick<UserDraft, "username" | "displayName" | "password">;

export function UserIdentityFields({ draft, onChange, errors }: SectionProps<IdentityDraft>) {
  const t = useTranslations("user");
  return (
    <>
      <Field label={t("username")} error={errors.username}>
        {(control) => (
          <Input
            {...control}
            value={draft.username}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange({ username: event.target.value })}
          />
        )}
      </Field>
      <Field label={t("password")} hint={t("passwordKeep")} error={errors.password}>
        {(control) => (
          <PasswordInput
            {...control}
            value={draft.password}
            placeholder={t("passwordPlaceholder")}
            autoComplete="new-password"
            onChange={(event) => onChange({ password: event.target.value })}
          />
        )}
      </Field>
      <DisplayNameField
        value={draft.displayName}
        error={errors.displayName}
        onValue={(displayName) => onChange({ displayName })}
      />
    </>
  );
}

type DisplayNameProps = { value: string; hint?: string; error: string | undefined; onValue: (value: string) => void };

export function DisplayNameField({ value, hint, error, onValue }: DisplayNameProps) {
  const t = useTranslations("user");
  return (
    <Field label={t("displayName")} hint={hint} error={error}>
      {(control) => (
        <Input {...control} value={value} autoComplete="off" onChange={(event) => onValue(event.target.value)} />
      )}
    </Field>
  );
}

/** The fields for group, quota and concurrency limit. */
export function UserLimitFields(props: SectionProps<UserDraft> & { groups: string[]; quotaBefore: number }) {
  const { draft, onChange, errors, groups, quotaBefore } = props;
  const t = useTranslations("user");
  const names = groups.includes(draft.group) ? groups : [draft.group, ...groups];
  return (
    <>
      <Field label={t("group")} hint={t("groupHint")} error={errors.group}>
        {(control) => (
          <NativeSelect {...control} value={draft.group} onChange={(event) => onChange({ group: event.target.value })}>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <QuotaField draft={draft} onChange={onChange} errors={errors} />
      {toWhole(draft.quota) === quotaBefore ? null : (
        <Field label={t("quotaReason")} hint={t("quotaReasonHint")} error={errors.quotaReason}>
          {(control) => (
            <Input
              {...control}
              value={draft.quotaReason}
              maxLength={200}
              onChange={(event) => onChange({ quotaReason: event.target.value })}
            />
          )}
        </Field>
      )}
      <Field label={t("concurrency")} hint={t("concurrencyHint")} error={errors.concurrencyLimit}>
        {(control) => (
          <NumberInput
            {...control}
            value={draft.concurrencyLimit}
            onChange={(event) => onChange({ concurrencyLimit: event.target.value })}
          />
        )}
      </Field>
      <LimitFields names={USER_LIMITS} draft={draft} onChange={onChange} errors={errors} />
    </>
  );
}

function QuotaField({ draft, onChange, errors }: SectionProps<UserDraft>) {
  const t = useTranslations("user");
  const [adding, setAdding] = useState(false);
  const quota = toWhole(draft.quota);
  return (
    <>
      <MoneyField
        label={t("quota")}
        error={errors.quota}
        quota={draft.quota}
        onQuota={(text) => onChange({ quota: text })}
        aside={
          <Button className="h-7 px-2 font-normal text-xs" disabled={quota === null} onClick={() => setAdding(true)}>
            {t("addQuota")}
          </Button>
        }
      />
      <AddQuotaDialog
        open={adding}
        quota={quota ?? 0}
        onClose={() => setAdding(false)}
        onQuota={(sum) => onChange({ quota: String(sum) })}
      />
    </>
  );
}
