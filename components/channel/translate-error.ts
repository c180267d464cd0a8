import { getTranslations } from "next-intl/server";
import { errorTexts } from "@/lib/i18n/error-text";

type Say = (key: string, params: Record<string, string | number>) => string;

/** Translates errors that were collected instead of thrown. Unknown keys become "internal". */
export async function translateError(): Promise<Say> {
  const [text, t] = await Promise.all([errorTexts(), getTranslations("errors")]);
  return (key, params) => text(key, params) ?? t("internal");
}
