import { getTranslations } from "next-intl/server";
import { errorTexts } from "@/lib/i18n/error-text";

type Say = (key: string, params: Record<string, string | number>) => string;

/** Puts the message key of a failure that was collected rather than thrown into the reader's language. */
export async function translateError(): Promise<Say> {
  const [text, t] = await Promise.all([errorTexts(), getTranslations("errors")]);
  return (key, params) => text(key, params) ?? t("internal");
}
