"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { RatioBadge } from "@/components/format/ratio-badge";
import { NativeSelect } from "@/components/ui/native-select";
import type { PlaygroundGroup } from "@/lib/playground/types";
import { ModelPicker } from "./model-picker";

type GroupModelFieldsProps = {
  groups: readonly PlaygroundGroup[];
  group: string;
  onGroup: (group: string) => void;
  models: readonly string[];
  model: string;
  onModel: (model: string) => void;
};

export function GroupModelFields({ groups, group: chosen, onGroup, models, model, onModel }: GroupModelFieldsProps) {
  const t = useTranslations("playground");
  const group = groups.find(({ name }) => name === chosen);
  return (
    <>
      <Field
        label={t("group")}
        hint={group && group.description !== group.name ? group.description : undefined}
        aside={group ? <RatioBadge ratio={group.ratio} /> : null}
      >
        {(control) => (
          <NativeSelect {...control} value={chosen} onChange={(event) => onGroup(event.target.value)}>
            {groups.map(({ name, description, ratio }) => (
              <option key={name} value={name}>
                {t("groupChoice", { name, description, ratio: String(ratio) })}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Field label={t("model")}>
        {({ id }) => <ModelPicker id={id} label={t("model")} models={models} value={model} onValue={onModel} />}
      </Field>
    </>
  );
}
