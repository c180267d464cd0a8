"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { Field } from "@/components/form/field";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";

type PasskeyNameDialogProps = {
  name: string;
  pending: boolean;
  onSubmit: (name: string) => void;
  onClose: () => void;
};

export function PasskeyNameDialog({ name, pending, onSubmit, onClose }: PasskeyNameDialogProps) {
  const t = useTranslations("security");
  const common = useTranslations("common");
  const formId = useId();
  const [draft, setDraft] = useState(name);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim() === "") return setProblem(t("passkeyNameMissing"));
    onSubmit(draft.trim());
  };
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={formId} pending={pending}>
        {common("submit")}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={t("passkeyRename")} footer={footer}>
      <form id={formId} method="post" onSubmit={submit} noValidate>
        <Field label={t("passkeyName")} error={problem}>
          {(control) => (
            <Input
              {...control}
              name="name"
              value={draft}
              maxLength={64}
              autoFocus
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Modal>
  );
}
