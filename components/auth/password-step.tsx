"use client";

import { CircleAlert } from "lucide-react";
import { useTranslations } from "next-intl";
import { type FormEvent, type ReactNode, useState } from "react";
import { Field } from "@/components/form/field";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { PasswordInput } from "./password-input";

export type Problems = { summary?: string; username?: string; password?: string };

type PasswordStepProps = {
  pending: boolean;
  problems: Problems;
  /** Already filled in. */
  username?: string;
  onSubmit: (input: { username: string; password: string }) => void;
  /** Shown between the fields and the button. */
  children?: ReactNode;
};

export function PasswordStep({ pending, problems, username = "", onSubmit, children }: PasswordStepProps) {
  const t = useTranslations("login");
  const inBrowser = useInBrowser();
  const [missing, setMissing] = useState<Problems>({});
  const shown = Object.keys(missing).length > 0 ? missing : problems;

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const input = { username: String(data.get("username") ?? "").trim(), password: String(data.get("password") ?? "") };
    const absent: Problems = {
      ...(input.username === "" ? { username: t("usernameMissing") } : {}),
      ...(input.password === "" ? { password: t("passwordMissing") } : {}),
    };
    const complete = Object.keys(absent).length === 0;
    setMissing(complete ? {} : { ...absent, summary: t("missing") });
    if (complete) onSubmit(input);
  };

  return (
    // Before hydration, a GET submit would put the password into the URL.
    <form method="post" onSubmit={submit} noValidate className="flex flex-col gap-4">
      {shown.summary ? (
        <p
          role="alert"
          className="flex gap-2 rounded-md border border-destructive/40 bg-destructive/8 px-3 py-2 text-destructive"
        >
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {shown.summary}
        </p>
      ) : null}
      <Field label={t("username")} error={shown.username}>
        {(control) => (
          <Input
            {...control}
            name="username"
            defaultValue={username}
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus={username === ""}
          />
        )}
      </Field>
      <Field label={t("password")} error={shown.password}>
        {(control) => (
          <PasswordInput {...control} name="password" autoComplete="current-password" autoFocus={username !== ""} />
        )}
      </Field>
      {children}
      <Button type="submit" variant="primary" size="md" pending={pending} disabled={!inBrowser} className="mt-1 w-full">
        {pending ? t("submitting") : t("submit")}
      </Button>
    </form>
  );
}
