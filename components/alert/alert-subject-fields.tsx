"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { Field } from "@/components/form/field";
import { NumberInput } from "@/components/form/number-input";
import { Input } from "@/components/ui/input";
import type { AlertChoices } from "@/lib/alert/queries";
import { ALERT_METRICS, ALERT_SCOPES, subjectsOf } from "@/lib/alert/types";
import { type PartProps, withMetric, withScope } from "./alert-draft";
import { AlertSelect } from "./alert-select";

type SubjectProps = PartProps & { choices: AlertChoices; models: string[]; isAdmin: boolean };

/** Metric and what it is measured of. Users watch their own account, administrators the site as well. */
export function AlertSubjectFields({ draft, errors, onDraft, choices, models, isAdmin }: SubjectProps) {
  const t = useTranslations("alert");
  return (
    <>
      <AlertSelect
        label={t("metricLabel")}
        value={draft.metric}
        options={ALERT_METRICS.map((value) => ({ value, text: t(`metric.${value}`) }))}
        onValue={(metric) => onDraft(withMetric(draft, metric))}
      />
      {isAdmin ? (
        <AlertSelect
          label={t("scope")}
          value={draft.scope}
          options={ALERT_SCOPES.map((value) => ({ value, text: t(`scopes.${value}`) }))}
          onValue={(scope) => onDraft(withScope(draft, scope))}
        />
      ) : null}
      <AlertSelect
        label={t("subjectLabel")}
        error={errors.subject}
        value={draft.subject}
        options={subjectsOf(draft.scope, draft.metric).map((value) => ({ value, text: t(`subject.${value}`) }))}
        onValue={(subject) => onDraft({ ...draft, subject, subjectId: "", modelName: "" })}
      />
      <WhichField draft={draft} errors={errors} onDraft={onDraft} choices={choices} models={models} />
    </>
  );
}

function WhichField({ draft, errors, onDraft, choices, models }: Omit<SubjectProps, "isAdmin">) {
  const t = useTranslations("alert");
  const listId = useId();
  const { subject, subjectId } = draft;
  if (subject === "key" || subject === "channel") {
    const known = subject === "key" ? choices.keys : choices.channels;
    const options = known.map(({ id, name }) => ({ value: String(id), text: `${name} (#${id})` }));
    return (
      <AlertSelect
        label={subject === "key" ? t("keyLabel") : t("channelLabel")}
        error={errors.subjectId}
        value={subjectId}
        options={[{ value: "", text: t("choose") }, ...options]}
        onValue={(value) => onDraft({ ...draft, subjectId: value })}
      />
    );
  }
  if (subject === "user") {
    return (
      <Field label={t("userLabel")} error={errors.subjectId}>
        {(control) => (
          <NumberInput
            {...control}
            min={1}
            value={subjectId}
            onChange={({ target }) => onDraft({ ...draft, subjectId: target.value })}
          />
        )}
      </Field>
    );
  }
  if (subject !== "model") return null;
  return (
    <Field label={t("modelLabel")} error={errors.modelName}>
      {(control) => (
        <>
          <Input
            {...control}
            list={listId}
            value={draft.modelName}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => onDraft({ ...draft, modelName: target.value })}
          />
          <datalist id={listId}>
            {models.map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
