"use client";

import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from "@simplewebauthn/browser";
import { KeyRound } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type ReactNode, useEffect, useState, useTransition } from "react";
import { toast } from "sonner";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/http/action";
import { DefaultPasswordDialog } from "./default-password-dialog";
import { PasswordStep, type Problems } from "./password-step";
import { SecondStep } from "./second-step";
import { type TurnstileSite, useTurnstile } from "./turnstile";
import { usePasskey } from "./use-passkey";

type Entered = { step: "done"; initialPassword: boolean };
type Credentials = { username: string; password: string };

export type LoginActions = {
  signIn: (
    input: Credentials & { turnstile: string },
  ) => Promise<ActionResult<Entered | { step: "factor"; ticket: string; passkey: boolean }>>;
  signInByCode: (input: { ticket: string; code: string }) => Promise<ActionResult<Entered>>;
  startPasskey: (input: { ticket?: string }) => Promise<ActionResult<PublicKeyCredentialRequestOptionsJSON>>;
  signInByPasskey: (input: { ticket?: string; response: AuthenticationResponseJSON }) => Promise<ActionResult<Entered>>;
};

type LoginFormProps = {
  actions: LoginActions;
  expired: boolean;
  signedIn: boolean;
  /** Where to go afterwards; a page of this site. */
  target: string;
  turnstileSite: TurnstileSite;
  /** Under the form, while nobody has begun: other ways in. */
  children?: ReactNode;
};

/** Signing in: name and password, a second factor where the account has one, or a passkey alone. */
export function LoginForm({ actions, expired, signedIn, target, turnstileSite, children }: LoginFormProps) {
  const t = useTranslations("login");
  const router = useRouter();
  const report = useReportFailure();
  const passkey = usePasskey();
  const turnstile = useTurnstile(turnstileSite);
  const [pending, startTransition] = useTransition();
  const [problems, setProblems] = useState<Problems>(expired ? { summary: t("expired") } : {});
  const [second, setSecond] = useState<{ ticket: string; passkey: boolean } | null>(null);
  const [warning, setWarning] = useState(false);
  // Only whoever came here signed in is sent on; signing in here may have a warning to show first.
  const [cameSignedIn] = useState(signedIn);
  useEffect(() => {
    if (cameSignedIn) router.replace(target as Route);
  }, [cameSignedIn, router, target]);

  const enter = () => startTransition(() => router.push(target as Route));
  const onEntered = ({ initialPassword }: Entered) => {
    if (initialPassword) return setWarning(true);
    toast.success(t("success"), { duration: 1500 });
    enter();
  };
  /** Runs one step; what it refuses stands in the form. */
  const attempt = (work: () => Promise<Problems | null>) =>
    startTransition(async () => {
      setProblems({});
      const refused = await work().catch((error: unknown) => {
        report(error);
        return null;
      });
      if (refused) setProblems(refused);
    });

  const onPassword = (input: Credentials) => {
    const token = turnstile.take();
    if (token === null) return;
    attempt(async () => {
      const result = await actions.signIn({ ...input, turnstile: token });
      if (!result.ok) return { summary: result.message, ...result.fields };
      if (result.data.step === "factor") setSecond(result.data);
      else onEntered(result.data);
      return null;
    });
  };
  const onCode = (code: string) =>
    attempt(async () => {
      if (!second || code === "") return { summary: t("codeMissing") };
      const result = await actions.signInByCode({ ticket: second.ticket, code });
      if (!result.ok) return { summary: result.message };
      onEntered(result.data);
      return null;
    });
  const onPasskey = () =>
    attempt(async () => {
      const ticket = second ? { ticket: second.ticket } : {};
      const challenge = await actions.startPasskey(ticket);
      if (!challenge.ok) return { summary: challenge.message };
      const shown = await passkey.show(challenge.data);
      if (!shown.ok) return { summary: shown.message };
      const result = await actions.signInByPasskey({ ...ticket, response: shown.response });
      if (!result.ok) return { summary: result.message };
      onEntered(result.data);
      return null;
    });
  const onBack = () => {
    setSecond(null);
    setProblems({});
  };

  return (
    <>
      {second ? (
        <SecondStep
          passkey={second.passkey}
          pending={pending}
          problem={problems.summary}
          onCode={onCode}
          onPasskey={onPasskey}
          onBack={onBack}
        />
      ) : (
        <>
          <PasswordStep pending={pending} problems={problems} onSubmit={onPassword}>
            {turnstile.widget}
          </PasswordStep>
          <Button size="md" onClick={onPasskey} disabled={pending} className="mt-3 w-full">
            <KeyRound />
            {t("passkey")}
          </Button>
          {children}
        </>
      )}
      <DefaultPasswordDialog open={warning} onClose={enter} />
    </>
  );
}
