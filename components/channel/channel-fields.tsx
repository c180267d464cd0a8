"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { Input } from "@/components/ui/input";
import type { Channel, ChannelKey } from "@/lib/channel/types";
import type { ChannelSectionProps } from "./channel-draft";
import { ChannelModels } from "./channel-models";
import { useChannelTypes } from "./channel-types";
import { KeyField } from "./key-field";
import { type KeyActions, KeysPanel } from "./keys-panel";
import { TypeFields } from "./type-fields";
import { TypeOperations } from "./type-operations";
import { TypeSelect } from "./type-select";
import type { CheckModels } from "./use-model-check";

type ChannelBasicsProps = ChannelSectionProps & {
  channel: Channel | null;
  keys: ChannelKey[];
  keyActions: KeyActions;
  typeModels: Record<string, string[]>;
  allModels: string[];
  checkModels: CheckModels;
};

/** The required fields: type, name, address, key and models. */
export function ChannelBasics(props: ChannelBasicsProps) {
  const { draft, fields, onChange, errors, channel, keys, keyActions, typeModels, allModels, checkModels } = props;
  const t = useTranslations("channel");
  const types = useChannelTypes();
  const modelsOf = (type: number) => typeModels[String(type)] ?? [];
  const fixedModelsOf = (type: number) => (types.find(({ id }) => id === type)?.hasFixedModels ? modelsOf(type) : []);
  const onType = (type: number) => {
    const former = fixedModelsOf(draft.type);
    const isUntouched =
      draft.models.length === 0 ||
      (draft.models.length === former.length && draft.models.every((name) => former.includes(name)));
    onChange({ type, models: isUntouched ? fixedModelsOf(type) : draft.models });
  };
  const section = { draft, fields, onChange, errors };
  return (
    <FormSection title={t("basics")}>
      <Field label={t("type")} error={errors.type}>
        {(control) => <TypeSelect control={control} value={draft.type} onValue={onType} />}
      </Field>
      <TypeOperations type={draft.type} />
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
      <TypeFields {...section} />
      {keys.length > 0 ? null : <KeyField {...section} channel={channel} />}
      {channel ? <KeysPanel channel={channel} keys={keys} actions={keyActions} /> : null}
      <ChannelModels
        {...section}
        related={modelsOf(draft.type)}
        allModels={allModels}
        channelId={channel?.id ?? null}
        checkModels={checkModels}
      />
    </FormSection>
  );
}
