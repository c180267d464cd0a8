"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId, useState } from "react";
import { SendCodeButton } from "@/components/auth/send-code-button";
import { type TurnstileSite, useTurnstile } from "@/components/auth/turnstile";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { bindEmail } from "./personal-actions";

type EmailDialogProps = {
  turnstileSite: TurnstileSite;
  onClose: () => void;
};

const ERROR_MS = 5000;

/** Binds an e-mail address; the user confirms it with a code sent to that address. */
export function EmailDialog({ turnstileSite, onClose }: EmailDialogProps) {
  const t = useTranslations("personal");
  const common = useTranslations("common");
  const formId = useId();
  const turnstile = useTurnstile(turnstileSite);
  const { pending, run } = useRunAction();
  const [email, setEmail] = useState("");
  const [code, setCode] = useState("");
  const [errors, setErrors] = useState<Record<string, string>>({});
  const refuse = (field: "email" | "code", message: string) => {
    toast.error(message, { duration: ERROR_MS });
    setErrors({ [field]: message });
  };

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (email.trim() === "") return refuse("email", t("emailMissing"));
    if (code.trim() === "") return refuse("code", t("codeMissing"));
    setErrors({});
    const onBound = () => {
      toast.success(t("emailBound"), { duration: 3000 });
      onClose();
    };
    run(
      () => bindEmail({ email: email.trim(), code: code.trim() }),
      onBound,
      (failure) => setErrors(failure.fields),
    );
  };
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending}>
        {common("cancel")}
      </Button>
      <Button size="md" variant="primary" type="submit" form={formId} pending={pending}>
        {t("emailBind")}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={t("emailTitle")} description={t("emailLead")} footer={footer}>
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <Field label={t("emailNew")} error={errors.email}>
          {(control) => (
            <span className="flex gap-2">
              <Input
                {...control}
                type="email"
                value={email}
                autoComplete="email"
                autoFocus
                onChange={(event) => setEmail(event.target.value)}
                className="min-w-0"
              />
              <SendCodeButton
                email={email}
                turnstile={turnstile}
                onMissingEmail={() => refuse("email", t("emailMissing"))}
              />
            </span>
          )}
        </Field>
        <Field label={t("emailCode")} error={errors.code}>
          {(control) => (
            <Input
              {...control}
              value={code}
              autoComplete="one-time-code"
              autoCapitalize="none"
              spellCheck={false}
              onChange={(event) => setCode(event.target.value)}
            />
          )}
        </Field>
        {turnstile.widget}
      </form>
    </Modal>
  );
}
