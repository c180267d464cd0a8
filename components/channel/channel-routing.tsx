"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { LimitFields } from "@/components/form/limit-fields";
import { NumberInput } from "@/components/form/number-input";
import { SwitchField } from "@/components/form/switch-field";
import { TagInput } from "@/components/form/tag-input";
import { CHANNEL_LIMITS, type ChannelSectionProps } from "./channel-draft";

/** Groups, priority and weight. */
export function ChannelRouting({ draft, onChange, errors, groups }: ChannelSectionProps & { groups: string[] }) {
  const t = useTranslations("channel");
  const numbers = [
    { field: "priority", label: t("priority"), hint: t("priorityHint"), min: -999 },
    { field: "weight", label: t("weight"), hint: t("weightHint"), min: 0 },
  ] as const;
  return (
    <FormSection title={t("routing")}>
      <Field label={t("groups")} hint={t("groupsHint")} error={errors.group}>
        {(control) => (
          <TagInput
            control={control}
            values={draft.groups}
            suggestions={groups}
            placeholder={t("groupsAdd")}
            onValues={(values) => onChange({ groups: values })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        {numbers.map(({ field, label, hint, min }) => (
          <Field key={field} label={label} hint={hint} error={errors[field]}>
            {(control) => (
              <NumberInput
                {...control}
                min={min}
                value={draft[field]}
                onChange={(event) => onChange({ [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <LimitFields names={CHANNEL_LIMITS} draft={draft} onChange={onChange} errors={errors} />
      <SwitchField
        label={t("autoBan")}
        hint={t("autoBanHint")}
        checked={draft.autoBan}
        onChecked={(autoBan) => onChange({ autoBan })}
      />
    </FormSection>
  );
}
