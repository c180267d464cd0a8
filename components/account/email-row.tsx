"use client";

import { Mail } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { TurnstileSite } from "@/components/auth/turnstile";
import { Button } from "@/components/ui/button";
import { EmailDialog } from "./email-dialog";

type EmailRowProps = { email: string | null; turnstileSite: TurnstileSite };

export function EmailRow({ email, turnstileSite }: EmailRowProps) {
  const t = useTranslations("personal");
  const [open, setOpen] = useState(false);
  const label = email ? t("emailChange") : t("emailBind");
  return (
    <div className="mb-3 flex items-center justify-between gap-4 border-b pb-3">
      <div className="flex min-w-0 items-center gap-3">
        <Mail className="size-5 shrink-0" aria-hidden />
        <div className="min-w-0">
          <h3 dir="auto" className="font-medium">
            {t("email")}
          </h3>
          <p dir="auto" data-testid="binding-email" className="break-all text-muted-foreground text-xs">
            {email ?? t("emailNone")}
          </p>
        </div>
      </div>
      <Button size="md" aria-label={`${label} ${t("email")}`} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open ? <EmailDialog turnstileSite={turnstileSite} onClose={() => setOpen(false)} /> : null}
    </div>
  );
}
