import compile from "icu-minify/compile";

/** A compiled text: a string, or what next-intl's formatter fills in. */
export type CompiledText = ReturnType<typeof compile>;
export type Texts = { readonly [key: string]: string | Texts };
export type CompiledTexts = { readonly [key: string]: CompiledText | CompiledTexts };

const known = new WeakMap<Texts, CompiledTexts>();

/** Texts as browsers get them: parsed here, once, so that no page carries the parser. */
export function compileTexts(texts: Texts): CompiledTexts {
  const before = known.get(texts);
  if (before) return before;
  // The compiler's objects have no prototype, and React sends such objects to no browser.
  const compiled: CompiledTexts = JSON.parse(JSON.stringify(compileTree(texts)));
  known.set(texts, compiled);
  return compiled;
}

const compileTree = (texts: Texts): CompiledTexts =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, typeof text === "string" ? compile(text) : compileTree(text)]),
  );
