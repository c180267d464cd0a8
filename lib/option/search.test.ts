import { describe, expect, test } from "vitest";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { SETTING_CARDS } from "./cards";
import { definitionOf, isOptionKey, optionKeys } from "./registry";
import { type SearchEntry, searchOptions } from "./search";
import { CARD_SYNONYMS, OPTION_SYNONYMS } from "./synonyms";

type Texts = Record<string, { label?: string; hint?: string } | undefined>;

function entriesIn(messages: typeof en): SearchEntry[] {
  const texts = messages.option as Texts;
  return optionKeys().flatMap((key) => {
    const { card } = definitionOf(key);
    if (!card) return [];
    const own = texts[key.replaceAll(".", "_")];
    const cardTitle = messages.setting.card[card].title;
    return { key, card, label: own?.label ?? key, hint: own?.hint ?? "", cardTitle, pageTitle: cardTitle };
  });
}

const first = (messages: typeof en, query: string) => searchOptions(entriesIn(messages), query)[0]?.key;

describe("the search of settings", () => {
  test.each([
    ["turn off registration", "RegisterEnabled"],
    ["disable sign-up", "RegisterEnabled"],
    ["smtp", "SMTPServer"],
    ["smtp port", "SMTPPort"],
    ["SMTPPort", "SMTPPort"],
    ["mail password", "SMTPToken"],
    ["rate limit", "ModelRequestRateLimitEnabled"],
    ["throttling", "ModelRequestRateLimitEnabled"],
    ["captcha", "TurnstileCheckEnabled"],
    ["site name", "SystemName"],
    ["free credit", "QuotaForNewUser"],
    ["currency symbol", "CurrencySymbol"],
  ])("in English %s leads to %s", (query, key) => {
    expect(first(en, query)).toBe(key);
  });

  test.each([
    ["关闭注册", "RegisterEnabled"],
    ["怎么关闭注册", "RegisterEnabled"],
    ["限流", "ModelRequestRateLimitEnabled"],
    ["smtp", "SMTPServer"],
    ["发件人", "SMTPFrom"],
    ["站点名称", "SystemName"],
    ["turn off registration", "RegisterEnabled"],
  ])("in Chinese %s leads to %s", (query, key) => {
    expect(first(zh, query)).toBe(key);
  });

  test("what is typed further narrows what was found, and what nothing has finds nothing", () => {
    const found = (query: string) => searchOptions(entriesIn(en), query).map(({ key }) => key);
    expect(found("smtp").length).toBeGreaterThan(found("smtp port").length);
    expect(found("smtp")).toEqual(expect.arrayContaining(found("smtp port")));
    expect(found("smtp giraffe")).toEqual([]);
    expect(found("  ")).toEqual([]);
  });

  test("a word for an option is a word for one that exists", () => {
    expect(Object.keys(OPTION_SYNONYMS).filter((key) => !isOptionKey(key))).toEqual([]);
    const cards = new Set<string>(Object.values(SETTING_CARDS).flat());
    expect(Object.keys(CARD_SYNONYMS).filter((card) => !cards.has(card))).toEqual([]);
  });
});
