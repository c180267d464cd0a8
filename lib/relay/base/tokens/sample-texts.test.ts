import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleTexts } from "./sample-texts";

test("texts that are short enough are taken whole", () => {
  expect(sampleTexts(["abc", "", "de"], 5, 2)).toEqual({ parts: ["abc", "", "de"], share: 1 });
});

test("parts are spread over the whole text, so that its beginning alone does not decide", () => {
  const { parts, share } = sampleTexts([`${"a".repeat(5_000)}${"b".repeat(5_000)}`], 1_000, 100);
  const all = parts.join("");
  expect(all).toHaveLength(1_000);
  expect(all.split("a")).toHaveLength(501);
  expect(share).toBe(0.1);
});

test("a sample is bounded however the texts are cut, and its share is that of its length", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 }), { maxLength: 60 }), (texts) => {
      const length = texts.join("").length;
      const { parts, share } = sampleTexts(texts, 64, 8);
      const sampled = parts.join("").length;
      expect(sampled).toBeLessThanOrEqual(64 + 8);
      expect(sampled).toBeCloseTo(share * length, 6);
      if (length > 0) expect(sampled).toBeGreaterThan(0);
    }),
  );
});
