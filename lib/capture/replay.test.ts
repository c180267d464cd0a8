import { expect, test } from "vitest";
import { toReplay } from "./replay";
import type { CapturedBody } from "./types";

const request = (json: unknown): { request: CapturedBody } => ({
  request: { json, text: "", parts: [], isCut: false, isBinary: false },
});

const before = [
  { role: "user", text: "Hi" },
  { role: "assistant", text: "Hello" },
];

test.each([
  {
    model: "m",
    messages: [
      { role: "system", content: "Be brief" },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
      { role: "tool", content: "1" },
      { role: "user", content: [{ type: "text", text: "And" }, { type: "image_url" }, { type: "text", text: "now?" }] },
    ],
    max_completion_tokens: 5,
    temperature: 0.5,
    stop: ["A", "B"],
  },
  {
    model: "m",
    system: [{ type: "text", text: "Be brief" }],
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      { role: "user", content: [{ type: "text", text: "And\nnow?" }] },
    ],
    max_tokens: 5,
    temperature: 0.5,
    stop_sequences: ["A", "B"],
  },
  {
    systemInstruction: { parts: [{ text: "Be brief" }] },
    contents: [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "model", parts: [{ text: "Hello" }] },
      { role: "user", parts: [{ text: "And" }, { inlineData: {} }, { text: "now?" }] },
    ],
    generationConfig: { maxOutputTokens: 5, temperature: 0.5, stopSequences: ["A", "B"] },
  },
])("the playground is filled with a conversation of each format", (body) => {
  expect(toReplay(request(body), "m")).toMatchObject({
    model: "m",
    messages: before,
    draft: "And\nnow?",
    settings: { system: "Be brief", maxTokens: 5, temperature: 0.5, stop: "A\nB", topP: null },
  });
});

test("what is no conversation, or was not kept whole, cannot be opened there", () => {
  for (const json of [null, [], "x", { input: [1] }, { model: "m" }, { messages: "x" }, { messages: [null] }]) {
    expect(toReplay(request(json), "m")).toBe(null);
  }
  expect(toReplay(request({ input: "Hi" }), "m")).toMatchObject({ draft: "Hi", messages: [] });
});
