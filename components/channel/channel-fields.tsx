"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { Input } from "@/components/ui/input";
import type { Channel, ChannelKey } from "@/lib/channel/types";
import { OPERATIONS } from "@/lib/operations";
import type { ChannelSectionProps } from "./channel-draft";
import { ChannelModels } from "./channel-models";
import { useChannelType, useChannelTypes } from "./channel-types";
import { KeyField } from "./key-field";
import { KeysPanel } from "./keys-panel";
import { TypeFields } from "./type-fields";
import { TypeSelect } from "./type-select";

/** What channels of the type can be asked for, and what they cannot. Nothing for an unknown type. */
function TypeOperations({ type }: { type: number }) {
  const t = useTranslations("channelEditor");
  const nameOf = useTranslations("operation");
  const view = useChannelType(type);
  if (!view) return null;
  const served = OPERATIONS.filter((operation) => view.operations.includes(operation));
  const others = OPERATIONS.filter((operation) => !view.operations.includes(operation));
  const names = (list: typeof served) => list.map((operation) => nameOf(operation)).join(t("comma"));
  return (
    <div className="-mt-2 text-muted-foreground text-xs">
      {served.length === 0 ? t("servesNothing") : t("serves", { operations: names(served) })}
      {served.length === 0 || others.length === 0 ? null : (
        <details className="mt-0.5">
          <summary className="cursor-pointer">{t("servesNotCount", { count: others.length })}</summary>
          {names(others)}
        </details>
      )}
    </div>
  );
}

type ChannelBasicsProps = ChannelSectionProps & {
  channel: Channel | null;
  keys: ChannelKey[];
  typeModels: Record<string, string[]>;
  allModels: string[];
};

/** The required fields: type, name, address, key and models. */
export function ChannelBasics(props: ChannelBasicsProps) {
  const { draft, fields, onChange, errors, channel, keys, typeModels, allModels } = props;
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
      {channel ? <KeysPanel channel={channel} keys={keys} /> : null}
      <ChannelModels
        {...section}
        related={modelsOf(draft.type)}
        allModels={allModels}
        channelId={channel?.id ?? null}
      />
    </FormSection>
  );
}
