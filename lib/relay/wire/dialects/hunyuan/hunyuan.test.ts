import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { hunyuanRequest } from "../../../../testing/upstream-schemas/hunyuan";
import type { ChatRequest, Message } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { hunyuan } from ".";

const { upstream } = hunyuan;
const target = { model: "hunyuan-t1", canReportStreamUsage: false, systemPrompt: { text: "", isForced: false } };
const PNG = { type: "base64", mediaType: "image/png", data: "iVBORw0K" } as const;
const says = (role: "user" | "assistant" | "system", text: string): Message => ({
  role,
  content: [{ type: "text", text }],
});
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool-call", id, name: "look", arguments: "" })),
});
const result = (toolCallId: string, text: string): Message => ({
  role: "tool",
  toolCallId,
  content: [{ type: "text", text }],
});
const tools = [{ name: "look", description: "Looks.", parameters: { type: "object" } }, { name: "listen" }];

function encode(more: Partial<ChatRequest>) {
  const body = upstream.encode({ model: "m", messages: [says("user", "hi")], isStream: false, ...more }, target);
  expect(hunyuanRequest.safeParse(body).error).toBeUndefined();
  return body;
}

describe("requests", () => {
  test.each<[string, Message[]]>([
    ["only a system message", [says("system", "Be kind")]],
    ["the model begins", [says("assistant", "Hello"), says("user", "hi")]],
    ["the model has the last word", [says("user", "hi"), says("assistant", "Hello")]],
    ["two turns of the user", [says("user", "hi"), says("user", ""), says("assistant", ""), says("user", " ")]],
    [
      "a word after results",
      [says("user", "hi"), calls("a", "b"), result("b", ""), result("a", "x"), says("user", "?")],
    ],
    ["a system message in the middle", [says("user", "hi"), says("assistant", "yes"), says("system", "Be kind")]],
  ])("the sides take turns: %s", (_what, messages) => {
    encode({ messages, tools });
  });

  test("calls side by side stay so, and beside them no text is empty", () => {
    const messages = [says("user", "Look"), calls("a", "b"), result("a", "seen"), result("b", "heard")];
    expect(encode({ messages, tools }).Messages).toEqual([
      { Role: "user", Content: "Look" },
      {
        Role: "assistant",
        Content: " ",
        ToolCalls: ["a", "b"].map((Id) => ({ Id, Type: "function", Function: { Name: "look", Arguments: "{}" } })),
      },
      { Role: "tool", ToolCallId: "a", Content: "seen" },
      { Role: "tool", ToolCallId: "b", Content: "heard" },
    ]);
  });

  test("pictures are parts beside a text, from results too", () => {
    const image = { type: "image", source: PNG } as const;
    const url = { ImageUrl: { Url: "data:image/png;base64,iVBORw0K" }, Type: "image_url" };
    expect(encode({ messages: [{ role: "user", content: [image] }] }).Messages).toEqual([
      { Role: "user", Contents: [{ Type: "text", Text: "..." }, url] },
    ]);
    const messages: Message[] = [says("user", "Look"), calls("a"), { role: "tool", toolCallId: "a", content: [image] }];
    expect((encode({ messages }).Messages as object[]).slice(2)).toEqual([
      { Role: "tool", ToolCallId: "a", Content: "..." },
      { Role: "assistant", Content: "..." },
      { Role: "user", Contents: [{ Type: "text", Text: "Attached to the result of a:" }, url] },
    ]);
  });

  test("tools can be free, forbidden, or one of them forced", () => {
    const encoded = {
      Type: "function",
      Function: { Name: "look", Description: "Looks.", Parameters: '{"type":"object"}' },
    };
    expect(encode({ tools, toolChoice: { type: "tool", name: "look" } })).toMatchObject({
      ToolChoice: "custom",
      CustomTool: encoded,
      Tools: [encoded, { Function: { Name: "listen" } }],
    });
    expect(encode({ tools: tools.slice(0, 1), toolChoice: { type: "required" } }).CustomTool).toEqual(encoded);
    expect(encode({ tools, toolChoice: { type: "none" } }).ToolChoice).toBe("none");
    expect(() => encode({ tools, toolChoice: { type: "required" } })).toThrow(InvalidRequest);
  });

  test("values are brought within what the provider takes", () => {
    expect(encode({ temperature: 3, topP: 2, seed: 5, stop: ["x"], maxTokens: 9, thinking: { type: "off" } })).toEqual({
      ...{ Model: "hunyuan-t1", Messages: [{ Role: "user", Content: "hi" }], Stream: false },
      ...{ Temperature: 2, TopP: 1, Seed: 5, Stop: ["x"], EnableThinking: false },
    });
    for (const seed of [0, -3, 10_001, 2 ** 53, 0.5]) expect(encode({ seed }).Seed).toBe(encode({ seed }).Seed);
    expect(() => encode({ choices: 2 })).toThrow(InvalidRequest);
  });

  test("JSON is asked for in words", () => {
    const body = encode({
      messages: [says("system", "Be kind"), says("user", "hi")],
      responseFormat: { type: "json" },
    });
    expect(body.Messages).toMatchObject([
      { Role: "system", Content: expect.stringMatching(/^Be kind\n\nAnswer with/) },
      {},
    ]);
  });
});

describe("answers", () => {
  const decoded = (...deltas: object[]) => {
    const decoder = upstream.streamDecoder();
    const frames = deltas.map((json) => ({ event: null, data: JSON.stringify({ Id: "h1", Choices: [json] }) }));
    return collectEvents([...frames.flatMap((frame) => decoder.step(frame)), ...decoder.end(true)]);
  };

  test("a moderated answer is filtered content", () => {
    const { response, hasEnded } = decoded({ Delta: { Content: "Hi" } }, { Delta: {}, FinishReason: "sensitive" });
    expect([hasEnded, response.choices[0]?.finishReason]).toEqual([
      true,
      { unified: "content-filter", raw: "sensitive" },
    ]);
  });

  test("a piece of a call without an id goes on with the last one", () => {
    const piece = (Id: string, Name: string, Arguments: string) => ({
      Delta: { ToolCalls: [{ Id, Function: { Name, Arguments } }] },
    });
    const { response } = decoded(
      ...[piece("a", "look", "{"), piece("", "", '"x":1}'), piece("b", "listen", "{}"), piece("a", "", " ")],
      { Delta: {}, FinishReason: "tool_calls" },
    );
    expect(response.choices[0]?.content).toEqual([
      { type: "tool-call", id: "a", name: "look", arguments: '{"x":1} ' },
      { type: "tool-call", id: "b", name: "listen", arguments: "{}" },
    ]);
  });

  test("an answer without a choice is none", () => {
    expect(upstream.decode({ Response: { RequestId: "r", Choices: [] } })).toBe(null);
    expect(upstream.wholeBody.hasAnswer({ Response: { RequestId: "r" } })).toBe(false);
  });
});
