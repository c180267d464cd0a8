"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { type ClashingEdit, EditClashes } from "@/components/form/edit-clashes";
import { FormSection } from "@/components/form/form-section";
import { useEdit } from "@/components/form/use-edit";
import { useFormSave } from "@/components/form/use-form-save";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Drawer } from "@/components/overlay/drawer";
import type { AlertChoices } from "@/lib/alert/queries";
import {
  ALERT_COMPARISONS,
  ALERT_METRICS,
  ALERT_SCOPES,
  ALERT_SUBJECTS,
  type AlertMetric,
  type AlertRule,
} from "@/lib/alert/types";
import { saveAlert } from "./actions";
import { AlertConditionFields } from "./alert-condition-fields";
import { type AlertDraft, type AlertInput, newDraft, toDraft, toInput } from "./alert-draft";
import { AlertMessageFields } from "./alert-message-fields";
import { AlertSubjectFields } from "./alert-subject-fields";
import { formatAlertValue } from "./alert-units";
import { useAlertWords } from "./use-alert-words";

type FormProps = {
  rule: AlertRule | null;
  choices: AlertChoices;
  models: string[];
  isAdmin: boolean;
  onClose: () => void;
};

export function AlertForm({ rule, choices, models, isAdmin, onClose }: FormProps) {
  const t = useTranslations("alert");
  // The units of this form: those that the amounts were typed in.
  const [display] = useState(useQuotaDisplay());
  const formId = useId();
  const edit = useEdit<AlertRule, AlertDraft, AlertInput>(rule, {
    toDraft: (row) => (row ? toDraft(row, display) : newDraft()),
    toInput: (draft) => toInput(draft, display),
    together: [
      ["metric", "comparison", "threshold"],
      ["scope", "subject", "subjectId", "modelName"],
    ],
  });
  const { draft, errors, onChange } = edit;
  const { pending, onSubmit } = useFormSave(edit, {
    save: (changes) => saveAlert(rule ? { ...changes, id: rule.id } : toInput(draft, display)),
    onSaved: onClose,
  });
  const part = { draft, errors, onDraft: onChange };
  return (
    <Drawer
      open
      modalForm
      onClose={onClose}
      title={rule ? t("editTitle") : t("newTitle")}
      footer={<DrawerFooter form={formId} pending={pending} onCancel={onClose} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-6">
        <AlertClashes edit={edit} metric={draft.metric} />
        <FormSection title={t("what")}>
          <AlertSubjectFields {...part} choices={choices} models={models} isAdmin={isAdmin} />
        </FormSection>
        <FormSection title={t("when")}>
          <AlertConditionFields {...part} />
        </FormSection>
        <FormSection title={t("how")}>
          <AlertMessageFields {...part} targets={choices.targets} />
        </FormSection>
      </form>
    </Drawer>
  );
}

function AlertClashes({ edit, metric }: { edit: ClashingEdit; metric: AlertMetric }) {
  const t = useTranslations("alert");
  const { span } = useAlertWords();
  const display = useQuotaDisplay();
  const labels: Record<keyof AlertInput, string> = {
    scope: t("scope"),
    name: t("nameLabel"),
    metric: t("metricLabel"),
    subject: t("subjectLabel"),
    subjectId: t("subjectLabel"),
    modelName: t("modelLabel"),
    comparison: t("comparisonLabel"),
    threshold: t(`thresholdLabel.${metric}`),
    windowSeconds: t("windowLabel"),
    minRequests: t("minRequests"),
    targetIds: t("targets"),
    coolDownSeconds: t("coolDown"),
    tellsResolved: t("tellsResolved"),
  };
  const words = (field: string, value: unknown) => {
    if (field === "threshold" && typeof value === "number") return formatAlertValue(metric, value, display);
    if (field.endsWith("Seconds") && typeof value === "number") return span(value);
    const named = [
      ...ALERT_METRICS.map((name) => [`metric ${name}`, t(`metric.${name}`)] as const),
      ...ALERT_SUBJECTS.map((name) => [`subject ${name}`, t(`subject.${name}`)] as const),
      ...ALERT_SCOPES.map((name) => [`scope ${name}`, t(`scopes.${name}`)] as const),
      ...ALERT_COMPARISONS.map((name) => [`comparison ${name}`, t(`comparison.${name}`)] as const),
    ];
    return named.find(([name]) => name === `${field} ${value}`)?.[1] ?? null;
  };
  return <EditClashes edit={edit} labels={labels} words={words} />;
}
