"use client";

import { useLocale, useTranslations } from "next-intl";
import { useTheme } from "next-themes";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import { loadTurnstile } from "./load-turnstile";

/** Configuration of the human check; null = disabled by the operator. */
export type TurnstileSite = { siteKey: string; scriptUrl: string } | null;

export type Turnstile = {
  /** The widget; null while the check is disabled. */
  widget: ReactNode;
  /**
   * Returns the token for one request, or "" if the check is disabled. Returns null and shows a toast if there is no token
   * yet. A token works only once, so taking it resets the check.
   */
  take: () => string | null;
};

const INFO_MS = 3000;

export function useTurnstile(site: TurnstileSite): Turnstile {
  const t = useTranslations("turnstile");
  const [token, setToken] = useState("");
  const [round, setRound] = useState(0);
  const take = () => {
    if (!site) return "";
    if (token === "") {
      toast.info(t("wait"), { duration: INFO_MS });
      return null;
    }
    setToken("");
    setRound(round + 1);
    return token;
  };
  return { widget: site ? <Widget site={site} round={round} onToken={setToken} /> : null, take };
}

type WidgetProps = { site: NonNullable<TurnstileSite>; round: number; onToken: (token: string) => void };

function Widget({ site, round, onToken }: WidgetProps) {
  const t = useTranslations("turnstile");
  const locale = useLocale();
  const { resolvedTheme } = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const widget = useRef<{ reset: () => void } | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);
  const { siteKey, scriptUrl } = site;
  const theme = resolvedTheme === "dark" ? "dark" : "light";

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt renders the check again
  useEffect(() => {
    let left = false;
    let remove = () => {};
    const onLoad = (api: Awaited<ReturnType<typeof loadTurnstile>>) => {
      if (left || !place.current) return;
      const id = api.render(place.current, {
        sitekey: siteKey,
        theme,
        language: locale,
        size: "flexible",
        callback: onToken,
        "expired-callback": () => onToken(""),
        "error-callback": () => setFailed(true),
      });
      widget.current = { reset: () => api.reset(id) };
      remove = () => api.remove(id);
    };
    loadTurnstile(scriptUrl).then(onLoad, () => (left ? undefined : setFailed(true)));
    return () => {
      left = true;
      widget.current = null;
      onToken("");
      remove();
    };
  }, [siteKey, scriptUrl, theme, locale, onToken, attempt]);

  useEffect(() => {
    if (round > 0) widget.current?.reset();
  }, [round]);

  const onRetry = () => {
    setFailed(false);
    setAttempt(attempt + 1);
  };
  return (
    <section aria-label={t("label")}>
      <div ref={place} className="min-h-16 [&:empty]:animate-pulse [&:empty]:rounded-md [&:empty]:bg-muted" />
      {failed ? (
        <p role="alert" className="mt-2 flex flex-wrap items-center gap-2 text-destructive text-xs">
          {t("failed")}
          <Button className="h-7 px-2 text-xs" onClick={onRetry}>
            {t("retry")}
          </Button>
        </p>
      ) : null}
    </section>
  );
}
