import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { readChunksFixture, readJsonFixture } from "../../../../testing/dialect-fixtures";
import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { anthropicMessages } from "../anthropic-messages";
import type { RenderContext } from "../dialect";
import { openaiChat } from "../openai-chat";
import { openaiResponses } from ".";

const { upstream } = openaiResponses;
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };
const target = (model: string) => ({
  ...{ model, canReportStreamUsage: true, systemPrompt: { text: "", isForced: false } },
});
const asked: ChatRequest = {
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  isStream: true,
};

describe("a request to an upstream", () => {
  test("stores nothing, and asks for encrypted thoughts where the model thinks", () => {
    expect(upstream.encode(asked, target("gpt-4o"))).toEqual({
      ...{ model: "gpt-4o", input: [{ role: "user", content: "hello" }], stream: true, store: false },
    });
    for (const model of ["gpt-5-mini", "o4-mini", "openai/gpt-5.2", "codex-mini-latest"]) {
      expect(upstream.encode(asked, target(model)).include, model).toEqual(["reasoning.encrypted_content"]);
    }
    for (const model of ["gpt-5-chat-latest", "gpt-4.1", "gpt-oss-20b"]) {
      expect(upstream.encode(asked, target(model)).include, model).toBeUndefined();
    }
    expect(
      upstream.encode({ ...asked, thinking: { type: "budget", tokens: 3_000 } }, target("grok-4.3")),
    ).toMatchObject({
      ...{ include: ["reasoning.encrypted_content"], reasoning: { effort: "medium", summary: "auto" } },
    });
  });

  test("says that a function is not strict, which the format would assume", () => {
    const tools = [
      { name: "f", parameters: { type: "object" } },
      { name: "g", strict: true },
    ];
    expect(upstream.encode({ ...asked, tools }, target("gpt-4o")).tools).toEqual([
      { type: "function", name: "f", parameters: { type: "object" }, strict: false },
      { type: "function", name: "g", parameters: { type: "object", properties: {} }, strict: true },
    ]);
  });

  test("has results with pictures and files, and ids of calls that are not too long", () => {
    const id = `${"a".repeat(60)}-${"b".repeat(60)}`;
    const { input } = upstream.encode(
      {
        ...asked,
        maxTokens: 5,
        messages: [
          { role: "assistant", content: [{ type: "tool-call", id, name: "f", arguments: "{}" }] },
          {
            ...{ role: "tool", toolCallId: id },
            content: [
              { type: "text", text: "see" },
              { type: "image", source: { type: "url", url: "https://weir.example/a.png" } },
              { type: "file", source: { type: "base64", mediaType: "application/pdf", data: "AA==" } },
              { type: "file", name: "b", source: { type: "url", url: "https://weir.example/b.pdf" } },
              { type: "file", name: "n", source: { type: "text", text: "note" } },
            ],
          },
        ],
      },
      target("gpt-4o"),
    ) as { input: Json[] };
    const short = `${"a".repeat(32)}${"b".repeat(32)}`;
    expect(input).toEqual([
      { type: "function_call", call_id: short, name: "f", arguments: "{}" },
      {
        ...{ type: "function_call_output", call_id: short },
        output: [
          { type: "input_text", text: "see" },
          { type: "input_image", image_url: "https://weir.example/a.png", detail: "auto" },
          { type: "input_file", filename: "document.pdf", file_data: "data:application/pdf;base64,AA==" },
          { type: "input_file", file_url: "https://weir.example/b.pdf", filename: "b" },
          { type: "input_text", text: '<document title="n">\nnote\n</document>' },
        ],
      },
    ]);
  });

  test("gets the channel's system prompt where it has none, or before its own when forced", () => {
    const edit = (json: Json, isForced: boolean) =>
      upstream.passEdits(json, openaiResponses.client.readFacts({ model: "m", input: "x", ...json }, ""), {
        ...target("m"),
        systemPrompt: { text: "P", isForced },
      });
    expect(edit({}, false)).toEqual({ instructions: "P" });
    expect(edit({ instructions: "own" }, false)).toEqual({});
    expect(edit({ instructions: "own" }, true)).toEqual({ instructions: "P\nown" });
    expect(edit({ input: [{ role: "developer", content: "own" }] }, false)).toEqual({});
    expect(edit({ input: [{ role: "developer", content: "own" }] }, true)).toEqual({ instructions: "P" });
  });
});

