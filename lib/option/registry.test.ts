import { describe, expect, test } from "vitest";
import { defaultOptions, isOptionKey, type OptionKey, optionRegistry, parseOption } from "./registry";

describe("option registry", () => {
  test("every default fits its own schema", () => {
    for (const key of Object.keys(optionRegistry) as OptionKey[]) {
      expect(() => parseOption(key, optionRegistry[key].default), key).not.toThrow();
    }
  });

  test("defaults are those of the seed: price 7.3, minimum top-up 1, SMTP port 587 (A, constants)", () => {
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
  ] as const)("a text that does not fit is refused, never read as a default: %s = %s", (key, text) => {
    expect(() => parseOption(key, text)).toThrow();
  });

  test("trailing slashes are stripped from addresses", () => {
    expect(parseOption("ServerAddress", "https://weir.example//")).toBe("https://weir.example");
  });

  test("names of Object.prototype are not option keys", () => {
    expect(isOptionKey("constructor")).toBe(false);
  });
});
