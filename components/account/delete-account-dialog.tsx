"use client";

import { TriangleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { deleteSelf } from "./personal-actions";

type DeleteAccountDialogProps = {
  username: string;
  onClose: () => void;
};

/** Deletes the account after the user has typed their user name. */
export function DeleteAccountDialog({ username, onClose }: DeleteAccountDialogProps) {
  const t = useTranslations("personal");
  const common = useTranslations("common");
  const formId = useId();
  const { pending, run } = useRunAction();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (typed !== username) {
      toast.error(t("deleteMismatch"), { duration: 5000 });
      setError(t("deleteMismatch"));
      return;
    }
    setError(undefined);
    run(() => deleteSelf({ username: typed }));
  };
  const title = (
    <span className="flex items-center gap-2 text-destructive">
      <TriangleAlert className="size-5" aria-hidden />
      {t("deleteTitle")}
    </span>
  );
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="destructive" type="submit" form={formId} pending={pending}>
        {t("deleteDo")}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={title} description={t("deleteWarn")} footer={footer}>
      <form id={formId} onSubmit={onSubmit} noValidate>
        <Field label={t("deleteName", { name: username })} error={error}>
          {(control) => (
            <Input
              {...control}
              value={typed}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Modal>
  );
}
