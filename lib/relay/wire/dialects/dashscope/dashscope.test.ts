import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { readChunksFixture, readJsonFixture } from "../../../../testing/dialect-fixtures";
import { dashscopeRequest } from "../../../../testing/upstream-schemas/dashscope";
import type { Frame } from "../../canonical/machine";
import type { ChatRequest } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { dashscope } from ".";

const { upstream } = dashscope;
const PNG = { type: "base64", mediaType: "image/png", data: "iVBORw0K" } as const;
const target = (model: string) => ({
  model,
  canReportStreamUsage: false,
  systemPrompt: { text: "", isForced: false },
});

function encode(model: string, more: Partial<ChatRequest>) {
  const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }] as const;
  const body = upstream.encode({ model: "theirs", messages, isStream: false, ...more }, target(model));
  expect(dashscopeRequest.safeParse(body).error).toBeUndefined();
  return body as { model: string; input: { messages: object[] }; parameters: Record<string, unknown> };
}

function decodeFrames(frames: readonly Frame[]) {
  const decoder = upstream.streamDecoder();
  return collectEvents([...frames.flatMap((frame) => decoder.step(frame)), ...decoder.end(true)]);
}

describe("requests", () => {
  test("pictures and sound are parts for models that take them", () => {
    const content = [
      { type: "text", text: "Compare" },
      { type: "image", source: PNG },
      { type: "image", source: { type: "url", url: "https://weir.example/a.png" } },
      { type: "audio", format: "wav", data: "UklGRg==" },
    ] as const;
    const { input } = encode("qwen-audio-turbo", { messages: [{ role: "user", content }] });
    expect(input.messages).toEqual([
      {
        role: "user",
        content: [
          { text: "Compare" },
          { image: "data:image/png;base64,iVBORw0K" },
          { image: "https://weir.example/a.png" },
          { audio: "data:audio/wav;base64,UklGRg==" },
        ],
      },
    ]);
    expect(() => encode("qwen-plus", { messages: [{ role: "user", content }] })).toThrow(InvalidRequest);
  });

  test("a picture in a tool's result follows the results, or leaves a remark where the model reads only text", () => {
    const messages = [
      { role: "user", content: [{ type: "text", text: "Look" }] },
      { role: "assistant", content: [{ type: "tool-call", id: "c1", name: "look", arguments: "{}" }] },
      { role: "tool", toolCallId: "c1", content: [{ type: "image", source: PNG }] },
    ] as const;
    const seeing = encode("qwen-vl-max", { messages }).input.messages;
    expect(seeing.slice(2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: [{ text: "" }] },
      {
        role: "user",
        content: [{ text: "Attached to the result of c1:" }, { image: "data:image/png;base64,iVBORw0K" }],
      },
    ]);
    const blind = encode("qwen-plus", { messages }).input.messages;
    expect(blind.slice(2)).toEqual([
      { role: "tool", tool_call_id: "c1", content: expect.stringContaining("not shown") },
    ]);
  });

  test("everything that the API can express is said", () => {
    const tools = [{ name: "look", description: "Looks.", parameters: { type: "object" } }];
    const { model, parameters } = encode("qwen-plus-internet", {
      ...{ tools, toolChoice: { type: "tool", name: "look" }, parallelToolCalls: true, isStream: true },
      ...{ maxTokens: 9, temperature: 2, topP: 0.5, topK: 3, presencePenalty: 1, stop: ["x"], seed: 7, choices: 2 },
      ...{ thinking: { type: "effort", effort: "high" }, responseFormat: { type: "json" } },
    });
    expect(model).toBe("qwen-plus");
    expect(parameters).toEqual({
      ...{ result_format: "message", incremental_output: true, enable_search: true },
      ...{ max_tokens: 2, temperature: 1.99, top_p: 0.5, top_k: 3, presence_penalty: 1, stop: ["x"], seed: 7, n: 2 },
      tools: [{ type: "function", function: { name: "look", description: "Looks.", parameters: { type: "object" } } }],
      ...{ tool_choice: { type: "function", function: { name: "look" } }, parallel_tool_calls: true },
      ...{ enable_thinking: true, thinking_budget: 7, response_format: { type: "json_object" } },
    });
    for (const seed of [-3, 2 ** 53]) encode("qwen-plus", { seed });
    expect(encode("qwen-plus", { thinking: { type: "off" } }).parameters).toMatchObject({ enable_thinking: false });
  });

  test("thoughts have a limit of their own, so that the cap is of both together", () => {
    const sum = ({ parameters }: { parameters: Record<string, unknown> }) =>
      Number(parameters.max_tokens) + Number(parameters.thinking_budget);
    for (const thinking of [
      { type: "effort", effort: "xhigh" },
      { type: "budget", tokens: 30_000 },
    ] as const) {
      const body = encode("qwen-plus", { maxTokens: 1_000, thinking });
      expect(sum(body)).toBe(1_000);
      expect(upstream.readCompletionMax(body)).toBe(1_000);
      expect(sum(upstream.capEdits(body, 40, {}) as typeof body)).toBe(40);
      // The client gave no limit.
      const open = encode("qwen-plus", { thinking });
      expect(upstream.readCompletionMax(open)).toBeNull();
      expect(sum(upstream.capEdits(open, 40, {}) as typeof body)).toBe(40);
    }
  });

  test("the cap lowers the limit where it is", () => {
    const body = encode("qwen-plus", { maxTokens: 100, topP: 0.5 });
    expect(upstream.readCompletionMax(body)).toBe(100);
    expect(upstream.capEdits(body, 10, {})).toEqual({ parameters: { ...body.parameters, max_tokens: 10 } });
    expect(upstream.capEdits(body, 200, {})).toEqual({ parameters: body.parameters });
    expect(upstream.readCompletionMax(encode("qwen-plus", {}))).toBe(null);
  });
});

