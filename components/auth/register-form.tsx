"use client";

import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FormEvent, type ReactNode, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { Field } from "@/components/form/field";
import { useReportFailure } from "@/components/form/use-report-failure";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { readStored } from "@/components/ui/stored";
import { toast } from "@/components/ui/toast";
import { PasswordInput } from "./password-input";
import { checkRegistration, type RegisterDraft, type RegisterErrors } from "./register-check";
import { SendCodeButton } from "./send-code-button";
import { type TurnstileSite, useTurnstile } from "./turnstile";

const EMPTY: RegisterDraft = { username: "", password: "", password2: "", email: "", code: "" };
const ERROR_MS = 5000;

type RegisterFormProps = {
  /** Whether registration requires an e-mail address confirmed by a code. */
  withEmail: boolean;
  turnstileSite: TurnstileSite;
  /** From the URL of this page; if empty, the stored invite code is used. */
  inviteCode: string;
};

export function RegisterForm({ withEmail, turnstileSite, inviteCode }: RegisterFormProps) {
  const t = useTranslations("register");
  const router = useRouter();
  const inBrowser = useInBrowser();
  const report = useReportFailure();
  const turnstile = useTurnstile(turnstileSite);
  const [draft, setDraft] = useState(EMPTY);
  const [errors, setErrors] = useState<RegisterErrors>({});
  const [pending, setPending] = useState(false);
  const onChange = (change: Partial<RegisterDraft>) => setDraft((before) => ({ ...before, ...change }));

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const problem = checkRegistration(draft, withEmail);
    if (problem) {
      const message = t(problem.message);
      toast.info(message, { duration: ERROR_MS });
      return setErrors({ [problem.field]: message });
    }
    const token = turnstile.take();
    if (token === null) return;
    setErrors({});
    setPending(true);
    try {
      const { username, password, password2, email, code } = draft;
      await callApi(`/api/user/register?${new URLSearchParams({ turnstile: token })}`, {
        method: "POST",
        body: {
          username: username.trim(),
          password,
          password2,
          email: email.trim(),
          verification_code: code.trim(),
          aff_code: inviteCode || (readStored("aff") ?? ""),
        },
      });
      toast.success(t("done"), { duration: 3000 });
      router.push("/login");
    } catch (error) {
      report(error);
      setPending(false);
    }
  };
  const section = { draft, errors, onChange };
  return (
    // Before hydration, a GET submit would put the password into the URL.
    <form method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      <NameAndPassword {...section} />
      {withEmail ? (
        <EmailAndCode
          {...section}
          sendCode={
            <SendCodeButton
              email={draft.email}
              turnstile={turnstile}
              onMissingEmail={() => setErrors({ email: t("emailMissing") })}
            />
          }
        />
      ) : null}
      {turnstile.widget}
      <Button type="submit" variant="primary" size="md" pending={pending} disabled={!inBrowser} className="mt-1 w-full">
        {pending ? t("submitting") : t("submit")}
      </Button>
    </form>
  );
}

type SectionProps = {
  draft: RegisterDraft;
  errors: RegisterErrors;
  onChange: (change: Partial<RegisterDraft>) => void;
};

function NameAndPassword({ draft, errors, onChange }: SectionProps) {
  const t = useTranslations("register");
  return (
    <>
      <Field label={t("username")} hint={t("usernameHint")} error={errors.username}>
        {(control) => (
          <Input
            {...control}
            name="username"
            value={draft.username}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            onChange={(event) => onChange({ username: event.target.value })}
          />
        )}
      </Field>
      <Field label={t("password")} error={errors.password}>
        {(control) => (
          <PasswordInput
            {...control}
            name="password"
            value={draft.password}
            placeholder={t("passwordPlaceholder")}
            autoComplete="new-password"
            onChange={(event) => onChange({ password: event.target.value })}
          />
        )}
      </Field>
      <Field label={t("password2")} error={errors.password2}>
        {(control) => (
          <PasswordInput
            {...control}
            name="password2"
            value={draft.password2}
            autoComplete="new-password"
            onChange={(event) => onChange({ password2: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function EmailAndCode({ draft, errors, onChange, sendCode }: SectionProps & { sendCode: ReactNode }) {
  const t = useTranslations("register");
  return (
    <>
      <Field label={t("email")} error={errors.email}>
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              type="email"
              name="email"
              value={draft.email}
              autoComplete="email"
              onChange={(event) => onChange({ email: event.target.value })}
              className="min-w-0"
            />
            {sendCode}
          </span>
        )}
      </Field>
      <Field label={t("code")} error={errors.code}>
        {(control) => (
          <Input
            {...control}
            name="code"
            value={draft.code}
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            onChange={(event) => onChange({ code: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}
