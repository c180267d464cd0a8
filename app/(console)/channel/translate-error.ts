import { getTranslations } from "next-intl/server";

type Say = (key: string, params: Record<string, string | number>) => string;

/** Puts the message key of a failure that was collected rather than thrown into the reader's language. */
export async function translateError(): Promise<Say> {
  const t = await getTranslations("errors");
  // Keys and parameters come from AppError at run time; a test proves that each key exists.
  const say: Say = t as never;
  return (key, params) => (t.has(key as Parameters<typeof t.has>[0]) ? say(key, params) : t("internal"));
}