describe("answers", () => {
  test("of multimodal models are lists of parts", () => {
    const whole = upstream.decode(readJsonFixture("dashscope", "multimodal.answer"));
    const { response, hasEnded } = decodeFrames(readChunksFixture("dashscope", "multimodal"));
    expect(whole?.choices[0]?.content).toEqual([
      { type: "thinking", text: "It is wet." },
      { type: "text", text: "A river." },
    ]);
    expect([hasEnded, response.choices[0]?.content]).toEqual([true, whole?.choices[0]?.content]);
  });

  test("of old models are a text", () => {
    const output = { text: "Hello", finish_reason: "stop" };
    expect(upstream.decode({ output, request_id: "r" })?.choices).toEqual([
      { index: 0, content: [{ type: "text", text: "Hello" }], finishReason: { unified: "stop", raw: "stop" } },
    ]);
  });

  test("count sound once, whether or not it is in the input", () => {
    expect(upstream.readUsage({ audio_tokens: 752, input_tokens: 783, output_tokens: 7 })).toMatchObject({
      ...{ promptTokens: 783, completionTokens: 7, audioPromptTokens: 752 },
    });
    expect(upstream.readUsage({ audio_tokens: 85, input_tokens: 33, output_tokens: 10 })).toMatchObject({
      ...{ promptTokens: 118, completionTokens: 10, audioPromptTokens: 85 },
    });
  });

  test.each([[{}], [null], ["x"], [{ input_tokens: "12", output_tokens: null }], [{ input_tokens: -1 }]])(
    "usage that is none is unknown: %j",
    (usage) => expect(upstream.readUsage(usage)).toBe(null),
  );

  test("that go on after a broken frame are not whole", () => {
    const frames = readChunksFixture("dashscope", "text");
    const { hasEnded } = decodeFrames([{ event: "result", data: '{"output":{"cho' }, ...frames]);
    expect(hasEnded).toBe(false);
  });
});
