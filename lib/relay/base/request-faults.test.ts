import { expect, test } from "vitest";
import { requestFault } from "./request-faults";

const fault = (status: number, message: string, code: string | null = null) =>
  requestFault(status, { message, code, type: "invalid_request_error", param: null });

test.each([
  ["OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."],
  ["Anthropic", "prompt is too long: 210000 tokens > 200000 maximum"],
  ["Anthropic, with max_tokens", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"],
  ["Gemini", "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)."],
  ["Mistral", "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
  ["Groq", "Please reduce the length of the messages or completion."],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
  ["Qwen", "Range of input length should be [1, 30720]"],
  ["Moonshot", "Invalid request: Your request exceeded model token limit: 8192"],
])("too long for the model, as %s says it", (_name, message) => {
  expect(fault(400, message)).toBe("context");
});

test.each([
  ["OpenAI", 400, "Your request was rejected as a result of our safety system.", null],
  ["Azure", 400, "The response was filtered", "content_filter"],
  ["Anthropic", 400, "Output blocked by content filtering policy", null],
  ["xAI", 403, "Content violates usage guidelines. Team: t, Failed check: SAFETY_CHECK_TYPE_BIO", null],
  ["Alibaba", 400, "Input data may contain inappropriate content.", "data_inspection_failed"],
  ["DeepSeek", 400, "Content Exists Risk", null],
  ["OpenRouter", 403, "Your chosen model requires moderation and your input was flagged", null],
])("content that is not allowed, as %s says it", (_name, status, message, code) => {
  expect(fault(status, message, code)).toBe("policy");
});

test.each([
  [400, "Unsupported parameter: 'max_tokens'", null],
  [500, "maximum context length", null],
  [429, "content policy", "content_filter"],
  [403, "context window", null],
])("neither: %s %s", (status, message, code) => {
  expect(fault(status, message, code)).toBeNull();
});
