import type { Locale } from "@/lib/i18n/locale";
import en from "@/messages/en.json" with { type: "json" };
import zh from "@/messages/zh.json" with { type: "json" };
import { type RefusalName, type RefusalTopic, refusalRowOf } from "./refusal-table";

/**
 * What fills a text of `refusal.says`. `text`: its key, where it is not the name of the refusal. A value that begins with "@" is a
 * key of `refusal.words`.
 */
export type Numbers = Readonly<Record<string, string | number>>;

type Texts = Readonly<Record<string, string>>;
type About = { title: string; cause: string; mend: string; todo?: string };
type RefusalTexts = { says: Texts; words: Texts; todo: Texts; about: Record<RefusalTopic, About> };

const TEXTS: Record<Locale, RefusalTexts> = { en: en.refusal, zh: zh.refusal };

/** The text of a refusal in a language. */
export function sayRefusal(name: RefusalName, numbers: Numbers, locale: Locale): string {
  const { says, words } = TEXTS[locale];
  const text = says[String(numbers.text ?? name)];
  if (text === undefined) throw new Error(`no text for the refusal ${name}`);
  return fill(text, numbers, words);
}

function fill(text: string, numbers: Numbers, words: Texts): string {
  return text.replace(/\{(\w+)\}/g, (whole, key: string) => {
    const value = String(numbers[key] ?? whole);
    return value.startsWith("@") ? (words[value.slice(1)] ?? value) : value;
  });
}

/** A text that stands in the code in English, for readers of another language: what it is about goes before it. */
export function sayDetail(name: RefusalName, detail: string, locale: Locale): string {
  return locale === "en" ? detail : `${aboutTopic(refusalRowOf(name).about, locale).title}：${detail}`;
}

/** What a topic of the page of errors says. */
export function aboutTopic(topic: RefusalTopic, locale: Locale): About {
  return TEXTS[locale].about[topic];
}

/** What a person can do about it, in a sentence; "" = the text itself says it. `site`: the console's address; "" = not known. */
export function sayTodo(name: RefusalName, { text }: Numbers, site: string, locale: Locale): string {
  const { todo, words } = TEXTS[locale];
  const said = todo[String(text)] ?? aboutTopic(refusalRowOf(name).about, locale).todo ?? "";
  return fill(said, { site: site || "@console" }, words);
}

const CENTS = 100;
const SMALL_DIGITS = 6;

/** Quota as dollars: cents, or six digits for less than a cent. Rounded up, so that what is needed is never understated. */
export function dollars(quota: number, perUnit: number): string {
  const amount = quota / perUnit;
  const isWhole = Math.abs(amount * CENTS - Math.round(amount * CENTS)) < 1e-9;
  const digits = isWhole ? 2 : SMALL_DIGITS;
  return `$${(Math.ceil(Math.round(amount * 1e9) / 10 ** (9 - digits)) / 10 ** digits).toFixed(digits)}`;
}

/** A moment in unix seconds, to the second. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
}
