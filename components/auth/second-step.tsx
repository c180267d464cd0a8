"use client";

import { KeyRound } from "lucide-react";
import { useTranslations } from "next-intl";
import type { FormEvent } from "react";
import { Field } from "@/components/form/field";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";

type SecondStepProps = {
  passkey: boolean;
  pending: boolean;
  problem: string | undefined;
  onCode: (code: string) => void;
  onPasskey: () => void;
  onBack: () => void;
};

export function SecondStep({ passkey, pending, problem, onCode, onPasskey, onBack }: SecondStepProps) {
  const t = useTranslations("login");
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onCode(String(new FormData(event.currentTarget).get("code") ?? "").trim());
  };
  return (
    <form method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      <p className="text-muted-foreground">{t("secondText")}</p>
      <Field label={t("code")} hint={t("codeHint")} error={problem}>
        {(control) => (
          <Input
            {...control}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
          />
        )}
      </Field>
      <Button type="submit" variant="primary" size="md" pending={pending} className="w-full">
        {t("verify")}
      </Button>
      {passkey ? (
        <Button size="md" onClick={onPasskey} disabled={pending} className="w-full">
          <KeyRound />
          {t("passkey")}
        </Button>
      ) : null}
      <Button variant="ghost" onClick={onBack} disabled={pending}>
        {t("back")}
      </Button>
    </form>
  );
}
