import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../testing/collect-events";
import type { Json } from "../canonical/json";
import type { ChatRequest } from "../canonical/request";
import { cohere } from "./cohere";
import type { UpstreamOnly, UpstreamTarget } from "./dialect";
import { ollama } from "./ollama";
import { workersAi } from "./workers-ai";

const target: UpstreamTarget = { model: "m", canReportStreamUsage: false, systemPrompt: { text: "", isForced: false } };

function streamed({ upstream }: UpstreamOnly, ...frames: unknown[]) {
  const decoder = upstream.streamDecoder();
  const texts = frames.map((frame) => (typeof frame === "string" ? frame : JSON.stringify(frame)));
  return collectEvents(texts.flatMap((data) => [...decoder.step({ event: null, data })]));
}

const asked = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
  isStream: false,
  ...more,
});

describe("counts that are texts, null or missing are unknown, not zero", () => {
  const odd = ["12", null, undefined, -1, {}];

  test.each(odd.map((count) => [count]))("%j", (count) => {
    const units = { input_tokens: count, output_tokens: 5 };
    expect(cohere.upstream.readUsage({ billed_units: units, tokens: units })).toBeNull();
    expect(ollama.upstream.readUsage({ prompt_eval_count: count, eval_count: 5 })).toBeNull();
  });

  test("what Cohere bills is charged, and not what its model read", () => {
    const tokens = { input_tokens: 512, output_tokens: 12 };
    const billed = { input_tokens: 17, output_tokens: 9 };
    expect(cohere.upstream.readUsage({ billed_units: billed, tokens, cached_tokens: 500 })).toMatchObject({
      promptTokens: 17,
      completionTokens: 9,
      cachedTokens: 0,
    });
    expect(cohere.upstream.readUsage({ billed_units: null, tokens })).toMatchObject({ promptTokens: 512 });
  });
});

describe("fields of null", () => {
  test("are no text, no thought and no call", () => {
    const nothing = { content: null, thinking: null, tool_calls: null, tool_plan: null };
    const ended = { message: nothing, done: true, done_reason: "stop", finish_reason: "COMPLETE" };
    expect(ollama.upstream.decode(ended)?.choices[0]?.content).toEqual([]);
    expect(cohere.upstream.decode(ended)?.choices[0]?.content).toEqual([]);
    expect(workersAi.upstream.decode({ result: { response: null, tool_calls: null } })?.choices[0]?.content).toEqual(
      [],
    );
    expect(cohere.upstream.decode({ message: null })).toBeNull();
    expect(workersAi.upstream.decode({ result: null })).toBeNull();
  });
});

describe("calls without ids", () => {
  const line = (at: string, ...names: string[]): Json => ({
    created_at: at,
    message: { tool_calls: names.map((name) => ({ function: { name, arguments: { at: 1 } } })) },
    done: true,
  });
  const idsOf = (answer: ReturnType<UpstreamOnly["upstream"]["decode"]>): string[] =>
    (answer?.choices[0]?.content ?? []).map((part) => (part.type === "tool-call" ? part.id : ""));

  test("get different ones within an answer, and from answer to answer", () => {
    const { decode } = ollama.upstream;
    const all = [
      ...idsOf(decode(line("2026-01-01T00:00:00.1Z", "f", "f"))),
      ...idsOf(decode(line("2026-01-01T00:00:00.2Z", "f"))),
    ];
    expect(new Set(all).size).toBe(3);
    const run = (given: object) =>
      workersAi.upstream.decode({ result: { tool_calls: [{ name: "f", arguments: given }] } });
    expect(idsOf(run({ a: 1 }))).not.toEqual(idsOf(run({ a: 2 })));
  });
});

test("JSON that Workers AI gives as an object is the text of the answer", () => {
  const answer = workersAi.upstream.decode({ result: { response: { answer: 391 } }, success: true });
  expect(answer?.choices[0]?.content).toEqual([{ type: "text", text: '{"answer":391}' }]);
});

