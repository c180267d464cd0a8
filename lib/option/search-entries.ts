import type { Locale } from "@/lib/i18n/locale";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { type OptionCard, pageOf } from "./cards";
import { definitionOf, optionKeys } from "./registry";
import type { SearchEntry } from "./search";

type OptionTexts = Readonly<Record<string, { label?: string; hint?: string } | undefined>>;

const texts = { en, zh } as const;

/** Every option with a card, with its texts; made once for each language. */
export function searchEntries(locale: Locale): readonly SearchEntry[] {
  entries[locale] ??= listEntries(locale);
  return entries[locale];
}

const entries: Partial<Record<Locale, readonly SearchEntry[]>> = {};

function listEntries(locale: Locale): SearchEntry[] {
  const { option, setting } = texts[locale];
  const own = option as OptionTexts;
  const titleOf = (card: OptionCard) => setting.card[card].title;
  const pages = setting.page as Readonly<Record<string, string | undefined>>;
  return optionKeys().flatMap((key) => {
    const { card } = definitionOf(key);
    if (!card) return [];
    const { label = key, hint = "" } = own[key.replaceAll(".", "_")] ?? {};
    const page = pageOf(card);
    return { key, card, label, hint, cardTitle: titleOf(card), pageTitle: pages[page] ?? titleOf(page) };
  });
}
