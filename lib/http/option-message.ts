import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { errorMessage } from "./message";

const labels: Record<Locale, Record<string, { label: string }>> = { zh: zh.option, en: en.option };

/** What an error says about an option, with the option's label in place of its key. */
export function optionMessage(error: AppError, locale: Locale): string {
  const params = Object.entries(error.params).map(([name, value]) => [name, labelOf(String(value), locale)] as const);
  return errorMessage(new AppError(error.code, error.messageKey, Object.fromEntries(params)), locale);
}

/** The option's name in a language; a text that is no option with a name stays as it is. */
function labelOf(key: string, locale: Locale): string {
  const name = key.replaceAll(".", "_");
  return Object.hasOwn(labels[locale], name) ? (labels[locale][name]?.label ?? key) : key;
}
