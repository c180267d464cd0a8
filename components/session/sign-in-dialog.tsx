"use client";

import { ExternalLink, KeyRound } from "lucide-react";
import { useTranslations } from "next-intl";
import { PasswordStep } from "@/components/auth/password-step";
import { SecondStep } from "@/components/auth/second-step";
import { type TurnstileSite, useTurnstile } from "@/components/auth/turnstile";
import { useSignIn } from "@/components/auth/use-sign-in";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

/** What signing in needs, from the server. */
export type SignInOver = {
  turnstileSite: TurnstileSite;
  /** False when the operator has disabled password sign-in. */
  withPassword: boolean;
};

export type SignInDialogProps = { username: string; signIn: SignInOver; onSignedIn: () => void; onCancel: () => void };

/**
 * Signs the page's user in over the page whose session has ended. The page of another provider, and other ways to sign in,
 * open in a new tab, so that the input stays; this page hears of it.
 */
export function SignInDialog({ username, signIn, onSignedIn, onCancel }: SignInDialogProps) {
  const t = useTranslations("session");
  const login = useTranslations("login");
  const turnstile = useTurnstile(signIn.turnstileSite);
  const { pending, problems, second, ...by } = useSignIn(onSignedIn, {});
  const onPassword = (input: { username: string; password: string }) => {
    const token = turnstile.take();
    if (token !== null) by.byPassword({ ...input, turnstile: token });
  };
  return (
    <Modal open onClose={onCancel} title={t("title")} description={t("text", { user: username })}>
      <div data-session className="flex flex-col gap-3">
        {second ? (
          <SecondStep
            passkey={second.passkey}
            pending={pending}
            problem={problems.summary}
            onCode={by.byCode}
            onPasskey={by.byPasskey}
            onBack={by.startOver}
          />
        ) : (
          <>
            {signIn.withPassword ? (
              <PasswordStep username={username} pending={pending} problems={problems} onSubmit={onPassword}>
                {turnstile.widget}
              </PasswordStep>
            ) : (
              <p role="alert" className="text-muted-foreground">
                {problems.summary ?? login("passwordOff")}
              </p>
            )}
            <Button size="md" onClick={by.byPasskey} disabled={pending} className="w-full">
              <KeyRound />
              {login("passkey")}
            </Button>
            <Button asChild variant="ghost">
              <a href="/login" target="_blank" rel="noopener">
                <ExternalLink aria-hidden />
                {t("otherWays")}
              </a>
            </Button>
          </>
        )}
      </div>
    </Modal>
  );
}
