import { expect, test } from "vitest";
import { limitsOf, mayThink } from "./model-limits";

const options = { ModelMaxOutput: {}, DefaultMaxOutput: 5_000 };

test.each<[string, number, ReturnType<typeof limitsOf>["thinks"]]>([
  ["gpt-4o", 16_384, "never"],
  ["gpt-4o-2024-05-13", 4_096, "never"],
  ["openai/gpt-4.1-mini", 32_768, "never"],
  ["gpt-4", 8_192, "never"],
  ["gpt-4-turbo-2024-04-09", 4_096, "never"],
  ["gpt-5-mini", 128_000, "always"],
  ["gpt-5-chat-latest", 16_384, "never"],
  ["o3-mini", 100_000, "always"],
  ["claude-3-5-sonnet-20241022", 8_192, "never"],
  ["claude-opus-4-20250514", 32_000, "asked"],
  ["claude-opus-4-1-20250805", 32_000, "asked"],
  ["claude-opus-4-5", 64_000, "asked"],
  ["claude-sonnet-4-5-20250929", 64_000, "asked"],
  ["claude-opus-4-6", 128_000, "asked"],
  ["Gemini-2.5-Pro", 65_536, "always"],
])("%s writes at most %d tokens", (model, output, thinks) => {
  expect(limitsOf(model, options)).toEqual({ output, thinks, isKnown: true });
});

test("of an unknown model the option's default is assumed, and that it may think", () => {
  expect(limitsOf("my-model", options)).toEqual({ output: 5_000, thinks: "always", isKnown: false });
  expect([mayThink("my-model"), mayThink("gpt-4o"), mayThink("claude-sonnet-4-5")]).toEqual([true, false, true]);
});

test("the operator's own figure comes first", () => {
  const own = { ...options, ModelMaxOutput: { "gpt-4o": 700, "my-model": 9 } };
  expect(limitsOf("gpt-4o", own).output).toBe(700);
  expect(limitsOf("my-model", own)).toMatchObject({ output: 9, isKnown: true });
});
