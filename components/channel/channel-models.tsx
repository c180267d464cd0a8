"use client";

import { useTranslations } from "next-intl";
import { useMemo, useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Field } from "@/components/form/field";
import { TagInput } from "@/components/form/tag-input";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { ChannelSectionProps } from "./channel-draft";
import { FetchModelsButton } from "./fetch-models-button";
import { ModelProblems } from "./model-problems";
import { useModelCheck } from "./use-model-check";

/** Thousands of suggestions would make every drawer slow. */
const SUGGESTIONS_MAX = 300;

type ChannelModelsProps = ChannelSectionProps & {
  related: string[];
  allModels: string[];
  channelId: number | null;
};

/** The models of a channel: typed, pasted, filled from its type, or fetched from its upstream. */
export function ChannelModels(props: ChannelModelsProps) {
  const { draft, onChange, errors, related, allModels, channelId } = props;
  const t = useTranslations("channel");
  const suggestions = useMemo(
    () => (related.length > 0 ? related : allModels.slice(0, SUGGESTIONS_MAX)),
    [related, allModels],
  );
  const problems = useModelCheck(draft.type, draft.models);
  const [dropped, setDropped] = useState<string[]>([]);
  const onFetched = (models: string[]) => {
    setDropped(draft.models.filter((model) => !models.includes(model)));
    onChange({ models });
  };
  const add = (models: string[]) => onChange({ models: [...new Set([...draft.models, ...models])] });
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={t("models")}
        hint={t("modelsHint")}
        error={errors.models}
        aside={
          <span className="text-muted-foreground text-xs tabular-nums">
            {t("modelCount", { count: draft.models.length })}
          </span>
        }
      >
        {(control) => (
          <TagInput
            control={control}
            values={draft.models}
            suggestions={suggestions}
            placeholder={t("modelsAdd")}
            onValues={(models) => onChange({ models })}
            onDuplicate={() => toast.error(t("modelExists"))}
          />
        )}
      </Field>
      <div className="flex flex-wrap gap-1.5">
        <Button className="h-7 px-2 font-normal text-xs" disabled={related.length === 0} onClick={() => add(related)}>
          {t("fillRelated")}
        </Button>
        <Button className="h-7 px-2 font-normal text-xs" onClick={() => add(allModels)}>
          {t("fillAll")}
        </Button>
        <FetchModelsButton channelId={channelId} draft={draft} onModels={onFetched} />
        <Button
          className="h-7 px-2 font-normal text-xs"
          disabled={draft.models.length === 0}
          onClick={() => onChange({ models: [] })}
        >
          {t("clearModels")}
        </Button>
        <CopyButton
          className="h-7 px-2 font-normal text-xs"
          disabled={draft.models.length === 0}
          text={draft.models.join(",")}
        >
          {t("modelsCopy")}
        </CopyButton>
      </div>
      <DroppedModels
        models={dropped.filter((model) => !draft.models.includes(model))}
        onRestore={(models) => {
          setDropped([]);
          add(models);
        }}
      />
      <ModelProblems {...problems} />
    </div>
  );
}

type DroppedModelsProps = { models: string[]; onRestore: (models: string[]) => void };

/** What the upstream's list took away from the channel's models. */
function DroppedModels({ models, onRestore }: DroppedModelsProps) {
  const t = useTranslations("channelEditor");
  if (models.length === 0) return null;
  return (
    <p dir="auto" role="status" className="break-words text-sm">
      <span className="font-medium">{t("dropped", { count: models.length })}</span>{" "}
      <span className="text-muted-foreground">{models.join(t("comma"))}</span>{" "}
      <button type="button" className="rounded text-primary hover:underline" onClick={() => onRestore(models)}>
        {t("restore")}
      </button>
    </p>
  );
}
