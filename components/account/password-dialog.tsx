"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { PasswordInput } from "@/components/auth/password-input";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { updateSelf } from "./personal-actions";

const PASSWORD_MIN = 8;
const ERROR_MS = 5000;

/** Changes the password. If the last proof of identity is too old, a step-up dialog asks for it separately. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const t = useTranslations("personal");
  const common = useTranslations("common");
  const formId = useId();
  const { pending, run } = useRunAction();
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [errors, setErrors] = useState<Record<string, string>>({});
  const refuse = (field: "password" | "again", message: string) => {
    toast.error(message, { duration: ERROR_MS });
    setErrors({ [field]: message });
  };

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (password !== again) return refuse("again", t("passwordMismatch"));
    if (password.length < PASSWORD_MIN) return refuse("password", t("passwordTooShort"));
    setErrors({});
    const onSaved = () => {
      toast.success(t("passwordChanged"), { duration: 1500 });
      onClose();
    };
    run(
      () => updateSelf({ password }),
      onSaved,
      (failure) => setErrors(failure.fields),
    );
  };
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={formId} pending={pending}>
        {t("passwordChange")}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={t("passwordChange")} description={t("passwordLead")} footer={footer}>
      <form id={formId} method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <Field label={t("passwordNew")} error={errors.password}>
          {(control) => (
            <PasswordInput
              {...control}
              value={password}
              placeholder={t("passwordPlaceholder")}
              autoComplete="new-password"
              autoFocus
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <Field label={t("passwordAgain")} error={errors.again}>
          {(control) => (
            <PasswordInput
              {...control}
              value={again}
              autoComplete="new-password"
              onChange={(event) => setAgain(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Modal>
  );
}
