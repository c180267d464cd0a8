"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { SwitchField } from "@/components/form/switch-field";
import { Input } from "@/components/ui/input";
import type { ChannelSectionProps } from "./channel-draft";
import { JsonField } from "./json-field";
import { changeSetting, parseSetting } from "./setting-json";

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
      <StoredFilesSwitch draft={draft} onChange={onChange} />
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

const STORED_FILES = "allow_stored_files";

/** An entry of the channel's setting, which is the only place it is kept. */
function StoredFilesSwitch({ draft, onChange }: Pick<ChannelSectionProps, "draft" | "onChange">) {
  const t = useTranslations("channel");
  const setting = parseSetting(draft.setting);
  if (!setting) return null;
  return (
    <SwitchField
      label={t("storedFiles")}
      hint={t("storedFilesHint")}
      checked={setting[STORED_FILES] === true}
      onChecked={(on) => onChange({ setting: changeSetting(draft.setting, STORED_FILES, on || undefined) })}
    />
  );
}
