export const LOCALES = ["zh", "en"] as const;

export type Locale = (typeof LOCALES)[number];

export const LOCALE_COOKIE = "locale";

/** The user's choice, else English for a browser that prefers it, else Chinese. */
export function chooseLocale(chosen: string | undefined, acceptLanguage: string | null): Locale {
  const own = LOCALES.find((locale) => locale === chosen);
  if (own) return own;
  const preferred = (acceptLanguage ?? "").split(",")[0]?.trim().toLowerCase() ?? "";
  return preferred.startsWith("en") ? "en" : "zh";
}
