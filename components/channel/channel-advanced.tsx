"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { Button } from "@/components/ui/button";
import { Input, Textarea } from "@/components/ui/input";
import type { ChannelSectionProps } from "./channel-draft";

const TEMPLATES = {
  modelMapping: '{\n  "gpt-3.5-turbo": "gpt-3.5-turbo-0125"\n}',
  statusCodeMapping: '{\n  "400": "500"\n}',
  paramOverride: '{\n  "temperature": 0\n}',
  setting: '{\n  "force_format": true\n}',
} as const;

const AZURE = 3;
const OPENAI = 1;

export function ChannelAdvanced({ draft, onChange, errors }: ChannelSectionProps) {
  const t = useTranslations("channel");
  const texts = [
    { field: "testModel", label: t("defaultTestModel"), shown: true },
    { field: "tag", label: t("tag"), shown: true },
    { field: "openaiOrganization", label: t("organization"), shown: draft.type === OPENAI },
    { field: "other", label: draft.type === AZURE ? t("otherVersion") : t("other"), shown: draft.type !== OPENAI },
  ] as const;
  const documents = [
    { field: "modelMapping", label: t("modelMapping") },
    { field: "statusCodeMapping", label: t("statusCodeMapping") },
    { field: "paramOverride", label: t("paramOverride") },
    { field: "setting", label: t("setting") },
  ] as const;
  return (
    <FormSection title={t("advanced")}>
      <div className="grid gap-4 sm:grid-cols-2">
        {texts
          .filter((text) => text.shown)
          .map(({ field, label }) => (
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
        <Field
          key={field}
          label={label}
          error={errors[field]}
          aside={
            <Button
              variant="ghost"
              className="h-6 px-1.5 font-normal text-primary text-xs"
              aria-label={`${label}: ${t("insertTemplate")}`}
              onClick={() => onChange({ [field]: TEMPLATES[field] })}
            >
              {t("insertTemplate")}
            </Button>
          }
        >
          {(control) => (
            <Textarea
              {...control}
              value={draft[field]}
              placeholder={TEMPLATES[field]}
              spellCheck={false}
              onChange={(event) => onChange({ [field]: event.target.value })}
              className="font-mono text-xs"
            />
          )}
        </Field>
      ))}
    </FormSection>
  );
}
