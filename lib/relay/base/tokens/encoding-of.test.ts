import { expect, test } from "vitest";
import { encodingOf } from "./encoding-of";

test.each([
  "gpt-4",
  "gpt-4-turbo-2024-04-09",
  "gpt-4-32k",
  "openai/gpt-4",
  "gpt-3.5-turbo",
  "gpt-35-turbo",
  "ft:gpt-3.5-turbo:acme",
  "text-embedding-3-small",
])("%s is counted with the older encoding", (model) => {
  expect(encodingOf(model)).toBe("cl100k_base");
});

test.each([
  "gpt-4o",
  "gpt-4o-mini",
  "gpt-4.1",
  "gpt-4.5-preview",
  "gpt-5",
  "o3",
  "chatgpt-4o-latest",
  "claude-opus-4",
  "",
])("%s is counted with the current encoding", (model) => {
  expect(encodingOf(model)).toBe("o200k_base");
});
