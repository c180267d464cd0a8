"use client";

import { CircleCheck, CircleX, Send } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { sendTestMail } from "./actions";
import { useSetting } from "./setting-context";

/** `message` is null when the server accepted the mail; `answer` is what it said. */
type TestMailResult = { to: string; answer: string; message: string | null };

/** Sends a mail to the user's own address with the saved settings, not the edited ones, and shows the server's answer. */
export function TestMail() {
  const t = useTranslations("setting");
  const { dirty } = useSetting();
  const { pending, run } = useRunAction();
  const [result, setResult] = useState<TestMailResult | null>(null);
  const unsaved = dirty > 0;
  return (
    <div className="flex flex-col gap-3 border-t px-5 py-3">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted-foreground text-xs">{unsaved ? t("testMailUnsaved") : t("testMailText")}</p>
        <Button pending={pending} disabled={unsaved} onClick={() => run(() => sendTestMail({}), setResult)}>
          <Send aria-hidden />
          {t("testMail")}
        </Button>
      </div>
      <output className={cn("text-xs", result === null && "sr-only")}>
        {result === null || pending ? null : <Answer result={result} />}
      </output>
    </div>
  );
}

function Answer({ result: { to, message, answer } }: { result: TestMailResult }) {
  const t = useTranslations("setting");
  const Icon = message === null ? CircleCheck : CircleX;
  return (
    <>
      <span className="flex items-center gap-1.5 font-medium">
        <Icon className={cn("size-4 shrink-0", message === null ? "text-success" : "text-destructive")} aria-hidden />
        {message ?? t("testMailSent", { to })}
      </span>
      {answer === "" ? null : (
        <span className="mt-1.5 block">
          <span className="text-muted-foreground">{t("testMailAnswer")}</span>
          <code
            className="mt-1 block whitespace-pre-wrap break-all rounded bg-muted px-2 py-1.5 font-mono"
            dir="auto"
            data-user-text
          >
            {answer}
          </code>
        </span>
      )}
    </>
  );
}
