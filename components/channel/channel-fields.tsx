"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { SwitchField } from "@/components/form/switch-field";
import { TagInput } from "@/components/form/tag-input";
import { Input, Textarea } from "@/components/ui/input";
import { Select } from "@/components/ui/select";
import type { ChannelSectionProps } from "./channel-draft";
import { ChannelModels } from "./channel-models";
import { useChannelTypeName } from "./channel-type";
import { CHANNEL_TYPE_ORDER } from "./channel-types";

type ChannelBasicsProps = ChannelSectionProps & { channelId: number | null; typeModels: Record<string, string[]> };

export function ChannelBasics({ draft, onChange, errors, channelId, typeModels }: ChannelBasicsProps) {
  const t = useTranslations("channel");
  const typeName = useChannelTypeName();
  const related = typeModels[String(draft.type)] ?? [];
  const onType = (type: number) => {
    const models = draft.models.length === 0 ? (typeModels[String(type)] ?? []) : draft.models;
    onChange({ type, models });
  };
  return (
    <FormSection title={t("basics")}>
      <Field label={t("type")} error={errors.type}>
        {(control) => (
          <Select {...control} value={draft.type} onChange={(event) => onType(Number(event.target.value))}>
            {CHANNEL_TYPE_ORDER.map((type) => (
              <option key={type} value={type}>
                {typeName(type)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={t("name")} error={errors.name}>
        {(control) => (
          <Input
            {...control}
            value={draft.name}
            autoComplete="off"
            onChange={(event) => onChange({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={t("baseUrl")} hint={t("baseUrlHint")} error={errors.baseUrl}>
        {(control) => (
          <Input
            {...control}
            type="url"
            value={draft.baseUrl}
            placeholder="https://api.openai.com"
            spellCheck={false}
            onChange={(event) => onChange({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      {/\/v1\/?$/.test(draft.baseUrl) ? (
        <p role="status" className="-mt-2.5 text-warning text-xs">
          {t("baseUrlV1")}
        </p>
      ) : null}
      <KeyField draft={draft} onChange={onChange} errors={errors} isNew={channelId === null} />
      <ChannelModels {...{ draft, onChange, errors, related, channelId }} />
    </FormSection>
  );
}

function KeyField({ draft, onChange, errors, isNew }: ChannelSectionProps & { isNew: boolean }) {
  const t = useTranslations("channel");
  return (
    <Field label={t("key")} hint={isNew ? t("batchHint") : t("keyKeep")} error={errors.key}>
      {(control) => (
        <Textarea
          {...control}
          value={draft.key}
          placeholder={t("keyPlaceholder")}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange({ key: event.target.value })}
          className="min-h-16 break-all font-mono text-xs"
        />
      )}
    </Field>
  );
}

export function ChannelRouting({ draft, onChange, errors, groups }: ChannelSectionProps & { groups: string[] }) {
  const t = useTranslations("channel");
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
        <Field label={t("priority")} hint={t("priorityHint")} error={errors.priority}>
          {(control) => (
            <Input
              {...control}
              type="number"
              step={1}
              value={draft.priority}
              onChange={(event) => onChange({ priority: event.target.value })}
            />
          )}
        </Field>
        <Field label={t("weight")} hint={t("weightHint")} error={errors.weight}>
          {(control) => (
            <Input
              {...control}
              type="number"
              min={0}
              step={1}
              value={draft.weight}
              onChange={(event) => onChange({ weight: event.target.value })}
            />
          )}
        </Field>
      </div>
      <SwitchField
        label={t("autoBan")}
        hint={t("autoBanHint")}
        checked={draft.autoBan}
        onChecked={(autoBan) => onChange({ autoBan })}
      />
    </FormSection>
  );
}
