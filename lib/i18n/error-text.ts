import { getTranslations } from "next-intl/server";

type Params = Readonly<Record<string, string | number>>;
type Texts = { (key: string, params: Params): string; has: (key: string) => boolean };

/**
 * Texts under "errors" in the reader's language; null for a key that is not there. Keys and their parameters come from
 * AppError at run time, where no type knows them; the test of the messages proves that each exists.
 */
export async function errorTexts(): Promise<(key: string, params?: Params) => string | null> {
  const texts = (await getTranslations("errors")) as unknown as Texts;
  return (key, params = {}) => (texts.has(key) ? texts(key, params) : null);
}
