"use client";

import { ArrowBigUp, Eye, EyeOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ComponentProps, type KeyboardEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/input";

/** A password field with a show/hide button and a Caps Lock warning. */
export function PasswordInput(props: Omit<ComponentProps<"input">, "type">) {
  const t = useTranslations("login.passwordInput");
  const [visible, setVisible] = useState(false);
  const [capsLock, setCapsLock] = useState(false);
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => setCapsLock(event.getModifierState("CapsLock"));
  return (
    <div>
      <div className="relative">
        <Input
          {...props}
          data-secret
          type={visible ? "text" : "password"}
          className="pr-10"
          onKeyDown={onKey}
          onKeyUp={onKey}
          onBlur={() => setCapsLock(false)}
        />
        <Button
          variant="ghost"
          size="icon"
          className="absolute top-0.5 right-0.5 text-muted-foreground"
          aria-label={visible ? t("hide") : t("show")}
          aria-pressed={visible}
          onClick={() => setVisible(!visible)}
        >
          {visible ? <EyeOff /> : <Eye />}
        </Button>
      </div>
      <p aria-live="polite" className="text-warning text-xs">
        {capsLock ? (
          <span className="mt-1.5 flex items-center gap-1">
            <ArrowBigUp className="size-3.5" aria-hidden />
            {t("capsLock")}
          </span>
        ) : null}
      </p>
    </div>
  );
}
