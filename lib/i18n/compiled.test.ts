import { _createCache, _createIntlFormatters } from "use-intl/core";
import formatText from "use-intl/format-message";
import formatCompiled from "use-intl/format-message/format-only";
import { expect, test } from "vitest";
import en from "../../messages/en.json";
import zh from "../../messages/zh.json";
import { type CompiledText, type CompiledTexts, compileTexts, type Texts } from "./compiled";

const isTree = (part: CompiledText | CompiledTexts): part is CompiledTexts =>
  typeof part === "object" && !Array.isArray(part);

/** Every text beside its compiled form. */
function pairs(texts: Texts, compiled: CompiledTexts, prefix = ""): [key: string, text: string, made: CompiledText][] {
  return Object.entries(texts).flatMap(([key, text]) => {
    const made = compiled[key] ?? "";
    if (typeof text === "string" && !isTree(made))
      return [[prefix + key, text, made] as [string, string, CompiledText]];
    return typeof text !== "string" && isTree(made) ? pairs(text, made, `${prefix}${key}.`) : [];
  });
}

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)/g)].map(([, name]) => name ?? "");
const tagsIn = (text: string) => [...text.matchAll(/<(\w+)>/g)].map(([, name]) => name ?? "");

const options = (locale: string) => {
  const cache = _createCache();
  return { cache, formatters: _createIntlFormatters(cache), locale, timeZone: "UTC" };
};

test.each([
  ["en", en],
  ["zh", zh],
])("compiled, every text of %s reads as the parsed one does, whatever is filled in (A004)", (locale, texts) => {
  const all = pairs(texts, compileTexts(texts));
  expect(all.length).toBeGreaterThan(3_000);
  const wrong = all.filter(([key, text, made]) =>
    [0, 1, 2, 1_234.5].some((number) => {
      const values = {
        ...Object.fromEntries(namesIn(text).map((name) => [name, number])),
        ...Object.fromEntries(tagsIn(text).map((name) => [name, (inner: unknown) => `[${name}:${inner}]`])),
      };
      const filled = Object.keys(values).length > 0 ? values : undefined;
      const read = [formatText(key, text, filled, options(locale)), formatCompiled(key, made, filled, options(locale))];
      return read[0] !== read[1];
    }),
  );
  expect(wrong).toEqual([]);
});

test("texts are compiled once, and can be sent to browsers", () => {
  const texts = { rows: "{count, plural, one {# row} other {# rows}}", part: { title: "Rows" } };
  const compiled = compileTexts(texts);
  expect(compileTexts(texts)).toBe(compiled);
  // React refuses objects without a prototype; a compiled text has its plural forms in one.
  const isPlain = (part: unknown): boolean =>
    typeof part !== "object" ||
    part === null ||
    ([Object.prototype, Array.prototype].includes(Object.getPrototypeOf(part)) && Object.values(part).every(isPlain));
  expect(isPlain(compiled)).toBe(true);
});
