import type { Locale } from "@/lib/i18n/locale";
import type { QuotaDisplay } from "@/lib/money/display";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";

type Texts = Readonly<Record<string, string>>;

/** The sets of coded values that have names. */
export type NamedValues = "logType" | "movement";

type Catalogue = { column: Texts; quota: string; events: Texts; values: Record<NamedValues, Texts> };

const catalogues: Record<Locale, Catalogue> = { en: catalogueOf(en), zh: catalogueOf(zh) };

function catalogueOf({ export: own, logEvent, log, topup }: typeof en): Catalogue {
  const { type1, type2, type3, type4, type5 } = log;
  const logType = { 1: type1, 2: type2, 3: type3, 4: type4, 5: type5 };
  return { column: own.column, quota: own.quota, events: logEvent, values: { logType, movement: topup.kinds } };
}

/** The language and the currency of a file for people. */
export type ExportWords = {
  display: QuotaDisplay;
  heading: (name: string) => string;
  /** The heading of an amount of quota, beside the one in money. */
  quotaHeading: (name: string) => string;
  value: (set: NamedValues, value: string | number) => string;
  /** The text of an event; null for an unknown one. */
  event: (event: string, values: Texts) => string | null;
};

export function exportWords(locale: Locale, display: QuotaDisplay): ExportWords {
  const { column, quota, events, values } = catalogues[locale];
  const heading = (name: string) => column[name] ?? name;
  return {
    display,
    heading,
    quotaHeading: (name) => `${heading(name)} (${quota})`,
    value: (set, value) => values[set][String(value)] ?? String(value),
    event: (event, params) =>
      events[event]?.replace(/\{(\w+)\}/g, (whole, name: string) => params[name] ?? whole) ?? null,
  };
}
