import { describe, expect, test } from "vitest";
import { passThrough } from "./pass-through";
import { readUsage } from "./usage";

const frame = (json: object) => ({ event: null, data: JSON.stringify(json) });
const delta = (content: string) => frame({ choices: [{ delta: { content }, finish_reason: null }], usage: null });
const usageFrame = frame({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 5 } });
const finishFrame = frame({ choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 3 } });
const done = { event: null, data: "[DONE]" };

const reader = (withholdUsage = true) => passThrough.frameReader({ withholdUsage, readUsage });

describe("events of a stream", () => {
  test("text is not looked at", () => {
    for (const { data } of [delta("Hello"), delta('"usage":{"a":9}'), delta('"error"')]) {
      expect(passThrough.notableText.test(data), data).toBe(false);
    }
    for (const { data } of [usageFrame, finishFrame, done]) expect(passThrough.notableText.test(data)).toBe(true);
  });

  test("usage and the finish reason are read, the end is recognised", () => {
    const events = reader();
    expect([events.usage(), events.finishReason()]).toEqual([null, null]);
    expect([finishFrame, usageFrame, done].map(events.read)).toEqual(["content", "withhold", "end"]);
    expect(events.usage()).toMatchObject({ promptTokens: 3, completionTokens: 5 });
    expect(events.finishReason()).toEqual({ unified: "stop", raw: "stop" });
  });

  test("the usage frame is passed on to who asked, and a frame that ends a choice to everyone", () => {
    expect(reader(false).read(usageFrame)).toBe("empty");
    expect(reader().read(finishFrame)).toBe("content");
    const ofChoice = reader();
    expect(ofChoice.read(frame({ choices: [{ delta: {}, usage: { prompt_tokens: 7, completion_tokens: 1 } }] }))).toBe(
      "empty",
    );
    expect(ofChoice.usage()).toMatchObject({ promptTokens: 7 });
  });

  test("what a model writes about usage and [DONE] is text", () => {
    const events = reader();
    expect(events.read(delta('data: [DONE] "usage":{"prompt_tokens":9} "finish_reason":"stop"'))).toBe("content");
    expect([events.usage(), events.finishReason()]).toEqual([null, null]);
  });

  test("what cannot be read is bad", () => {
    const events = reader();
    for (const data of ['{"usage":{"prompt_tokens":', "oops", "[]", "1"]) {
      expect(events.read({ event: null, data }), data).toBe("bad");
    }
    expect(events.usage()).toBeNull();
  });
});

test.each([
  [{ role: "assistant", content: "" }, "empty"],
  [{ role: "assistant", content: null, refusal: null, tool_calls: [], reasoning_content: "" }, "empty"],
  [{}, "empty"],
  [{ content: "a" }, "content"],
  [{ content: " " }, "content"],
  [{ reasoning_content: "a" }, "content"],
  [{ refusal: "a" }, "content"],
  [{ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "" } }] }, "content"],
  [{ audio: { data: "AAAA" } }, "content"],
])("what begins an answer: %j is %s", (given, kind) => {
  expect(reader().read(frame({ choices: [{ index: 0, delta: given, finish_reason: null }] }))).toBe(kind);
});

test("a whole stream ends in its own frame, however the upstream wrote it", () => {
  expect(passThrough.terminal("data:[DONE]\n\n")).toBe("data: [DONE]\n\n");
});
