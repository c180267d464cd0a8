import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "@/lib/testing/property-runs";
import { createWordFinder, createWordReplacer } from "./word-finder";

/** Words of no text here: few words are looked for in another way than many. */
const others = Array.from({ length: 20 }, (_, at) => `other-${at}`);

function find(words: string[], text: string): boolean | undefined {
  const isFound = createWordFinder(words)?.(text);
  expect(createWordFinder([...others, ...words])?.(text)).toBe(isFound);
  return isFound;
}

test("finds what a plain search finds, whatever words overlap, begin or end alike", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "b", "中", "😀"), minLength: 1, maxLength: 5 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "中", "😀"), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), text, (words, inText) => {
      expect(find(words, inText)).toBe(words.some((word) => inText.includes(word)));
    }),
    propertyRuns(2_000),
  );
});

test.each([
  ["Case", "in lower case", true],
  ["case", "In UPPER CASE", true],
  ["ΟΔΟΣ", "η οδος", true],
  ["σας", "ΣΑΣ", true],
  ["a.b", "axb", false],
  ["(", "a ( b", true],
  ["屏蔽", "被屏蔽了", true],
])("the word %j in %j: %s", (word, text, isFound) => {
  expect(find([word], text)).toBe(isFound);
});

test("no words find nothing", () => {
  expect(createWordFinder([])).toBeNull();
});

test("5,000 words in 100 KB of any writing take less than a fifth of a second", () => {
  const words = Array.from({ length: 5_000 }, (_, at) => `w${at.toString(36)}${"xyz"[at % 3]}q`);
  const finder = createWordFinder(words);
  for (const text of ["的一是在不了有和人这".repeat(3_300), "wa b wc d we f ".repeat(6_600)]) {
    const before = process.cpuUsage();
    expect(finder?.(text)).toBe(false);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200);
  }
});

test("after the words were replaced none is found, and the rest of the text is there", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "B", "中", "😀"), minLength: 1, maxLength: 4 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "A", "中", "😀"), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), text, (words, inText) => {
      const replaced = createWordReplacer(words, "*")(inText);
      expect(find(words, replaced)).toBe(false);
      const kept = replaced.split("*");
      const pattern = new RegExp(`^${kept.map((part) => part.replaceAll("|", "")).join("[^]+")}$`, "u");
      expect(inText).toMatch(pattern);
      if (!find(words, inText)) expect(replaced).toBe(inText);
    }),
    propertyRuns(300),
  );
});

test.each([
  [["cat"], "A CAT, a Cat", "A *, a *"],
  [["cat", "at a"], "a cat a", "a *"],
  [["he", "she", "hers"], "ushers", "u*"],
  [["ab"], "abab", "*"],
  [["i"], "İ i", "İ i"],
])("%o in %s: %s", (words, text, replaced) => {
  expect(createWordReplacer(words, "*")(text)).toBe(replaced);
});
