import fc from "fast-check";
import { expect, test } from "vitest";
import { countTokens, sampleTexts } from "./count-tokens";

const MODEL = "gpt-4o";

test("short texts are counted as models count them, special words as plain text", async () => {
  expect(await countTokens(["hello world"], MODEL)).toBe(2);
  expect(await countTokens([], MODEL)).toBe(0);
  expect(await countTokens([""], MODEL)).toBe(0);
  expect(await countTokens(["<|endoftext|>"], MODEL)).toBeGreaterThan(1);
  expect(await countTokens(["\ud800", "a\udc00b"], MODEL)).toBeGreaterThan(1);
});

test("older models are counted with their own encoding", async () => {
  const text = "河水均匀地流过堰坝，谁知道呢？";
  expect(await countTokens([text], "gpt-4")).toBeGreaterThan(await countTokens([text], MODEL));
});

test("a text of up to 65,536 characters is counted wholly, and its pieces do not cut words", async () => {
  const sentence = "The river runs through the weir, evenly. ";
  const one = await countTokens([sentence], MODEL);
  // The last space of a sentence belongs to the next one's first word.
  expect(await countTokens([sentence.repeat(1_500)], MODEL)).toBe((one - 1) * 1_500 + 1);
});

test("a long text is counted by parts of it from everywhere", async () => {
  const sentence = "The river runs through the weir, evenly. ";
  const hundred = await countTokens([sentence.repeat(100)], MODEL);
  const many = await countTokens([sentence.repeat(10_000)], MODEL);
  expect(many / hundred).toBeGreaterThan(97);
  expect(many / hundred).toBeLessThan(107);
  const dear = await countTokens([sentence.repeat(2_000) + "\u1000".repeat(100_000)], MODEL);
  expect(dear).toBeGreaterThan(80_000);
});

test.each([
  ["a run of 5 M equal letters", () => ["a".repeat(5_000_000)]],
  ["a text of 100 MB", () => [`${"0123456789".repeat(10_000_000)}`]],
  ["200,000 texts of a character each", () => new Array<string>(200_000).fill("x")],
])("the event loop goes on while %s is counted", async (_, make) => {
  const texts = make();
  // One that was joined is flattened at its first use, which its reading from a body has done already.
  for (const text of texts) text.charCodeAt(text.length - 1);
  await countTokens(["warm"], MODEL);
  let longest = 0;
  let at = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - at);
    at = performance.now();
  }, 1);
  expect(await countTokens(texts, MODEL)).toBeGreaterThan(1_000);
  clearInterval(timer);
  expect(longest).toBeLessThan(150);
});

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
