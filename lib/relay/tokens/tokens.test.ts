import { expect, test } from "vitest";
import { countTokens } from "./count-tokens";
import { answerTexts, promptTexts, streamTexts } from "./texts";

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
  // The worst case of the merge: one run without an end.
  expect(await countTokens(["a".repeat(5_000_000)])).toBeGreaterThan(1_000);
  clearInterval(timer);
  expect(longest).toBeLessThan(150);
});

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
  expect(promptTexts({ tools }, messages)).toEqual({
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
  expect(answerTexts(Buffer.from(JSON.stringify({ choices: [{ message }] }))).texts).toEqual(["x", "r", "f", "a"]);
  expect(answerTexts(Buffer.from("oops")).texts).toEqual([]);
});

test("a stream counts its deltas together, and leaves a cut line out", () => {
  const frame = (delta: object) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
  const call = { tool_calls: [{ id: "1", function: { name: "f", arguments: "" } }] };
  const text = `${frame({ content: "he" })}: ping\n\n${frame({ content: "llo" })}${frame(call)}data: {"choices":[{"del`;
  expect(streamTexts(Buffer.from(text))).toEqual({ texts: ["hellof"], extra: 7 });
});
