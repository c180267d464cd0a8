"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { Input } from "@/components/ui/input";
import type { ChannelSectionProps } from "./channel-draft";
import { JsonField } from "./json-field";

/** Fields that most channels leave at their defaults. */
export function ChannelAdvanced({ draft, fields, onChange, errors }: ChannelSectionProps) {
  const t = useTranslations("channel");
  const texts = [
    { field: "testModel", label: t("defaultTestModel") },
    { field: "tag", label: t("tag") },
  ] as const;
  const documents = [
    { field: "modelMapping", label: t("modelMapping") },
    { field: "statusCodeMapping", label: t("statusCodeMapping") },
    { field: "paramOverride", label: t("paramOverride") },
    ...(fields.notice === "custom" ? [] : [{ field: "setting", label: t("setting") } as const]),
  ] as const;
  return (
    <FormSection title={t("advanced")}>
      <div className="grid gap-4 sm:grid-cols-2">
        {texts.map(({ field, label }) => (
          <Field key={field} label={label} error={errors[field]}>
            {(control) => (
              <Input
                {...control}
                value={draft[field]}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => onChange({ [field]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {documents.map(({ field, label }) => (
        <JsonField
          key={field}
          field={field}
          label={label}
          value={draft[field]}
          error={errors[field]}
          onValue={(text) => onChange({ [field]: text })}
        />
      ))}
    </FormSection>
  );
}
