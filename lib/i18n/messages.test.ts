import { expect, test } from "vitest";
import en from "../../messages/en.json";
import zh from "../../messages/zh.json";
import { chooseLocale } from "./locale";

type Tree = { [key: string]: string | Tree };

const keysOf = (tree: Tree, prefix = ""): string[] =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === "string" ? [prefix + key] : keysOf(value, `${prefix}${key}.`),
  );

const textsOf = (tree: Tree): string[] =>
  Object.values(tree).flatMap((value) => (typeof value === "string" ? [value] : textsOf(value)));

test("both languages have exactly the same keys", () => {
  expect(keysOf(en).sort()).toEqual(keysOf(zh).sort());
});

test("the English texts contain no Chinese", () => {
  expect(textsOf(en).filter((text) => /\p{Script=Han}/u.test(text))).toEqual([]);
});

test("no text is empty in either language, so that nothing loses its name in one of them", () => {
  expect([...textsOf(en), ...textsOf(zh)].filter((text) => text.trim() === "")).toEqual([]);
});

test("the language is the reader's choice, else the browser's English, else Chinese", () => {
  expect(chooseLocale("zh", "en-US")).toBe("zh");
  expect(chooseLocale(undefined, "en-GB,en;q=0.9")).toBe("en");
  expect(chooseLocale("fr", "fr-FR,en;q=0.5")).toBe("zh");
  expect(chooseLocale(undefined, null)).toBe("zh");
});
