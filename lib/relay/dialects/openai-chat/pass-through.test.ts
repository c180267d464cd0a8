import { describe, expect, test } from "vitest";
import { passThrough } from "./pass-through";
import { readUsage } from "./usage";

const frame = (json: object): string => `data: ${JSON.stringify(json)}`;
const delta = (content: string): string =>
  frame({ choices: [{ delta: { content }, finish_reason: null }], usage: null });
const usageFrame = frame({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 5 } });
const finishFrame = frame({ choices: [{ delta: {}, finish_reason: "stop" }], usage: { prompt_tokens: 3 } });

const reader = (withholdUsage = true) => passThrough.lineReader({ withholdUsage, readUsage });

describe("lines of a stream", () => {
  test("text, comments and names of events are not looked at", () => {
    for (const line of [delta("Hello"), ": waiting", "event: x", "", delta('"usage":{"a":9}')]) {
      expect(passThrough.notableLines.test(line), line).toBe(false);
    }
    for (const line of [usageFrame, finishFrame, "data: [DONE]"])
      expect(passThrough.notableLines.test(line)).toBe(true);
  });

  test("usage and the finish reason are read, the end is recognised", () => {
    const lines = reader();
    expect([lines.usage(), lines.finishReason()]).toEqual([null, null]);
    expect([finishFrame, usageFrame, "data:[DONE]\r"].map(lines.read)).toEqual(["pass", "withhold", "end"]);
    expect(lines.usage()).toMatchObject({ promptTokens: 3, completionTokens: 5 });
    expect(lines.finishReason()).toEqual({ unified: "stop", raw: "stop" });
  });

  test("the usage frame is passed on to who asked, and a frame that ends a choice to everyone", () => {
    expect(reader(false).read(usageFrame)).toBe("pass");
    expect(reader().read(finishFrame)).toBe("pass");
    const ofChoice = reader();
    const line = frame({ choices: [{ delta: {}, usage: { prompt_tokens: 7, completion_tokens: 1 } }] });
    expect(ofChoice.read(line)).toBe("pass");
    expect(ofChoice.usage()).toMatchObject({ promptTokens: 7 });
  });

  test("what a model writes about usage and [DONE] is text", () => {
    const lines = reader();
    expect(lines.read(delta('data: [DONE] "usage":{"prompt_tokens":9} "finish_reason":"stop"'))).toBe("pass");
    expect([lines.usage(), lines.finishReason()]).toEqual([null, null]);
  });

  test("what is no JSON is passed on", () => {
    const lines = reader();
    expect(lines.read('data: {"usage":{"prompt_tokens":')).toBe("pass");
    expect(lines.read('data: oops "usage":{}')).toBe("pass");
    expect(lines.usage()).toBeNull();
  });
});

test("a whole stream ends in its own frame, however the upstream wrote it", () => {
  expect(passThrough.terminal("data:[DONE]\n\n")).toBe("data: [DONE]\n\n");
});

test("a failure at the beginning of a stream or an answer is recognised, text about one is not", () => {
  const { leadingError, errorBody } = passThrough;
  expect(leadingError.test('data: {"error": {"message":"x"}}\n\n')).toBe(true);
  expect(leadingError.test('\ndata:{ "error":"x"}\n\n')).toBe(true);
  for (const text of [delta('{"error":{}}'), 'data: {"error":null,"choices":[]}', '{"id":1,"error":{}}']) {
    expect(leadingError.test(text), text).toBe(false);
  }
  expect(errorBody.test(' { "error" : "x" }')).toBe(true);
  expect(errorBody.test('{"error":{"message":"x"}}')).toBe(true);
  for (const text of ['{"error":null,"choices":[]}', '{"choices":[],"error":{}}'])
    expect(errorBody.test(text)).toBe(false);
});
