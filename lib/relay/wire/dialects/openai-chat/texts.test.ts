import { expect, test } from "vitest";
import { answerTexts, frameTexts, promptTexts, promptWords } from "./texts";

test("a prompt counts its texts, all of its tools and a fixed part for each message", () => {
  const messages = [
    { role: "system", content: "a" },
    {
      role: "user",
      name: "bob",
      content: [
        { type: "text", text: "b" },
        { type: "image_url", image_url: { url: "x" } },
      ],
    },
    { role: "assistant", content: null, tool_calls: [{ function: { name: "f", arguments: "{}" } }] },
  ];
  const tools = [
    { function: { name: "f", description: "d", parameters: { type: "object" } } },
    { function: { name: "g" } },
  ];
  expect(promptTexts({ tools, messages })).toEqual({
    texts: ["system", "a", "user", "bob", "b", "assistant", "f", "{}", "f", "d", '{"type":"object"}', "g"],
    extra: 3 + 3 * 3 + 1 + 765 + 2 * 8,
  });
});

test("an answer counts what the model wrote, thought and called", () => {
  const message = {
    content: "x",
    reasoning_content: "r",
    tool_calls: [{ id: "1", function: { name: "f", arguments: "a" } }],
  };
  expect(answerTexts({ choices: [{ message }] })).toEqual({ texts: ["x", "r", "f", "a"], extra: 0 });
  for (const odd of [{}, { choices: {} }, { choices: [null, { message: 1 }] }]) {
    expect(answerTexts(odd).texts).toEqual([]);
  }
});

test("a frame counts its deltas, and a fixed part for each call that begins", () => {
  const frame = (delta: object) => frameTexts({ choices: [{ delta }] });
  expect(frame({ content: "he" })).toEqual({ texts: ["he"], extra: 0 });
  const call = { tool_calls: [{ id: "1", function: { name: "f", arguments: "" } }] };
  expect(frame(call)).toEqual({ texts: ["f"], extra: 7 });
});

test("the word check sees the text of every message and part, and passes over what is none", () => {
  const content = [{ type: "text", text: "b" }, null, { type: "image_url", image_url: { url: "x" } }];
  const messages = [{ role: "user", content: "a" }, null, "odd", { role: "user", content }, { content: 1 }];
  expect([...promptWords({ messages })]).toEqual(["a", "b"]);
  expect([...promptWords({})]).toEqual([]);
});
