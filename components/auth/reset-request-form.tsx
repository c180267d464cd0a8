"use client";

import { MailCheck } from "lucide-react";
import { useTranslations } from "next-intl";
import { type FormEvent, useState } from "react";
import { callApi } from "@/components/form/call-api";
import { Field } from "@/components/form/field";
import { useCountdown } from "@/components/form/use-countdown";
import { useReportFailure } from "@/components/form/use-report-failure";
import { useInBrowser } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { type TurnstileSite, useTurnstile } from "./turnstile";

const PAUSE_SECONDS = 30;

export function ResetRequestForm({ turnstileSite }: { turnstileSite: TurnstileSite }) {
  const t = useTranslations("reset");
  const inBrowser = useInBrowser();
  const report = useReportFailure();
  const turnstile = useTurnstile(turnstileSite);
  const { left, start } = useCountdown(PAUSE_SECONDS);
  const [email, setEmail] = useState("");
  const [sentTo, setSentTo] = useState<string | null>(null);
  const [error, setError] = useState<string>();
  const [pending, setPending] = useState(false);

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const address = email.trim();
    if (address === "") return setError(t("emailMissing"));
    const token = turnstile.take();
    if (token === null) return;
    setError(undefined);
    start();
    setPending(true);
    try {
      await callApi(`/api/reset_password?${new URLSearchParams({ email: address, turnstile: token })}`);
      toast.success(t("sent"), { duration: 3000 });
      setSentTo(address);
      setEmail("");
    } catch (failure) {
      report(failure);
    } finally {
      setPending(false);
    }
  };
  return (
    <form method="post" onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
      {sentTo ? (
        <p role="status" className="flex gap-2 rounded-md border border-success/40 bg-success/8 px-3 py-2">
          <MailCheck className="mt-0.5 size-4 shrink-0 text-success" aria-hidden />
          <span dir="auto" className="min-w-0 break-words">
            {t("sentTo", { email: sentTo })}
          </span>
        </p>
      ) : null}
      <Field label={t("email")} error={error}>
        {(control) => (
          <Input
            {...control}
            type="email"
            name="email"
            value={email}
            autoComplete="email"
            autoFocus
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      {turnstile.widget}
      <Button
        type="submit"
        variant="primary"
        size="md"
        pending={pending}
        disabled={!inBrowser || left > 0}
        className="mt-1 w-full tabular-nums"
      >
        {left > 0 ? t("againIn", { seconds: left }) : t("submit")}
      </Button>
    </form>
  );
}