describe.each([
  ["openai-chat", openaiChat],
  ["anthropic-messages", anthropicMessages],
] as const)("thoughts of OpenAI's, through a client of %s", (id, { client }) => {
  const answer = upstream.decode(readJsonFixture("openai-responses", "thinking-signature.answer"));
  if (!answer) throw new Error("no answer");
  const [choice] = answer.choices;
  const call = { type: "tool-call" as const, id: "call_1", name: "f", arguments: "{}" };
  const content = [...(choice?.content ?? []), call];
  const rendered = client.renderResponse(
    { ...answer, choices: [{ index: 0, content, finishReason: { unified: "tool-calls", raw: "" } }] },
    context,
  );

  function nextTurn(): ChatRequest {
    const question = { role: "user", content: "17 × 23?" };
    if (id === "openai-chat") {
      const { message } = (rendered.choices as [{ message: Json }])[0];
      const result = { role: "tool", tool_call_id: "call_1", content: "ok" };
      return client.decode({ model: "m", reasoning_effort: "low", messages: [question, message, result] }, "");
    }
    const results = [{ type: "tool_result", tool_use_id: "call_1", content: "ok" }];
    const messages = [question, { role: "assistant", content: rendered.content }, { role: "user", content: results }];
    const thinking = { type: "enabled", budget_tokens: 1_500 };
    return client.decode({ model: "m", max_tokens: 3_000, thinking, messages }, "");
  }

  test("come back to OpenAI whole, before the call that they led to", () => {
    const { input } = upstream.encode(nextTurn(), target("gpt-5")) as { input: Json[] };
    const { output } = readJsonFixture("openai-responses", "thinking-signature.answer") as { output: Json[] };
    const thought = input.find(({ type }) => type === "reasoning");
    expect(thought).toMatchObject({ summary: output[0]?.summary, encrypted_content: output[0]?.encrypted_content });
    expect(thought?.id).toBeUndefined();
    const types = input.map(({ type, role }) => type ?? role);
    expect(types.indexOf("reasoning")).toBeLessThan(types.indexOf("function_call"));
  });

  test("are not given to Anthropic, which would refuse them", () => {
    const sent = anthropicMessages.upstream.encode(nextTurn(), target("claude-sonnet-4-20250514"));
    expect(JSON.stringify(sent)).not.toContain("gAAAA");
    expect(sent.thinking).toBeUndefined();
  });
});

describe("frames of upstreams that keep loosely to the format", () => {
  function decode(...frames: Json[]) {
    const decoder = upstream.streamDecoder();
    return collectEvents(frames.flatMap((frame) => decoder.step({ event: null, data: JSON.stringify(frame) })));
  }
  const done = (response: Json): Json => ({ type: "response.completed", response });

  test("an answer that is only in the last event is read from there", () => {
    const output = [
      { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }] },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "yes" }] },
      { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
    ];
    const { response, hasEnded } = decode(done({ id: "resp_1", output }));
    expect(response.choices[0]).toMatchObject({
      content: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "yes" },
        { type: "tool-call", id: "c", name: "f", arguments: "{}" },
      ],
      finishReason: { unified: "tool-calls" },
    });
    expect(hasEnded).toBe(true);
  });

  test("an item without deltas is read when it is over, and one with deltas is not read twice", () => {
    const item = { id: "a", type: "message", role: "assistant", content: [{ type: "output_text", text: "yes" }] };
    const over = { type: "response.output_item.done", output_index: 0, item };
    const delta = { type: "response.output_text.delta", item_id: "other", output_index: 0, delta: "yes" };
    const added = { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } };
    const text = [{ type: "text", text: "yes" }];
    expect(decode(added, over, done({ output: [item] })).response.choices[0]?.content).toEqual(text);
    expect(decode(over, done({ output: [item] })).response.choices[0]?.content).toEqual(text);
    expect(
      decode(added, delta, { ...over, item: { ...item, id: "third" } }, done({})).response.choices[0]?.content,
    ).toEqual(text);
  });

  test("calls that are written side by side stay apart", () => {
    const added = (index: number): Json => ({
      ...{ type: "response.output_item.added", output_index: index },
      item: { id: `fc_${index}`, type: "function_call", call_id: `c${index}`, name: "f", arguments: "" },
    });
    const delta = (index: number, text: string): Json => ({
      ...{ type: "response.function_call_arguments.delta", item_id: `fc_${index}`, output_index: index, delta: text },
    });
    const events = decode(added(0), added(1), delta(0, "{"), delta(1, '{"a"'), delta(0, "}"), delta(1, ":1}"));
    expect(events.response.choices[0]?.content).toMatchObject([{ arguments: "{}" }, { arguments: '{"a":1}' }]);
  });

  test("an error is read from an event of its own and from a failed response", () => {
    const told = { message: "slow down", code: "rate_limit_exceeded" };
    expect(decode({ type: "error", ...told, param: null }).error).toMatchObject(told);
    expect(decode({ type: "error", error: { ...told, type: "requests" } }).error).toMatchObject(told);
    expect(decode({ type: "response.failed", response: { status: "failed", error: told } }).error).toMatchObject(told);
  });
});

test("a stream that the gateway stops is incomplete, and repeats its text where it is known", () => {
  const line = (frames: ReturnType<typeof readChunksFixture>): string =>
    frames.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join("");
  const frames = readChunksFixture("openai-responses", "cut");
  const { cutShort } = upstream.passThrough;
  const read = (text: string): Json => {
    expect(text).toMatch(/^event: response\.incomplete\ndata: .*\n\n$/);
    return JSON.parse(text.slice(text.indexOf("{"))) as Json;
  };
  expect(read(cutShort(line(frames), line(frames.slice(-1))))).toMatchObject({
    sequence_number: frames.length,
    response: {
      ...{ id: "resp_cut1", status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
      output: [{ status: "incomplete", content: [{ text: "Once upon a ti" }] }],
    },
  });
  const half = read(cutShort(line(frames.slice(0, -1)).slice(0, -20), line(frames.slice(-1))));
  expect(half).toMatchObject({ sequence_number: frames.length, response: { status: "incomplete", output: [] } });
  expect(upstream.capEdits({}, 100, {})).toEqual({ max_output_tokens: 100 });
});
