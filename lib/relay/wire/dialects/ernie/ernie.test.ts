import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { ernieRequest } from "../../../../testing/upstream-schemas/ernie";
import type { ChatRequest, Message } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { ernie } from ".";

const { upstream } = ernie;
const target = { model: "ernie", canReportStreamUsage: false, systemPrompt: { text: "", isForced: false } };
const says = (role: "user" | "assistant" | "system", text: string): Message => ({
  role,
  content: [{ type: "text", text }],
});
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool-call", id, name: `look_${id}`, arguments: "{}" })),
});
const result = (toolCallId: string, text: string, isError = false): Message => ({
  role: "tool",
  toolCallId,
  content: [{ type: "text", text }],
  isError,
});
const tools = [{ name: "look_a" }, { name: "look_b" }];

function encode(more: Partial<ChatRequest>) {
  const body = upstream.encode({ model: "m", messages: [says("user", "hi")], isStream: false, ...more }, target);
  expect(ernieRequest.safeParse(body).error).toBeUndefined();
  return body;
}

describe("requests", () => {
  test("calls side by side become one after the other, in whatever order their results are", () => {
    const messages = [says("user", "Look"), calls("a", "b"), result("b", "not there", true), result("a", "seen")];
    expect(encode({ messages, tools }).messages).toEqual([
      { role: "user", content: "Look" },
      { role: "assistant", content: "", function_call: { name: "look_a", arguments: "{}" } },
      { role: "function", name: "look_a", content: '{"output":"seen"}' },
      { role: "assistant", content: "", function_call: { name: "look_b", arguments: "{}" } },
      { role: "function", name: "look_b", content: '{"error":"not there"}' },
    ]);
  });

  test("a result at the very beginning is said with a call of its own, not lost", () => {
    expect(encode({ messages: [result("look", "seen")] }).messages).toEqual([
      { role: "user", content: "..." },
      { role: "assistant", content: "...", function_call: { name: "look", arguments: "{}" } },
      { role: "function", name: "look", content: '{"output":"seen"}' },
    ]);
  });

  test.each<[string, Message[]]>([
    ["only a system message", [says("system", "Be kind")]],
    ["the model begins", [says("assistant", "Hello"), says("user", "hi")]],
    ["the model has the last word", [says("user", "hi"), says("assistant", "Hello")]],
    ["two turns of the user", [says("user", "hi"), says("user", ""), says("assistant", ""), says("user", " ")]],
    ["a word after a result", [says("user", "hi"), calls("a"), result("a", '{"x":1}'), says("user", "And?")]],
    ["a result without a call", [says("user", "hi"), result("a", "seen")]],
    ["a call without a result", [says("user", "hi"), calls("a", "b"), result("b", "seen"), says("user", "And?")]],
    ["a call that nobody answered", [says("user", "hi"), calls("a"), says("user", "Never mind")]],
  ])("the sides take turns: %s", (_what, messages) => {
    encode({ messages });
    encode({ messages, tools });
  });

  test("a system prompt stands beside the messages, and with tools in the first one", () => {
    const messages = [says("system", "Be kind"), says("user", "hi")];
    expect(encode({ messages })).toMatchObject({ system: "Be kind", messages: [{ content: "hi" }] });
    const withTools = encode({ messages, tools });
    expect(withTools.system).toBeUndefined();
    expect(withTools.messages).toEqual([{ role: "user", content: "Be kind\n\nhi" }]);
  });

  test("one tool can be forced and all can be forbidden; which of several cannot", () => {
    const forced = { type: "function", function: { name: "look_b" } };
    expect(encode({ tools, toolChoice: { type: "tool", name: "look_b" } }).tool_choice).toEqual(forced);
    expect(encode({ tools: [{ name: "look_b" }], toolChoice: { type: "required" } }).tool_choice).toEqual(forced);
    expect(encode({ tools, toolChoice: { type: "none" } }).functions).toBeUndefined();
    expect(() => encode({ tools, toolChoice: { type: "required" } })).toThrow(InvalidRequest);
  });

  test("values are brought within what the provider takes", () => {
    expect(
      encode({ temperature: 0, topP: 2, frequencyPenalty: -2, maxTokens: 1, stop: ["x"], user: "u" }),
    ).toMatchObject({
      ...{ temperature: 0.01, top_p: 1, penalty_score: 1, max_output_tokens: 2, stop: ["x"], user_id: "u" },
    });
    expect(encode({ temperature: 2, frequencyPenalty: 2 })).toMatchObject({ temperature: 1, penalty_score: 2 });
    for (const stop of [["a", "b", "c", "d", "e"], ["x".repeat(21)]])
      expect(() => encode({ stop })).toThrow(InvalidRequest);
    expect(() => encode({ choices: 2 })).toThrow(InvalidRequest);
  });

  test("a JSON schema is told in words", () => {
    const schema = { type: "object", properties: { answer: { type: "integer" } } };
    const body = encode({ responseFormat: { type: "json-schema", name: "response", schema } });
    expect(body.response_format).toBe("json_object");
    expect(body.system).toContain(JSON.stringify(schema));
    expect(encode({ responseFormat: { type: "json" } })).toMatchObject({ response_format: "json_object" });
  });

  test.each([
    ["ERNIE-4.0-8K", "completions_pro"],
    ["ERNIE-Bot", "completions"],
    ["ERNIE-3.5-4K-0205", "ernie-3.5-4k-0205"],
    ["ERNIE-Speed-128K", "ernie-speed-128k"],
    ["ERNIE-Bot-turbo", "eb-instant"],
    ["BLOOMZ-7B", "bloomz_7b1"],
    ["a/../b", "a%2F..%2Fb"],
  ])("the path of %s ends in %s", (model, end) => {
    const path = typeof upstream.path === "string" ? upstream.path : upstream.path(model, false);
    expect(path).toBe(`/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/${end}`);
  });
});

describe("answers", () => {
  const decoded = (...events: object[]) => {
    const decoder = upstream.streamDecoder();
    return collectEvents([...events.flatMap((json) => decoder.step({ event: null, data: JSON.stringify(json) }))]);
  };

  test.each([
    [{ is_truncated: true }, "length"],
    [{ need_clear_history: true }, "content-filter"],
    [{}, "stop"],
    [{ finish_reason: "stop" }, "stop"],
    [{ finish_reason: "function_call" }, "tool-calls"],
  ])("the reason for the end of %j is %s", (fields, unified) => {
    const { response, hasEnded } = decoded({ id: "a", result: "Hi" }, { id: "a", is_end: true, result: "", ...fields });
    expect([hasEnded, response.choices[0]?.finishReason.unified]).toEqual([true, unified]);
    expect(upstream.decode({ id: "a", result: "Hi", ...fields })?.choices[0]?.finishReason.unified).toBe(unified);
  });

  test("a call comes whole though it is written in pieces", () => {
    const { response } = decoded(
      { id: "as-1", result: "", function_call: { name: "look_a", arguments: '{"x"' } },
      { id: "as-1", result: "", function_call: { arguments: ":1}" } },
      { id: "as-1", result: "", is_end: true },
    );
    expect(response.choices[0]).toMatchObject({
      content: [{ type: "tool-call", id: "call_as-1_0_0", name: "look_a", arguments: '{"x":1}' }],
      finishReason: { unified: "tool-calls" },
    });
  });

  test.each([[{}], [null], [{ prompt_tokens: "12" }], [{ prompt_tokens: 0, completion_tokens: 0 }]])(
    "usage that is none is unknown: %j",
    (usage) => expect(upstream.readUsage(usage)).toBe(null),
  );
});
