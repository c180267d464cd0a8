import { getTranslations } from "next-intl/server";

type Params = Readonly<Record<string, string | number>>;
type Texts = { (key: string, params: Params): string; has: (key: string) => boolean };

/**
 * Returns a function that translates keys under "errors"; null for an unknown key. Keys and parameters come from
 * AppError at run time and cannot be typed; the messages test checks that every key exists.
 */
export async function errorTexts(): Promise<(key: string, params?: Params) => string | null> {
  const texts = (await getTranslations("errors")) as unknown as Texts;
  return (key, params = {}) => (texts.has(key) ? texts(key, params) : null);
}
