import { expect, test } from "vitest";
import { chooseLocale } from "./locale";

test.each([
  [undefined, "en", "en"],
  [undefined, "en-GB,zh;q=0.5", "en"],
  [undefined, "de-DE, en;q=0.8, zh;q=0.3", "en"],
  [undefined, "zh;q=0.2, en;q=0.9", "en"],
  [undefined, "en;q=0, zh", "zh"],
  [undefined, "zh-TW", "zh"],
  [undefined, "de", "zh"],
  [undefined, ";;q=,,=", "zh"],
  [undefined, null, "zh"],
  ["zh", "en", "zh"],
  ["xx", "en", "en"],
])("choice %j and Accept-Language %j make %s", (chosen, header, locale) => {
  expect(chooseLocale(chosen, header)).toBe(locale);
});
