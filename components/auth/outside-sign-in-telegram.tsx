"use client";

import { useLocale, useTranslations } from "next-intl";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";

const SCRIPT = "https://telegram.org/js/telegram-widget.js?22";

type TelegramWidgetProps = {
  botName: string;
  /** Redirect target; Telegram appends the signed fields to its query. */
  authUrl: string;
};

/** Telegram's login widget. It uses a redirect URL instead of a callback, because the callback needs eval in the page. */
export function TelegramWidget({ botName, authUrl }: TelegramWidgetProps) {
  const t = useTranslations("outside");
  const locale = useLocale();
  const place = useRef<HTMLDivElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt loads the widget again
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.async = true;
    script.nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
    script.dataset.telegramLogin = botName;
    script.dataset.size = "large";
    script.dataset.radius = "6";
    script.dataset.lang = locale;
    script.dataset.authUrl = authUrl;
    script.onerror = () => setFailed(true);
    parent.append(script);
    return () => parent.replaceChildren();
  }, [botName, authUrl, locale, attempt]);

  const onRetry = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  return (
    <section aria-label="Telegram" className="flex flex-col items-center gap-2">
      <div ref={place} className="flex min-h-10 w-full justify-center [&_iframe]:[color-scheme:light]" />
      {failed ? (
        <p role="alert" className="flex flex-wrap items-center gap-2 text-destructive text-xs">
          {t("telegramFailed")}
          <Button className="h-7 px-2 text-xs" onClick={onRetry}>
            {t("retry")}
          </Button>
        </p>
      ) : null}
    </section>
  );
}
