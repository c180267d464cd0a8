"use client";

import { useLocale, useTranslations } from "next-intl";
import { useCallback } from "react";

/** The error of a request; `code` is the relay's, "" where it has none. */
export type Explain = (code: string, message: string) => string;

/**
 * Explains the relay's errors in the reader's language. The API answers in English, with figures that no code has, so the
 * original stands below.
 */
export function useExplain(): Explain {
  const t = useTranslations("playground.refusal");
  const locale = useLocale();
  return useCallback(
    (code, message) => {
      const key = code as Parameters<typeof t>[0];
      return locale === "en" || code === "" || !t.has(key) ? message : `${t(key)}\n${message}`;
    },
    [t, locale],
  );
}
