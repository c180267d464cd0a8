"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { Field } from "@/components/form/field";
import { SwitchField } from "@/components/form/switch-field";
import { Input } from "@/components/ui/input";
import { Label } from "@/components/ui/label";
import type { AlertChoices } from "@/lib/alert/queries";
import { ALERT_COOL_DOWNS } from "@/lib/alert/types";
import { isTargetKind } from "@/lib/notify/target-kinds";
import type { PartProps } from "./alert-draft";
import { AlertSelect } from "./alert-select";
import { useAlertWords } from "./use-alert-words";

type MessageProps = PartProps & { targets: AlertChoices["targets"] };

/** Name, targets, cool-down, and whether the end is told. */
export function AlertMessageFields({ draft, errors, onDraft, targets }: MessageProps) {
  const t = useTranslations("alert");
  const common = useTranslations("common");
  const { span } = useAlertWords();
  return (
    <>
      <Field
        label={t("nameLabel")}
        error={errors.name}
        aside={<span className="text-muted-foreground text-xs">{common("optional")}</span>}
      >
        {(control) => (
          <Input
            {...control}
            value={draft.name}
            maxLength={64}
            autoComplete="off"
            onChange={({ target }) => onDraft({ ...draft, name: target.value })}
          />
        )}
      </Field>
      <Targets draft={draft} errors={errors} onDraft={onDraft} targets={targets} />
      <AlertSelect
        label={t("coolDown")}
        hint={t("coolDownHint")}
        error={errors.coolDownSeconds}
        value={String(draft.coolDownSeconds)}
        options={ALERT_COOL_DOWNS.map((seconds) => ({ value: String(seconds), text: span(seconds) }))}
        onValue={(value) => onDraft({ ...draft, coolDownSeconds: Number(value) })}
      />
      <SwitchField
        label={t("tellsResolved")}
        checked={draft.tellsResolved}
        onChecked={(tellsResolved) => onDraft({ ...draft, tellsResolved })}
      />
    </>
  );
}

function Targets({ draft, onDraft, targets }: MessageProps) {
  const t = useTranslations("alert");
  const id = useId();
  if (targets.length === 0) return <p className="text-muted-foreground text-xs">{t("noTargets")}</p>;
  const onToggle = (target: number, on: boolean) => {
    const others = draft.targetIds.filter((known) => known !== target);
    onDraft({ ...draft, targetIds: on ? [...others, target] : others });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be one of the form's sections
    <div role="group" aria-labelledby={`${id}-title`} className="flex flex-col gap-2">
      <p id={`${id}-title`} className="font-medium">
        {t("targets")}
      </p>
      <ul className="grid gap-2 sm:grid-cols-2">
        {targets.map((target) => (
          <li key={target.id} className="flex items-start gap-2">
            <input
              id={`${id}-${target.id}`}
              type="checkbox"
              checked={draft.targetIds.includes(target.id)}
              onChange={({ target: box }) => onToggle(target.id, box.checked)}
              className="mt-0.5 size-4 accent-primary"
            />
            <Label htmlFor={`${id}-${target.id}`} className="font-normal">
              {target.name || (isTargetKind(target.kind) ? t(`kind.${target.kind}`) : target.kind)}
            </Label>
          </li>
        ))}
      </ul>
      <p className="text-muted-foreground text-xs">{t("targetsHint")}</p>
    </div>
  );
}
