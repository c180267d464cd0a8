import { describe, expect, test } from "vitest";
import type { ReshapeSetting } from "../dialect";
import { createReshape } from "./reshape";

type Json = ReturnType<typeof JSON.parse>;

const off: ReshapeSetting = { forceFormat: false, thinkingToContent: false };

function reshape(setting: Partial<ReshapeSetting>) {
  const made = createReshape({ ...off, ...setting });
  if (!made) throw new Error("nothing to reshape");
  const frame = (json: unknown): Json => {
    const text = made.lines(`data: ${JSON.stringify(json)}\n\n`);
    expect(text).toMatch(/^data: .*\n\n$/);
    return JSON.parse(text.slice(6));
  };
  return {
    lines: made.lines,
    frame,
    json: (json: Json): Json => made.whole(json),
  };
}

const delta = (values: object, rest: object = {}) => ({
  choices: [{ index: 0, delta: values, finish_reason: null, ...rest }],
});
const textOf = (json: Json): unknown => json.choices[0].delta.content;

test("without a setting nothing is touched", () => {
  expect(createReshape(off)).toBeNull();
});

describe("thinking_to_content", () => {
  test("a whole answer's thoughts stand before its text, between tags", () => {
    const { json } = reshape({ thinkingToContent: true });
    const message = { role: "assistant", reasoning_content: "hm", content: "yes" };
    expect(json({ choices: [{ index: 0, message }] }).choices[0].message).toEqual({
      role: "assistant",
      content: "<think>\nhm\n</think>\nyes",
    });
    expect(json({ choices: [{ message: { content: "plain" } }] }).choices[0].message).toEqual({ content: "plain" });
    expect(json({ choices: [{ message: { reasoning: "r", content: null } }] }).choices[0].message.content).toBe(
      "<think>\nr\n</think>\n",
    );
  });

  test("a stream's tag is opened by the first thought and closed before the first word", () => {
    const { frame } = reshape({ thinkingToContent: true });
    expect(frame(delta({ role: "assistant", content: "" })).choices[0].delta).toEqual({
      role: "assistant",
      content: "",
    });
    expect(textOf(frame(delta({ reasoning_content: "a" })))).toBe("<think>\na");
    expect(textOf(frame(delta({ reasoning_content: "b", content: null })))).toBe("b");
    expect(textOf(frame(delta({ content: "x" })))).toBe("\n</think>\nx");
    expect(textOf(frame(delta({ content: "y" })))).toBe("y");
  });

  test("a stream that ends in thoughts or goes on with a call closes its tag", () => {
    const ends = reshape({ thinkingToContent: true });
    ends.frame(delta({ reasoning: "a" }));
    expect(textOf(ends.frame(delta({}, { finish_reason: "stop" })))).toBe("\n</think>\n");
    const calls = reshape({ thinkingToContent: true });
    calls.frame(delta({ reasoning: "a" }));
    expect(textOf(calls.frame(delta({ tool_calls: [{ index: 0 }] })))).toBe("\n</think>\n");
  });

  test("each choice thinks for itself", () => {
    const { frame } = reshape({ thinkingToContent: true });
    frame(delta({ reasoning: "a" }));
    expect(textOf(frame({ choices: [{ index: 1, delta: { content: "other" } }] }))).toBe("other");
    expect(textOf(frame(delta({ content: "x" })))).toBe("\n</think>\nx");
  });
});

describe("force_format", () => {
  test("frames have what OpenAI's have, and nothing else", () => {
    const { frame } = reshape({ forceFormat: true });
    const odd = { id: "1", model: "m", vendor: 1, choices: [{ delta: { content: "x", odd: 1 }, extra: 2 }] };
    expect(frame(odd)).toEqual({
      id: "1",
      object: "chat.completion.chunk",
      created: 0,
      model: "m",
      choices: [{ index: 0, delta: { content: "x" }, logprobs: null, finish_reason: null }],
    });
    expect(frame({ choices: [], usage: { prompt_tokens: 1 } })).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 1 },
    });
  });

  test("a whole answer too", () => {
    const { json } = reshape({ forceFormat: true });
    const choice = { index: 0, message: { role: "assistant", content: "x", odd: 1 }, finish_reason: "stop" };
    expect(json({ id: "1", created: 5, model: "m", choices: [choice], usage: { total_tokens: 3 }, odd: 1 })).toEqual({
      id: "1",
      object: "chat.completion",
      created: 5,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: "x" }, logprobs: null, finish_reason: "stop" }],
      usage: { total_tokens: 3 },
    });
  });

  test("comments, event names and what is no JSON pass through", () => {
    const { lines } = reshape({ forceFormat: true });
    const text = ": ping\n\nevent: x\ndata: nothing\n\ndata: [1]\n\ndata: {oops\n\n";
    expect(lines(text)).toBe(text);
  });
});
