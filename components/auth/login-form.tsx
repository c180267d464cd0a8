"use client";

import { CircleAlert } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type FormEvent, useEffect, useState, useTransition } from "react";
import { toast } from "sonner";
import { Field } from "@/components/form/field";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import type { ActionResult } from "@/lib/http/action";
import { DefaultPasswordDialog } from "./default-password-dialog";
import { PasswordInput } from "./password-input";

type Credentials = { username: string; password: string };
type LoginFormProps = {
  signIn: (input: Credentials) => Promise<ActionResult<{ initialPassword: boolean }>>;
  expired: boolean;
  signedIn: boolean;
};
type Problems = { summary?: string; username?: string; password?: string };

export function LoginForm({ signIn, expired, signedIn }: LoginFormProps) {
  const t = useTranslations("login");
  const common = useTranslations("common");
  const router = useRouter();
  const inBrowser = useInBrowser();
  const [pending, startTransition] = useTransition();
  const [problems, setProblems] = useState<Problems>(expired ? { summary: t("expired") } : {});
  const [warning, setWarning] = useState(false);
  // Only whoever came here signed in is sent on; signing in here may have a warning to show first.
  const [cameSignedIn] = useState(signedIn);
  useEffect(() => {
    if (cameSignedIn) router.replace("/token");
  }, [cameSignedIn, router]);

  const enter = () => startTransition(() => router.push("/token"));

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const input = { username: String(data.get("username") ?? "").trim(), password: String(data.get("password") ?? "") };
    const missing: Problems = {
      ...(input.username === "" ? { username: t("usernameMissing") } : {}),
      ...(input.password === "" ? { password: t("passwordMissing") } : {}),
    };
    if (Object.keys(missing).length > 0) return setProblems({ ...missing, summary: t("missing") });
    setProblems({});
    startTransition(async () => {
      const result = await signIn(input).catch(() => null);
      if (!result) return setProblems({ summary: common("requestFailed") });
      if (!result.ok) return setProblems({ summary: result.message, ...result.fields });
      if (result.data.initialPassword) return setWarning(true);
      toast.success(t("success"), { duration: 1500 });
      enter();
    });
  };

  return (
    // Until scripts run, a submit must not put the password into the address.
    <form method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {problems.summary ? (
        <p
          role="alert"
          className="flex gap-2 rounded-md border border-destructive/40 bg-destructive/8 px-3 py-2 text-destructive"
        >
          <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {problems.summary}
        </p>
      ) : null}
      <Field label={t("username")} error={problems.username}>
        {(control) => (
          <Input
            {...control}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
          />
        )}
      </Field>
      <Field label={t("password")} error={problems.password}>
        {(control) => <PasswordInput {...control} name="password" autoComplete="current-password" />}
      </Field>
      <Button type="submit" variant="primary" size="md" pending={pending} disabled={!inBrowser} className="mt-1 w-full">
        {pending ? t("submitting") : t("submit")}
      </Button>
      <DefaultPasswordDialog open={warning} onClose={enter} />
    </form>
  );
}
