import { expect, test } from "vitest";
import { countTokens } from "./count-tokens";

test("short texts are counted as models count them, special words as plain text", async () => {
  expect(await countTokens(["hello world"])).toBe(2);
  expect(await countTokens([])).toBe(0);
  expect(await countTokens([""])).toBe(0);
  expect(await countTokens(["<|endoftext|>"])).toBeGreaterThan(1);
});

test("a long text is scaled from its beginning, and the event loop goes on meanwhile", async () => {
  const sentence = "The river runs through the weir, evenly. ";
  const one = await countTokens([sentence.repeat(100)]);
  const many = await countTokens([sentence.repeat(10_000)]);
  expect(many / one).toBeGreaterThan(90);
  expect(many / one).toBeLessThan(110);
  let longest = 0;
  let at = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - at);
    at = performance.now();
  }, 1);
  // The worst case for merging: one run without a break.
  expect(await countTokens(["a".repeat(5_000_000)])).toBeGreaterThan(1_000);
  clearInterval(timer);
  expect(longest).toBeLessThan(150);
});
