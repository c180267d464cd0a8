"use client";

import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { callApi, HttpError, RefusedError } from "@/components/form/call-api";
import { CopyButton, useCopy } from "@/components/form/copy-button";
import { Field } from "@/components/form/field";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { Link } from "@/components/ui/link";

type State = { step: "working" } | { step: "done"; password: string } | { step: "failed"; message: string };

/** A link works only once, but effects can run twice: every call for a token shares the first request. */
const asked = new Map<string, Promise<string>>();

function askForPassword(email: string, token: string): Promise<string> {
  const known = asked.get(token);
  if (known) return known;
  const call = callApi<string>("/api/user/reset", { method: "POST", body: { email, token } }).then(({ data }) => data);
  asked.set(token, call);
  // A failed request is not cached, so it can be retried.
  call.catch(() => asked.delete(token));
  return call;
}

/** Redeems a password reset link when the page opens, then shows and copies the new password. */
export function ResetConfirmation({ email, token }: { email: string; token: string }) {
  const t = useTranslations("reset");
  const copy = useCopy();
  const report = useReportFailure();
  const complete = email !== "" && token !== "";
  const [state, setState] = useState<State>({ step: "working" });
  const handled = useRef(false);

  const redeem = useCallback(async () => {
    setState({ step: "working" });
    try {
      const password = await askForPassword(email, token);
      setState({ step: "done", password });
      // The link has been used: remove the token from the URL and the browser history.
      window.history.replaceState(null, "", window.location.pathname);
      await copy(password, t("doneCopied"));
    } catch (error) {
      report(error);
      const known = error instanceof RefusedError || error instanceof HttpError;
      setState({ step: "failed", message: known ? error.message : t("unreachable") });
    }
  }, [email, token, copy, report, t]);

  useEffect(() => {
    if (!complete || handled.current) return;
    handled.current = true;
    void redeem();
  }, [complete, redeem]);

  if (!complete) return <Failure message={t("incomplete")} />;
  return (
    <div className="flex flex-col gap-4">
      <Field label={t("email")}>
        {(control) => <Input {...control} type="email" readOnly value={email} className="bg-muted" />}
      </Field>
      {state.step === "working" ? (
        <p role="status" className="flex items-center gap-2 text-muted-foreground">
          <LoaderCircle className="size-4 animate-spin" aria-hidden />
          {t("working")}
        </p>
      ) : null}
      {state.step === "done" ? <NewPassword password={state.password} /> : null}
      {state.step === "failed" ? (
        <Failure message={state.message}>
          <Button size="md" onClick={redeem}>
            {t("retry")}
          </Button>
        </Failure>
      ) : null}
    </div>
  );
}

function NewPassword({ password }: { password: string }) {
  const t = useTranslations("reset");
  return (
    <>
      <p role="status" className="flex gap-2 rounded-md border border-success/40 bg-success/8 px-3 py-2">
        <CircleCheck className="mt-0.5 size-4 shrink-0 text-success" aria-hidden />
        {t("done")}
      </p>
      <Field label={t("newPassword")} hint={t("newPasswordHint")}>
        {(control) => (
          <span className="flex gap-2">
            <Input
              {...control}
              readOnly
              value={password}
              onFocus={(event) => event.currentTarget.select()}
              className="min-w-0 bg-muted font-mono"
            />
            <CopyButton size="md" text={password}>
              {t("copy")}
            </CopyButton>
          </span>
        )}
      </Field>
      <Button asChild variant="primary" size="md" className="w-full">
        <Link href="/login">{t("goLogin")}</Link>
      </Button>
    </>
  );
}

function Failure({ message, children }: { message: string; children?: ReactNode }) {
  const t = useTranslations("reset");
  return (
    <div className="flex flex-col gap-4">
      <p
        role="alert"
        className="flex gap-2 rounded-md border border-destructive/40 bg-destructive/8 px-3 py-2 text-destructive"
      >
        <CircleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
        {message}
      </p>
      <div className="flex flex-wrap gap-2">
        {children}
        <Button asChild size="md" variant={children ? "outline" : "primary"}>
          <Link href="/reset">{t("again")}</Link>
        </Button>
      </div>
    </div>
  );
}
