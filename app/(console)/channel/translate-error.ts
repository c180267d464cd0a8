import { getTranslations } from "next-intl/server";

/** Puts the message key of a failure that was collected rather than thrown into the reader's language. */
export async function translateError(): Promise<(key: string) => string> {
  const t = await getTranslations("errors");
  const say: (key: string) => string = t as never;
  return (key) => (t.has(key as Parameters<typeof t.has>[0]) && key !== "upstreamStatus" ? say(key) : t("upstreamAnswerStrange"));
}
