"use client";

import { KeyRound } from "lucide-react";
import type { Route } from "next";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { type ReactNode, useEffect, useState, useTransition } from "react";
import { setPageUser } from "@/components/form/session-keeper";
import { useInBrowser } from "@/components/format/time";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { PasswordStep } from "./password-step";
import { SecondStep } from "./second-step";
import { type TurnstileSite, useTurnstile } from "./turnstile";
import { type Entered, useSignIn } from "./use-sign-in";

/** Shown after every sign-in while the account still uses the initial password set by the system. */
function DefaultPasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTranslations("login");
  const footer = (
    <Button variant="primary" size="md" onClick={onClose}>
      {t("defaultOk")}
    </Button>
  );
  return (
    <Modal open={open} onClose={onClose} title={t("defaultTitle")} description={t("defaultText")} footer={footer} />
  );
}

type LoginFormProps = {
  expired: boolean;
  /** Who is signed in already, also since a moment: the answer to a sign-in may mount the form again. Null for nobody. */
  signedIn: Pick<Entered, "initialPassword"> | null;
  /** Path on this site to open after sign-in. */
  target: string;
  turnstileSite: TurnstileSite;
  /** False when the operator has disabled password sign-in. */
  withPassword: boolean;
  /** Other sign-in methods, shown below the form. Hidden during the second step. */
  children?: ReactNode;
};

/** Sign-in by password (with a second factor if the account has one) or by passkey alone. */
export function LoginForm({ expired, signedIn, target, children, ...rest }: LoginFormProps) {
  const t = useTranslations("login");
  const router = useRouter();
  const inBrowser = useInBrowser();
  const turnstile = useTurnstile(rest.turnstileSite);
  const [leaving, startLeaving] = useTransition();
  const [warning, setWarning] = useState(signedIn?.initialPassword === true);
  // Only on arrival: after a sign-in here, `onEntered` goes on.
  const [goesOn] = useState(signedIn?.initialPassword === false);
  useEffect(() => {
    if (goesOn) router.replace(target as Route);
  }, [goesOn, router, target]);

  // The sign-in page takes anyone, also where the layout around it was made for somebody.
  useEffect(() => setPageUser(null), []);

  const enter = () => startLeaving(() => router.push(target as Route));
  const onEntered = ({ initialPassword }: Entered) => {
    if (initialPassword) return setWarning(true);
    toast.success(t("success"), { duration: 1500 });
    enter();
  };
  const signIn = useSignIn(onEntered, expired ? { summary: t("expired") } : {});
  const pending = signIn.pending || leaving;
  const onPassword = (input: { username: string; password: string }) => {
    const token = turnstile.take();
    if (token !== null) signIn.byPassword({ ...input, turnstile: token });
  };

  return (
    <>
      {signIn.second ? (
        <SecondStep
          passkey={signIn.second.passkey}
          pending={pending}
          problem={signIn.problems.summary}
          onCode={signIn.byCode}
          onPasskey={signIn.byPasskey}
          onBack={signIn.startOver}
        />
      ) : (
        <>
          {rest.withPassword ? (
            <PasswordStep pending={pending} problems={signIn.problems} onSubmit={onPassword}>
              {turnstile.widget}
            </PasswordStep>
          ) : (
            <p role="alert" className="text-muted-foreground">
              {signIn.problems.summary ?? t("passwordOff")}
            </p>
          )}
          <Button size="md" onClick={signIn.byPasskey} disabled={!inBrowser || pending} className="mt-3 w-full">
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
