"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { FormSection } from "@/components/form/form-section";
import { useFormSave } from "@/components/form/use-form-save";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Drawer } from "@/components/overlay/drawer";
import type { AlertChoices } from "@/lib/alert/queries";
import type { AlertRule } from "@/lib/alert/types";
import { AlertConditionFields } from "./alert-condition-fields";
import { newDraft, toDraft, toInput } from "./alert-draft";
import { AlertMessageFields } from "./alert-message-fields";
import { AlertSubjectFields } from "./alert-subject-fields";
import type { AlertActions } from "./alert-types";

type FormProps = {
  rule: AlertRule | null;
  choices: AlertChoices;
  models: string[];
  isAdmin: boolean;
  saveAlert: AlertActions["saveAlert"];
  onClose: () => void;
};

export function AlertForm({ rule, choices, models, isAdmin, saveAlert, onClose }: FormProps) {
  const t = useTranslations("alert");
  const display = useQuotaDisplay();
  const formId = useId();
  const [draft, onDraft] = useState(() => (rule ? toDraft(rule, display) : newDraft()));
  const { pending, errors, onSubmit } = useFormSave(
    () => saveAlert(toInput(draft, rule?.id ?? null, display)),
    () => onClose(),
  );
  const part = { draft, errors, onDraft };
  return (
    <Drawer
      open
      modalForm
      onClose={onClose}
      title={rule ? t("editTitle") : t("newTitle")}
      footer={<DrawerFooter form={formId} pending={pending} onCancel={onClose} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-6">
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
