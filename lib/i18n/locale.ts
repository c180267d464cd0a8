export const LOCALES = ["zh", "en"] as const;

export type Locale = (typeof LOCALES)[number];

export const LOCALE_COOKIE = "locale";

/** The user's choice, else the language that the browser wants most, else Chinese. */
export function chooseLocale(chosen: string | undefined, acceptLanguage: string | null): Locale {
  const own = LOCALES.find((locale) => locale === chosen);
  return own ?? wantedLocale(acceptLanguage ?? "") ?? "zh";
}

/** The one of our languages that an Accept-Language wants most; undefined = it names none. */
export function wantedLocale(acceptLanguage: string): Locale | undefined {
  const wanted = acceptLanguage
    .slice(0, 500)
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().toLowerCase().split(";");
      const weight = parameters.map((one) => one.trim()).find((one) => one.startsWith("q="));
      return { locale: LOCALES.find((locale) => tag.split("-")[0] === locale), weight: Number(weight?.slice(2) ?? 1) };
    })
    .filter(({ locale, weight }) => locale !== undefined && weight > 0);
  return wanted.toSorted((one, other) => other.weight - one.weight)[0]?.locale;
}
