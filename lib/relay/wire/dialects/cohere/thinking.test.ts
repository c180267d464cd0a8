import { expect, test } from "vitest";
import { cohere } from ".";

const { capEdits } = cohere.upstream;

test("a lower limit leaves the answer a token beside the thoughts", () => {
  const thinking = { type: "enabled", token_budget: 8_000 };
  expect(capEdits({ max_tokens: 10_000, thinking }, 16, {})).toEqual({
    max_tokens: 16,
    thinking: { type: "enabled", token_budget: 15 },
  });
  expect(capEdits({ thinking }, 9_000, {})).toEqual({ max_tokens: 9_000 });
  expect(capEdits({ thinking: { type: "disabled" } }, 16, {})).toEqual({ max_tokens: 16 });
});
