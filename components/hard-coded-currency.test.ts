import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The default of the option, and patterns with a dollar sign. */
const OTHERS = ["lib/money/display.ts", "lib/crypto.ts", "lib/logger.ts"];
/** A symbol of money: none of these is anything else in the console. */
const SIGN = /[￥¥€£]/u;
/** A dollar sign as text of its own, or in front of a placeholder, and not that of a variable or a pattern. */
const DOLLAR = /[>"'`(/ ]\$["'`</ )]|`\$\$\{/;
const IN_WORDS = /[￥¥€£$]|\bUSD\b|\b[Dd]ollars?\b|美元|人民币/u;

test("no source has a symbol of money of its own: every amount carries the one of the site (T3)", () => {
  const files = ["app", "components", "lib"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
      .map((file) => `${folder}/${file}`)
      .filter((file) => !OTHERS.includes(file) && !/^lib\/(relay|testing|billing)\//.test(file)),
  );
  expect(files.length).toBeGreaterThan(800);
  expect(files.flatMap((file) => findIn(file, readFileSync(file, "utf8")))).toEqual([]);
});

test("no message names a currency: what it needs is given to it (T3)", () => {
  for (const locale of ["en", "zh"])
    expect(namedIn(JSON.parse(readFileSync(`messages/${locale}.json`, "utf8")), locale)).toEqual([]);
});

test("the search finds symbols in text, in properties and in templates, and leaves patterns and variables alone", () => {
  for (const line of ['<td prefix="$" />', "<b>$</b>", "`$${amount}`", 'const a = "￥1";', "t('€')"])
    expect(findIn("a.tsx", line), line).toHaveLength(1);
  for (const line of ["/^a$/", '"Bearer $${KEY}"', 'replace(A, "$1$2")', "jsonb_path '$.a'"])
    expect(findIn("a.tsx", line), line).toEqual([]);
});

function findIn(file: string, source: string): string[] {
  return source
    .split("\n")
    .flatMap((line, at) => (SIGN.test(line) || DOLLAR.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []));
}

/** The lists of prices on the internet are in US dollars, whatever the site's currency is. */
const LIST_CURRENCY = /^(en|zh)\.priceSync\.(rate|rateHint|converted)$/;

function namedIn(value: unknown, path: string): string[] {
  if (LIST_CURRENCY.test(path)) return [];
  if (typeof value === "string") return IN_WORDS.test(value) ? [`${path}: ${value}`] : [];
  return Object.entries(value ?? {}).flatMap(([key, inner]) => namedIn(inner, `${path}.${key}`));
}
