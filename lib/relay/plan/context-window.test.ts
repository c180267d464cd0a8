import { expect, test } from "vitest";
import { contextWindow } from "./context-window";

test.each([
  ["gpt-4", 8_192],
  ["gpt-4-0613", 8_192],
  ["openai/gpt-4o-mini", 128_000],
  ["gpt-4.1-nano", 1_047_576],
  ["gpt-5-mini", 400_000],
  ["claude-3-5-sonnet-latest", 200_000],
  ["somebody-elses-model", null],
  ["gpt-4-of-tomorrow", null],
])("%s: %s", (model, tokens) => {
  expect(contextWindow(model)).toBe(tokens);
});
