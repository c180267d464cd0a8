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
  expect(chooseLocale("fr", "fr-FR,en;q=0.5")).toBe("en");
  expect(chooseLocale(undefined, null)).toBe("zh");
});

/** The first two are required wording; the third is for readers who are in the wrong language. */
const ENGLISH_ON_PURPOSE = new Set(["Unable to connect to server", "Failed to load status", "Switch to English"]);
/** Texts that are the same in Chinese: names, codes, units and examples. */
const isName = (text: string) => !/\p{Ll}{2,} \p{Ll}{2,}/u.test(text.replaceAll(/\{[^}]*\}|<[^>]*>/g, ""));

test("the Chinese texts are Chinese: no sentence of two English words in a row (A004)", () => {
  const wrong = textsOf(zh).filter((text) => !/\p{Script=Han}/u.test(text) && !isName(text));
  expect(wrong.filter((text) => !ENGLISH_ON_PURPOSE.has(text))).toEqual([]);
});

test("the labels of personal settings and redemption codes are in both languages (B152)", () => {
  const labels = ({ notify, personal, redemption }: typeof en) => [
    notify.limit,
    personal.inviteCode,
    personal.pending,
    personal.invited,
    redemption.redeemed,
  ];
  expect(labels(zh)).toEqual(["单独并发限制", "邀请码：{code}", "待使用收益", "邀请人数", "兑换时间"]);
  expect(labels(en)).toEqual([
    "Personal concurrency limit",
    "Invite code: {code}",
    "Pending earnings",
    "Invited users",
    "Redeemed at",
  ]);
});
