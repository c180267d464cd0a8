export type Encoding = "o200k_base" | "cl100k_base";

/** Models before gpt-4o, also fine-tuned or with a vendor's prefix; gpt-4o, gpt-4.1 and gpt-4.5 are not among them. */
const OLDER = /^(?:.*\/)?(?:ft:)?(?:gpt-4(?![.o\d])|gpt-3\.?5|text-embedding-)/;

/** The encoding to count a model's tokens with. Other families publish none, so they are counted as current OpenAI models. */
export function encodingOf(model: string): Encoding {
  return OLDER.test(model) ? "cl100k_base" : "o200k_base";
}
