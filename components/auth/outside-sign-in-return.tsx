"use client";

import { LoaderCircle } from "lucide-react";
import { useRouter } from "next/navigation";
import { useTranslations } from "next-intl";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { HttpError } from "@/components/form/call-api";
import { useReportFailure } from "@/components/form/use-report-failure";
import { Button } from "@/components/ui/button";
import { writeStored } from "@/components/ui/stored";
import { toast } from "@/components/ui/toast";
import { TELEGRAM_BEGUN } from "./outside-sign-in";
import { tellOtherTabs } from "./outside-sign-in-tabs";

/** Result of the provider redirect, as parsed by the page. */
export type OutsideReturn =
  /** The provider or the server refused; `message` is shown to the user. */
  | { type: "refused"; message: string }
  /** GET this path under /api to complete the sign-in. */
  | { type: "code"; path: string }
  /** Like "code", but from the Telegram widget. `begun` is valid only in the tab that showed the widget. */
  | { type: "telegram"; path: string; begun: string; name: string };

type OutsideSignInReturnProps = { back: OutsideReturn; signedIn: boolean };

const ERROR_MS = 8000;

/** Completes a sign-in or a binding and redirects as A126 to A128 require. */
export function OutsideSignInReturn({ back, signedIn }: OutsideSignInReturnProps) {
  const t = useTranslations("outside");
  const [asked, setAsked] = useState(false);
  const finish = useFinish(signedIn);
  const begun = useRef(false);
  const start = useEffectEvent(() => {
    if (back.type === "refused") return finish.refuse(back.message);
    // A link on another site could carry another person's sign-in, so a different tab asks for confirmation.
    if (back.type === "telegram" && window.sessionStorage.getItem(TELEGRAM_BEGUN) !== back.begun) return setAsked(true);
    finish.ask(back.path, back.type === "telegram" ? "/" : "/token");
  });
  useEffect(() => {
    // Effects can run twice, but a code can be redeemed only once.
    if (begun.current) return;
    begun.current = true;
    start();
  }, []);

  if (asked && back.type === "telegram") {
    const onContinue = () => {
      setAsked(false);
      finish.ask(back.path, "/");
    };
    return (
      <div className="flex flex-col items-center gap-4">
        <p>{t("telegramConfirm", { name: back.name })}</p>
        <Button variant="primary" size="md" onClick={onContinue}>
          {t("telegramContinue")}
        </Button>
      </div>
    );
  }
  return (
    <p role="status" className="flex items-center gap-3 text-muted-foreground">
      <LoaderCircle className="size-5 animate-spin" aria-hidden />
      {t("pending")}
    </p>
  );
}

type Reply = { success: boolean; message: string; data?: unknown };

function useFinish(signedIn: boolean) {
  const t = useTranslations("outside");
  const router = useRouter();
  const report = useReportFailure();

  // A user who is not signed in would be redirected from /setting to /login, and the error message would be lost.
  const leave = () => router.replace(signedIn ? "/setting" : "/login");
  const refuse = (message: string) => {
    toast.error(message, { duration: ERROR_MS });
    leave();
  };
  const accept = (reply: Reply, landing: "/" | "/token") => {
    if (reply.message === "bind") {
      toast.success(t("bound"), { duration: 3000 });
      tellOtherTabs("bound");
      return router.replace("/setting");
    }
    writeStored("user", JSON.stringify(reply.data));
    toast.success(t("signedIn"), { duration: 1500 });
    tellOtherTabs("signed-in");
    router.replace(landing);
    router.refresh();
  };
  const ask = async (path: string, landing: "/" | "/token") => {
    try {
      const response = await fetch(path, { headers: { "cache-control": "no-store" }, cache: "no-store" });
      const reply = (await response.json().catch(() => null)) as Reply | null;
      if (reply?.success) accept(reply, landing);
      // Error responses (such as 403 for an invalid state) also carry a message.
      else if (reply?.message) refuse(reply.message);
      else {
        report(new HttpError(response.status));
        leave();
      }
    } catch (error) {
      report(error);
      leave();
    }
  };
  return { refuse, ask };
}
