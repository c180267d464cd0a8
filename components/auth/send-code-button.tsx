"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { callApi } from "@/components/form/call-api";
import { useCountdown } from "@/components/form/use-countdown";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { Turnstile } from "./turnstile";

const PAUSE_SECONDS = 30;

type SendCodeButtonProps = {
  email: string;
  turnstile: Turnstile;
  onMissingEmail: () => void;
  onSent?: () => void;
};

/** Sends a verification code to an e-mail address, then stays disabled for half a minute. */
export function SendCodeButton({ email, turnstile, onMissingEmail, onSent }: SendCodeButtonProps) {
  const t = useTranslations("register");
  const report = useReportFailure();
  const { left, start } = useCountdown(PAUSE_SECONDS);
  const [used, setUsed] = useState(false);
  const [pending, setPending] = useState(false);
  const onSend = async () => {
    const address = email.trim();
    if (address === "") return onMissingEmail();
    const token = turnstile.take();
    if (token === null) return;
    start();
    setUsed(true);
    setPending(true);
    try {
      await callApi(`/api/verification?${new URLSearchParams({ email: address, turnstile: token })}`);
      toast.success(t("codeSent"), { duration: 3000 });
      onSent?.();
    } catch (error) {
      report(error);
    } finally {
      setPending(false);
    }
  };
  const label = left > 0 ? t("codeAgainIn", { seconds: left }) : used ? t("codeAgain") : t("codeSend");
  return (
    <Button size="md" disabled={left > 0} pending={pending} onClick={onSend} className="min-w-28 tabular-nums">
      {label}
    </Button>
  );
}
