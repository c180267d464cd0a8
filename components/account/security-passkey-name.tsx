"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { EditClashes } from "@/components/form/edit-clashes";
import { Field } from "@/components/form/field";
import { type Editing, useEdit } from "@/components/form/use-edit";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { Seen } from "@/lib/seen";

type PasskeyNameDialogProps = {
  name: string;
  pending: boolean;
  onSubmit: (change: Named & { seen: Seen }, onFailure: Editing<Named, Named, Named>["onFailure"]) => void;
  onClose: () => void;
};

type Named = { name: string };

const SHAPE = {
  toDraft: (row: Named | null) => row ?? { name: "" },
  toInput: ({ name }: Named) => ({ name: name.trim() }),
};

export function PasskeyNameDialog({ name, pending, onSubmit, onClose }: PasskeyNameDialogProps) {
  const t = useTranslations("security");
  const common = useTranslations("common");
  const formId = useId();
  const edit = useEdit({ name }, SHAPE);
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const changes = edit.changes();
    if (!changes || edit.draft.name.trim() === "") return setProblem(t("passkeyNameMissing"));
    onSubmit({ name: edit.draft.name.trim(), seen: changes.seen }, edit.onFailure);
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
      <form id={formId} method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
        <EditClashes edit={edit} labels={{ name: t("passkeyName") }} />
        <Field label={t("passkeyName")} error={problem ?? edit.errors.name}>
          {(control) => (
            <Input
              {...control}
              name="name"
              value={edit.draft.name}
              maxLength={64}
              autoFocus
              onChange={(event) => edit.onChange({ name: event.target.value })}
            />
          )}
        </Field>
      </form>
    </Modal>
  );
}
