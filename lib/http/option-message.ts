import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { errorMessage } from "./message";

const labels: Record<Locale, Record<string, { label: string }>> = { zh: zh.option, en: en.option };

/** The message of an error about an option, with the option's label instead of its key. */
export function optionMessage(error: AppError, locale: Locale): string {
  const params = Object.entries(error.params).map(([name, value]) => [name, labelOf(String(value), locale)] as const);
  return errorMessage(new AppError(error.code, error.messageKey, Object.fromEntries(params)), locale);
}

/** The label of an option; other texts are returned unchanged. */
function labelOf(key: string, locale: Locale): string {
  const name = key.replaceAll(".", "_");
  return Object.hasOwn(labels[locale], name) ? (labels[locale][name]?.label ?? key) : key;
}
