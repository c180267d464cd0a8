"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { useReportFailure } from "@/components/form/use-report-failure";
import type { ActionResult } from "@/lib/http/action";
import type { Problems } from "./password-step";
import { signIn, signInByCode, signInByPasskey, startPasskey } from "./sign-in-actions";
import { usePasskey } from "./use-passkey";

export type Entered = { step: "done"; initialPassword: boolean };
type Second = { ticket: string; passkey: boolean };
type Credentials = { username: string; password: string; turnstile: string };

/**
 * State of the sign-in steps. `second` is set while a second factor is required; `problems` holds the errors of the last
 * step.
 */
export function useSignIn(onEntered: (entered: Entered) => void, first: Problems) {
  const t = useTranslations("login");
  const report = useReportFailure();
  const passkey = usePasskey();
  // Not a transition: over a form, that of the form is still open, and would hold back what changes here.
  const [pending, setPending] = useState(false);
  const [problems, setProblems] = useState<Problems>(first);
  const [second, setSecond] = useState<Second | null>(null);

  const attempt = async (work: () => Promise<Problems | null>) => {
    setPending(true);
    setProblems({});
    const refused = await work().catch((error: unknown) => {
      report(error);
      return null;
    });
    setPending(false);
    if (refused) setProblems(refused);
  };
  const settle = (result: ActionResult<Entered>): Problems | null => {
    if (!result.ok) return { summary: result.message };
    onEntered(result.data);
    return null;
  };

  const byPassword = (input: Credentials) =>
    attempt(async () => {
      const result = await signIn(input);
      if (!result.ok) return { summary: result.message, ...result.fields };
      if (result.data.step === "factor") setSecond(result.data);
      else onEntered(result.data);
      return null;
    });
  const byCode = (code: string) =>
    attempt(async () => {
      if (!second || code === "") return { summary: t("codeMissing") };
      return settle(await signInByCode({ ticket: second.ticket, code }));
    });
  const byPasskey = () =>
    attempt(async () => {
      const ticket = second ? { ticket: second.ticket } : {};
      const challenge = await startPasskey(ticket);
      if (!challenge.ok) return { summary: challenge.message };
      const shown = await passkey.show(challenge.data);
      if (!shown.ok) return { summary: shown.message };
      return settle(await signInByPasskey({ ...ticket, response: shown.response }));
    });
  const startOver = () => {
    setSecond(null);
    setProblems({});
  };
  return { pending, problems, second, byPassword, byCode, byPasskey, startOver };
}
