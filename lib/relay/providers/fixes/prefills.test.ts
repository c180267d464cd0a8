import { expect, test } from "vitest";
import { anthropicPrefill, deepseekPrefill, mistralPrefill, moonshotPrefill, qwenPrefill } from "./prefills";

test("Claude goes on from a beginning up to 4.5, without thinking, a format or a forced call (issue 12)", () => {
  const takes = (model: string, json: object = {}) => anthropicPrefill.takes({ ...json }, model);
  const old = ["claude-2.1", "claude-3-haiku-20240307", "claude-3-5-sonnet-latest", "claude-3-7-sonnet-20250219"];
  const four = ["claude-sonnet-4-20250514", "claude-opus-4-1-20250805", "claude-haiku-4-5", "claude-opus-4-5-20251101"];
  expect([...old, ...four].filter((model) => !takes(model))).toEqual([]);
  const late = ["claude-opus-4-6", "claude-sonnet-4-6-20260101", "claude-opus-4-10", "claude-sonnet-5", "claude-next"];
  expect(late.filter((model) => takes(model))).toEqual([]);
  expect(takes("claude-3-haiku", { tools: [{}], tool_choice: { type: "auto" } })).toBe(true);
  expect(takes("claude-3-haiku", { tool_choice: { type: "any" } })).toBe(false);
  expect(takes("claude-sonnet-4-5", { thinking: { type: "enabled", budget_tokens: 2_000 } })).toBe(false);
  expect(takes("claude-sonnet-4-5", { output_config: { format: {} } })).toBe(false);
});

test("models that think, tools and formats get no beginning elsewhere (issue 12)", () => {
  const prefills = [
    { prefill: deepseekPrefill, good: ["deepseek-chat"], bad: ["deepseek-reasoner"] },
    { prefill: mistralPrefill, good: ["mistral-large-latest"], bad: ["magistral-medium-latest"] },
    { prefill: moonshotPrefill, good: ["kimi-k2-0905-preview", "moonshot-v1-8k"], bad: ["kimi-k2-thinking"] },
    { prefill: qwenPrefill, good: ["qwen-plus", "qwen3-coder-plus"], bad: ["qwq-plus", "qwen3-8b", "qwen3.5-plus"] },
  ];
  for (const { prefill, good, bad } of prefills) {
    for (const model of good) {
      expect([model, prefill.takes({ response_format: { type: "text" } }, model)]).toEqual([model, true]);
      expect(prefill.takes({ tools: [{}] }, model)).toBe(false);
      expect(prefill.takes({ response_format: { type: "json_object" } }, model)).toBe(false);
      expect(prefill.takes({ reasoning_effort: "low" }, model)).toBe(false);
    }
    expect(bad.filter((model) => prefill.takes({}, model))).toEqual([]);
  }
});
