"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { MoneyField } from "@/components/form/money-field";
import { QuotaPresets } from "@/components/form/quota-presets";
import { SwitchField } from "@/components/form/switch-field";
import { RatioBadge } from "@/components/format/ratio-badge";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import type { UsableGroup } from "@/lib/group/queries";
import { ExpiryField } from "./expiry-field";
import type { TokenDraft } from "./token-draft";

export type SectionProps = {
  draft: TokenDraft;
  onChange: (change: Partial<TokenDraft>) => void;
  errors: Record<string, string>;
};

type BasicsProps = SectionProps & { groups: UsableGroup[]; isNew: boolean };

/** The fields name, quota, expiry, group and number of tokens. */
export function TokenBasics({ draft, onChange, errors, groups, isNew }: BasicsProps) {
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
      <ExpiryField value={draft.expires} error={errors.expiredTime} onValue={(expires) => onChange({ expires })} />
      <GroupField draft={draft} onChange={onChange} errors={errors} groups={groups} />
      {isNew ? <CountField draft={draft} onChange={onChange} errors={errors} /> : null}
    </FormSection>
  );
}

function QuotaFields({ draft, onChange, errors }: SectionProps) {
  const t = useTranslations("token");
  return (
    <>
      <div className="flex flex-col gap-2">
        <MoneyField
          label={t("quota")}
          error={errors.remainQuota}
          quota={draft.quota}
          disabled={draft.unlimited}
          onQuota={(quota) => onChange({ quota })}
        />
        <QuotaPresets disabled={draft.unlimited} onQuota={(quota) => onChange({ quota: String(quota) })} />
      </div>
      <SwitchField
        label={t("unlimited")}
        hint={t("unlimitedHint")}
        checked={draft.unlimited}
        onChecked={(unlimited) => onChange({ unlimited })}
      />
    </>
  );
}

function GroupField({ draft, onChange, errors, groups }: SectionProps & { groups: UsableGroup[] }) {
  const t = useTranslations("token");
  const chosen = groups.find(({ name }) => name === draft.group);
  const hint = groups.length === 0 ? t("groupEmpty") : (chosen?.description ?? t("groupHint"));
  return (
    <Field
      label={t("group")}
      hint={hint}
      error={errors.group}
      aside={chosen ? <RatioBadge ratio={chosen.ratio} /> : undefined}
    >
      {(control) => (
        <NativeSelect
          {...control}
          value={draft.group}
          disabled={groups.length === 0}
          onChange={(event) => onChange({ group: event.target.value })}
        >
          <option value="">{t("groupDefault")}</option>
          {groups.map((group) => (
            <option key={group.name} value={group.name}>
              {`${group.name} · ${group.description} · ${t("badge.ratio", { ratio: String(group.ratio) })}`}
            </option>
          ))}
        </NativeSelect>
      )}
    </Field>
  );
}

/** Presets for the number of tokens (B285). */
const COUNT_PRESETS = [10, 20, 30, 100];

function CountField({ draft, onChange, errors }: SectionProps) {
  const t = useTranslations("token");
  return (
    <div className="flex flex-col gap-2">
      <Field label={t("count")} hint={t("countHint")} error={errors.count}>
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            value={draft.count}
            autoComplete="off"
            onChange={(event) => onChange({ count: event.target.value })}
            className="tabular-nums"
          />
        )}
      </Field>
      <fieldset aria-label={t("countPresets")} className="flex flex-wrap gap-1.5">
        {COUNT_PRESETS.map((count) => (
          <Button
            key={count}
            onClick={() => onChange({ count: String(count) })}
            className="h-7 px-2 font-normal text-xs tabular-nums"
          >
            {count}
          </Button>
        ))}
      </fieldset>
    </div>
  );
}