test("an end with the reason ERROR, or lines of an error, are failures in mid-stream", () => {
  const text = { type: "content-delta", index: 0, delta: { message: { content: { text: "Once" } } } };
  const ends = [{ finish_reason: "ERROR" }, { finish_reason: "TIMEOUT" }, { error: "no" }];
  for (const delta of ends) {
    const { error, hasEnded } = streamed(cohere, text, { type: "message-end", delta });
    expect([error === null, hasEnded]).toEqual([false, false]);
  }
  expect(streamed(ollama, { message: { content: "Once" } }, { error: "no" }).error?.message).toBe("no");
  expect(streamed(workersAi, { response: "Once" }, { errors: [{ code: 3040, message: "no" }] }).error?.code).toBe(3040);
});

test("a completion limit is set, or lowered, and nothing else of the options is lost", () => {
  expect(cohere.upstream.capEdits({}, 50, {})).toEqual({ max_tokens: 50 });
  expect(cohere.upstream.capEdits({ max_tokens: 20 }, 50, {})).toEqual({ max_tokens: 20 });
  expect(ollama.upstream.capEdits({ options: { seed: 1, num_predict: 80 } }, 50, {})).toEqual({
    options: { seed: 1, num_predict: 50 },
  });
  expect(workersAi.upstream.capEdits({ max_tokens: 80 }, 50, {})).toEqual({ max_tokens: 50 });
});

describe("tools that are forced or forbidden", () => {
  const tools = ["a", "b"].map((name) => ({ name, parameters: { type: "object", properties: {} } }));
  const namesOf = (json: Json): unknown[] =>
    ((json.tools ?? []) as { function: Json }[]).map((tool) => tool.function.name);

  test("Cohere has words for them", () => {
    const sent = (type: "none" | "required") => cohere.upstream.encode(asked({ tools, toolChoice: { type } }), target);
    expect([sent("none").tool_choice, sent("required").tool_choice]).toEqual(["NONE", "REQUIRED"]);
    const forced = cohere.upstream.encode(asked({ tools, toolChoice: { type: "tool", name: "b" } }), target);
    expect([forced.tool_choice, namesOf(forced)]).toEqual(["REQUIRED", ["b"]]);
  });

  test("Ollama has none: tools are left out, or a call is asked for", () => {
    const forbidden = ollama.upstream.encode(asked({ tools, toolChoice: { type: "none" } }), target);
    expect(namesOf(forbidden)).toEqual([]);
    const forced = ollama.upstream.encode(asked({ tools, toolChoice: { type: "tool", name: "b" } }), target);
    expect(namesOf(forced)).toEqual(["b"]);
    expect((forced.messages as Json[])[0]).toMatchObject({
      role: "system",
      content: expect.stringContaining("tool b"),
    });
  });
});

describe("a wish to think", () => {
  const thinking = { type: "effort", effort: "xhigh" } as const;

  test("is a budget for Cohere within the limit, and nothing for models that do not think", () => {
    const sent = (model: string, more = {}) =>
      cohere.upstream.encode(asked({ thinking, ...more }), { ...target, model });
    expect(sent("command-a-reasoning-08-2025").thinking).toEqual({ type: "enabled", token_budget: 8_192 });
    expect(sent("command-a-reasoning-08-2025", { maxTokens: 1_000 }).thinking).toMatchObject({ token_budget: 800 });
    expect(sent("command-r-plus-08-2024").thinking).toBeUndefined();
    const off = cohere.upstream.encode(asked({ thinking: { type: "off" } }), {
      ...target,
      model: "command-a-reasoning",
    });
    expect(off.thinking).toEqual({ type: "disabled" });
  });

  test("is a word for gpt-oss at Ollama, and yes or no for others", () => {
    const sent = (model: string) => ollama.upstream.encode(asked({ thinking }), { ...target, model }).think;
    expect(["gpt-oss:20b", "qwen3:8b", "llama3.2"].map(sent)).toEqual(["high", true, undefined]);
  });
});
