import { describe, expect, test } from "vitest";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { OPTION_TABS, SETTING_CARDS, tabOf } from "./cards";
import { checkOptionText } from "./check";
import { hintsOf } from "./definition";
import {
  defaultOptions,
  definitionOf,
  isOptionKey,
  type OptionKey,
  optionKeys,
  optionRegistry,
  parseOption,
} from "./registry";

const fits = (key: OptionKey, text: string) => optionRegistry[key].schema.safeParse(text).success;

describe("option registry", () => {
  test("every default fits its own schema", () => {
    for (const key of Object.keys(optionRegistry) as OptionKey[]) {
      expect(() => parseOption(key, optionRegistry[key].default), key).not.toThrow();
    }
  });

  test("the same text is parsed once, and no reader can change what others read", () => {
    const text = '{"default": 1, "vip": 0.5}';
    const value = parseOption("GroupRatio", text);
    expect(parseOption("GroupRatio", text)).toBe(value);
    expect(parseOption("GroupRatio", '{"default": 2}')).toEqual({ default: 2 });
    expect(parseOption("GroupRatio", text)).toEqual({ default: 1, vip: 0.5 });
    expect(() => parseOption("GroupRatio", "{")).toThrow();
    expect(() => Object.assign(value, { vip: 9 })).toThrow(TypeError);
    expect(() => Object.assign(defaultOptions().GroupRatio, { vip: 9 })).toThrow(TypeError);
    const own = defaultOptions();
    own.Price = 99;
    expect(defaultOptions().Price).toBe(7.3);
  });

  test("defaults are as required: price 7.3, minimum top-up 1, SMTP port 587 (A221, A232)", () => {
    const values = defaultOptions();
    expect([values.Price, values.MinTopUp, values.SMTPPort, values.QuotaPerUnit]).toEqual([7.3, 1, 587, 500_000]);
  });

  test.each([
    ["GroupRatio", "{"],
    ["GroupRatio", '{"default":-1}'],
    ["ModelRatio", '{"gpt-4o":"2.5"}'],
    ["Price", ""],
    ["Price", "seven"],
    ["RetryTimes", "1.5"],
    ["DataExportInterval", "0"],
    ["PasswordLoginEnabled", "yes"],
    ["ServerAddress", "javascript:alert(1)"],
    ["Chats", '{"a":"b"}'],
    ["AllowedRequestOptions", "tools\neverything"],
    ["Logo", "javascript:alert(1)"],
    ["Logo", "//elsewhere.example/logo.png"],
    ["Logo", "data:text/html;base64,PGI+"],
  ] as const)("a text that does not fit is refused, never read as a default: %s = %s", (key, text) => {
    expect(() => parseOption(key, text)).toThrow();
  });

  test("trailing slashes are stripped from addresses", () => {
    expect(parseOption("ServerAddress", "https://weir.example//")).toBe("https://weir.example");
  });

  test.each(["", "https://weir.example/logo.png", "/logo.svg", "data:image/png;base64,iVBORw0KGgo="])(
    "the logo may be at %j",
    (text) => expect(fits("Logo", text)).toBe(true),
  );

  test("names of Object.prototype are not option keys", () => {
    expect(isOptionKey("constructor")).toBe(false);
  });

  test("names of preconditions are options", () => {
    const named = optionKeys().flatMap((key) => [definitionOf(key).needs, definitionOf(key).requires]);
    expect(named.filter((key) => key !== undefined && !isOptionKey(key))).toEqual([]);
  });
});

describe("what a change does to running requests", () => {
  test("an option that gateways reload applies to their requests, and every effect has its text in both languages", () => {
    const wrong = optionKeys().filter((key) => definitionOf(key).effect && definitionOf(key).running === "none");
    expect(wrong).toEqual([]);
    for (const key of optionKeys()) {
      const { running } = definitionOf(key);
      expect([en.setting.running[running], zh.setting.running[running]].every(Boolean), key).toBe(true);
    }
  });
});

describe("what the console needs", () => {
  const shown = optionKeys().filter((key) => definitionOf(key).card !== undefined);

  test("every option with a card has its label in both languages", () => {
    const texts = { zh: zh.option, en: en.option } as Record<string, Record<string, { label?: string }>>;
    const missing = shown.flatMap((key) =>
      ["zh", "en"]
        .filter((locale) => !texts[locale]?.[key.replaceAll(".", "_")]?.label)
        .map((locale) => `${locale} ${key}`),
    );
    expect(missing).toEqual([]);
  });

  test("every card has its title in both languages, an option at least, and one tab", () => {
    const cards = OPTION_TABS.flatMap((tab) => [...SETTING_CARDS[tab]]);
    expect(new Set(cards).size).toBe(cards.length);
    for (const card of cards) {
      expect([zh.setting.card[card].title, en.setting.card[card].title].every(Boolean), card).toBe(true);
      expect(
        shown.some((key) => definitionOf(key).card === card),
        card,
      ).toBe(true);
      expect(SETTING_CARDS[tabOf(card)]).toContain(card);
    }
  });

  test("the cards and options of each tab are as required", () => {
    const optionsOf = (card: string) => shown.filter((key) => definitionOf(key).card === card).sort();
    expect(optionsOf("drawing")).toEqual([
      "DrawingEnabled",
      "MjAccountFilterEnabled",
      "MjActionCheckSuccessEnabled",
      "MjForwardUrlEnabled",
      "MjModeClearEnabled",
      "MjNotifyEnabled",
    ]);
    expect(optionsOf("dashboard")).toEqual(["DataExportDefaultTime", "DataExportEnabled", "DataExportInterval"]);
    expect(optionsOf("quota")).toEqual(["PreConsumedQuota", "QuotaForInvitee", "QuotaForInviter", "QuotaForNewUser"]);
  });

  test("the browser's check agrees with the schema, text by text", () => {
    const texts = [
      "",
      "0",
      "-1",
      "1",
      "1.5",
      "21",
      "99999999999999999999",
      "abc",
      "true",
      "{",
      "{}",
      "[]",
      "null",
    ].concat([
      '{"a":1}',
      '{"a":-1}',
      '{"a":"b"}',
      '[{"a":"b"}]',
      '[{"a":1}]',
      "hour",
      "year",
      "https://x.example",
      "javascript:1",
    ]);
    const judged = shown.filter((key) => !["switch", "text", "domains"].includes(hintsOf(definitionOf(key)).control));
    expect(judged.length).toBeGreaterThan(30);
    const differs = judged.flatMap((key) => {
      const option = { choices: [], ...hintsOf(definitionOf(key)) };
      return texts
        .filter((text) => (checkOptionText(option, text) === null) !== fits(key, text))
        .map((text) => `${key}: ${text}`);
    });
    expect(differs).toEqual([]);
  });
});
