import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { readChunksFixture } from "../../../../testing/dialect-fixtures";
import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { InvalidRequest } from "../../canonical/wire-error";
import { dialects } from "..";
import { refuseDearOptions, withoutDearOptions } from "../common/option-rule";
import type { RenderContext } from "../dialect";
import { openaiResponses } from ".";

const { client, upstream } = openaiResponses;
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };
const start: ChatEvent = { type: "start", id: "x", model: "upstream-model" };
const call = (index: number, name = `f${index}`): ChatEvent => ({
  ...{ type: "tool-call-start", choice: 0, index, id: `id${index}`, name },
});
const values = (index: number, text: string): ChatEvent => ({
  ...{ type: "tool-call-delta", choice: 0, index, arguments: text },
});

function render(events: readonly ChatEvent[], given: Partial<RenderContext> = {}): Json[] {
  const renderer = client.streamRenderer({ ...context, ...given });
  const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(true)];
  return frames.map(readFrame);
}

function readFrame({ event, data }: Frame): Json {
  const json = JSON.parse(data) as Json;
  expect(json.type).toBe(event);
  return json;
}

type Place = { item_id: string; output_index: number; delta: string };

/** Follows a stream as a strict client does; returns the final response. */
function follow(frames: readonly Json[]): Json {
  expect(frames.map((frame) => frame.sequence_number)).toEqual(frames.map((_, i) => i));
  expect(frames.slice(0, 2).map(({ type }) => type)).toEqual(["response.created", "response.in_progress"]);
  const open = new Map<number, string>();
  const written = new Map<string, string>();
  const done: Json[] = [];
  for (const frame of frames.slice(2, -1)) {
    const { item_id: id, output_index: index, delta } = frame as Place;
    const [, kind = "", step = ""] = /^response\.(.*)\.(added|delta|done)$/.exec(String(frame.type)) ?? [];
    const item = readObject(frame.item);
    const at = `${kind} ${id} ${frame.content_index ?? frame.summary_index ?? 0}`;
    if (kind === "output_item" && step === "added") {
      expect(index).toBe(open.size + done.filter((value) => value).length);
      open.set(index, String(item.id));
    } else if (kind === "output_item") {
      expect(open.get(index)).toBe(item.id);
      open.delete(index);
      done[index] = item;
    } else {
      expect(open.get(index)).toBe(id);
      if (step === "delta") written.set(at, (written.get(at) ?? "") + delta);
      else if (step === "done" && !kind.endsWith("part")) {
        expect(frame.text ?? frame.refusal ?? frame.arguments ?? frame.input).toBe(written.get(at) ?? "");
      }
    }
  }
  expect(open.size).toBe(0);
  const last = frames.at(-1) ?? {};
  expect(last.type).toMatch(/^response\.(completed|incomplete)$/);
  const response = readObject(last.response);
  expect(response.output).toEqual(done);
  return response;
}

describe("a stream is what OpenAI's schema says", () => {
  const recorded = ["text", "parallel-tools", "thinking", "thinking-signature", "redacted-thinking", "usage-cache"];
  test.each([...dialects.values()].flatMap(({ id }) => recorded.map((name) => [id, name] as const)))(
    "for an upstream of %s: %s",
    (id, name) => {
      const decoder = dialects.get(id)?.upstream.streamDecoder();
      const events = readChunksFixture(id, name).flatMap((frame) => decoder?.step(frame) ?? []);
      expect(follow(render(events))).toMatchObject({ status: "completed", model: "m", error: null });
    },
  );

  test("with calls that are written side by side, and text between them", () => {
    const frames = render([
      ...[start, { type: "thinking-delta", choice: 0, text: "hm" } as const, call(0), values(0, '{"a"'), call(1)],
      ...[values(1, "{"), { type: "text-delta", choice: 0, text: "see" } as const, values(0, ":1}"), values(1, "}")],
      { type: "finish", choice: 0, reason: { unified: "tool-calls", raw: "tool_calls" } },
    ]);
    const output = readArray(follow(frames).output).map(readObject);
    expect(output.map(({ type }) => type)).toEqual(["reasoning", "function_call", "function_call", "message"]);
    expect(output.map((item) => item.arguments)).toEqual([undefined, '{"a":1}', "{}", undefined]);
  });

  test("whose answer broke its limit", () => {
    const frames = render([
      ...[start, { type: "text-delta", choice: 0, text: "a" } as const],
      { type: "finish", choice: 0, reason: { unified: "length", raw: "max_tokens" } },
    ]);
    expect(follow(frames)).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      output: [{ status: "incomplete" }],
      usage: null,
    });
  });

  test("and repeats the settings of the request", () => {
    const request = { instructions: "be terse", tools: [{ type: "function", name: "f" }], text: { verbosity: "low" } };
    expect(follow(render([start], { request }))).toMatchObject({
      ...{ instructions: "be terse", tools: request.tools, store: false },
      text: { verbosity: "low", format: { type: "text" } },
    });
  });

  test("an error is thrown by OpenAI's client and read by the schema", () => {
    const error = { message: "broken off", type: "upstream_error", param: null, code: "gone" };
    const [frame] = client.renderCut(error, "r1");
    const json = readFrame(frame as Frame);
    expect(json).toMatchObject({ type: "error", code: "gone", param: null, error: { code: "gone" } });
    expect(json.message).toBe("broken off (request id: r1)");
  });
});

describe("tools with free text as their input", () => {
  const request = {
    model: "m",
    input: [
      { role: "user", content: "patch" },
      { type: "custom_tool_call", call_id: "c1", name: "apply_patch", input: 'a "b"\n' },
      { type: "custom_tool_call_output", call_id: "c1", output: "done" },
    ],
    tools: [
      {
        ...{ type: "custom", name: "apply_patch", description: "Patches a file." },
        format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
      },
    ],
  };

  test("become functions with one parameter, in the request and in its history", () => {
    const { tools, messages } = client.decode(request, "");
    expect(tools).toMatchObject([{ name: "apply_patch", parameters: { required: ["input"] } }]);
    expect(tools?.[0]?.description).toBe("Patches a file.\n\nThe input must follow this lark grammar:\nstart: /.+/");
    expect(messages[1]?.content).toEqual([
      { type: "tool-call", id: "c1", name: "apply_patch", arguments: '{"input":"a \\"b\\"\\n"}' },
    ]);
    expect(messages[2]).toMatchObject({ role: "tool", toolCallId: "c1", toolName: "apply_patch" });
  });

  test("are called with the text alone, streamed and not", () => {
    const patch = '*** "x"\n🌊';
    const text = JSON.stringify({ input: patch });
    const frames = render([start, call(0, "apply_patch"), values(0, text.slice(0, 7)), values(0, text.slice(7))], {
      request,
    });
    const item = { type: "custom_tool_call", call_id: "id0", name: "apply_patch", input: patch };
    expect(follow(frames).output).toMatchObject([item]);
    const finishReason = { unified: "tool-calls" as const, raw: "" };
    const part = { type: "tool-call" as const, id: "id0", name: "apply_patch", arguments: text };
    const whole = { id: "x", model: "m", usage: null, choices: [{ index: 0, content: [part], finishReason }] };
    expect(client.renderResponse(whole, { ...context, request }).output).toMatchObject([item]);
    const decoder = upstream.streamDecoder();
    const again = frames.flatMap((json) => decoder.step({ event: null, data: JSON.stringify(json) }));
    expect(collectEvents(again).response.choices[0]?.content).toEqual([part]);
  });
});

describe("tools in a namespace", () => {
  const inner = { type: "function", name: "spawn_agent", description: "Starts one.", strict: false, parameters: {} };
  const request = {
    model: "m",
    input: [
      { role: "user", content: "go" },
      { ...{ type: "function_call", call_id: "c1", arguments: "{}" }, namespace: "agents_v1", name: "spawn_agent" },
      { type: "function_call_output", call_id: "c1", output: "done" },
    ],
    tools: [
      { type: "function", name: "look", parameters: {} },
      {
        type: "namespace",
        name: "agents_v1",
        description: "Agents.",
        tools: [inner, { type: "custom", name: "note" }],
      },
    ],
  };

  test("become functions with both names, in the request and in its history", () => {
    const { tools, messages } = client.decode(request, "");
    expect(tools?.map(({ name }) => name)).toEqual(["look", "agents_v1__spawn_agent", "agents_v1__note"]);
    expect(messages[1]?.content).toMatchObject([{ type: "tool-call", name: "agents_v1__spawn_agent" }]);
    expect(messages[2]).toMatchObject({ role: "tool", toolName: "agents_v1__spawn_agent" });
  });

  test("are called by their own name with the namespace, streamed and not", () => {
    const spawn = [call(0, "agents_v1__spawn_agent"), values(0, "{}")];
    const events = [start, ...spawn, call(1, "agents_v1__note"), values(1, '{"input":"x"}'), call(2, "look")];
    const items = [
      { type: "function_call", name: "spawn_agent", namespace: "agents_v1", arguments: "{}" },
      { type: "custom_tool_call", name: "note", namespace: "agents_v1", input: "x" },
      { type: "function_call", name: "look" },
    ];
    const output = readArray(follow(render(events, { request })).output);
    expect(output).toMatchObject(items);
    expect(output[2]).not.toHaveProperty("namespace");
    const { response } = collectEvents(events);
    expect(client.renderResponse(response, { ...context, request }).output).toMatchObject(items);
  });

  test("are counted one by one, and have names that every upstream takes", () => {
    expect(client.promptTexts(request).texts).toContain("Starts one.");
    const long = { type: "namespace", name: "n".repeat(60), tools: [{ ...inner, name: "f".repeat(60) }] };
    const { tools } = client.decode({ model: "m", input: "x", tools: [long] }, "");
    expect(tools?.[0]?.name).toMatch(/^n+__f{60}$/);
    expect(tools?.[0]?.name.length).toBe(64);
  });
});

describe("tools of OpenAI's that coding clients offer beside their own", () => {
  const own = { type: "function", name: "look", parameters: {} };
  const spare = [{ type: "web_search", external_web_access: true }, { type: "image_generation" }];
  const asked = (more: Json) => ({ model: "m", input: "x", tools: [own, ...spare], ...more });
  const kept = (json: Json, allowed: string[] = []) => withoutDearOptions(client.options, json, allowed);

  test("are left out, because they would be charged by the call", () => {
    expect(kept(asked({})).tools).toEqual([own]);
    expect(kept({ ...asked({}), tools: [own] }).tools).toEqual([own]);
  });

  test("reach an upstream of this dialect where the operator allows them, and no other but a search", () => {
    const json = asked({ tools: [own, ...spare, { type: "tool_search" }] });
    expect(kept(json, ["tools"])).toBe(json);
    expect(client.decode(json, "").tools?.map(({ name }) => name)).toEqual(["look"]);
    expect(client.decode(json, "").webSearch).toEqual({ isOptional: true });
  });

  test("are refused where they are all there is, or the one that must be called", () => {
    for (const more of [{ tools: spare }, { tool_choice: { type: "web_search" } }]) {
      const json = kept(asked(more));
      expect(() => refuseDearOptions(client.options, json, [])).toThrow(InvalidRequest);
    }
    expect(() => client.decode(asked({ tools: spare }), "")).toThrow(InvalidRequest);
  });
});

describe("a request that another dialect cannot express is refused, and the field is named", () => {
  const input = "hello";
  test.each<[string, Json]>([
    ["previous_response_id", { input, previous_response_id: "resp_1" }],
    ["conversation", { input, conversation: { id: "conv_1" } }],
    ["prompt", { prompt: { id: "pmpt_1" } }],
    ["input", { input: [{ type: "item_reference", id: "msg_1" }] }],
    ["input", { input: [{ type: "compaction", encrypted_content: "x" }] }],
    ["input", { input: [{ type: "file_search_call", id: "fs_1", status: "completed" }] }],
    ["tools", { input, tools: [{ type: "file_search" }] }],
    ["tools", { input, tools: [{ type: "mcp" }] }],
    ["tool_choice", { input, tools: [{ type: "web_search" }], tool_choice: { type: "mcp" } }],
    ["tool_choice", { input, tools: [{ type: "function", name: "f" }], tool_choice: { type: "web_search" } }],
    ["top_logprobs", { input, top_logprobs: 200 }],
    ["moderation", { input, moderation: { model: "omni-moderation-latest" } }],
    ["background", { input, background: true }],
    ["input", {}],
    ["input", { input: 5 }],
    ["input[0]", { input: [{ role: "user", content: [{ type: "input_video" }] }] }],
    ["reasoning.effort", { input, reasoning: { effort: "very" } }],
    ["text.format", { input, text: { format: { type: "xml" } } }],
  ])("%s", (param, json) => {
    expect.assertions(2);
    try {
      client.decode({ model: "m", ...json }, "");
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidRequest);
      expect((error as InvalidRequest).param).toBe(param);
    }
  });

  test("what is stored at the upstream passes to one of the same dialect", () => {
    const json = { model: "m", previous_response_id: "resp_1", input: "and then?" };
    const facts = client.readFacts(json, "");
    expect(facts.hidden).toMatchObject({ rounds: 1, storedTokens: null });
    const target = { model: "m", canReportStreamUsage: true, systemPrompt: { text: "", isForced: false } };
    expect(upstream.passEdits(json, facts, target)).toEqual({});
  });
});

test("a choice among some tools leaves only those", () => {
  const tool = (name: string) => ({ type: "function", name, parameters: {}, strict: false });
  const asked = client.decode(
    {
      ...{ model: "m", input: "x", tools: [tool("a"), tool("b")] },
      tool_choice: { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "b" }] },
    },
    "",
  );
  expect(asked.tools?.map(({ name }) => name)).toEqual(["b"]);
  expect(asked.toolChoice).toEqual({ type: "required" });
});

test("a conversation is recognised by its cache key, its user and its opening", () => {
  const { cacheKey, user, opening } = client.readConversation({
    ...{ prompt_cache_key: "k", safety_identifier: "u", instructions: "be terse" },
    input: [
      { type: "message", role: "developer", content: "and kind" },
      { role: "user", content: "hello" },
    ],
  });
  expect([cacheKey, user]).toEqual(["k", "u"]);
  expect(opening()).toEqual({ instructions: ["be terse", "and kind"], question: ["hello"] });
});

describe("a stream that broke off", () => {
  const delivered = readChunksFixture("openai-responses", "cut");

  test("goes on in the same item, and its last event has all of the text", () => {
    const resumed = client.resumeStream(delivered, context);
    expect(resumed?.text).toBe("Once upon a ti");
    const renderer = resumed?.renderer;
    const rest = [
      ...(renderer?.step({ type: "start", id: "other", model: "o" }) ?? []),
      ...(renderer?.step({ type: "text-delta", choice: 0, text: "me." }) ?? []),
      ...(renderer?.step({ type: "finish", choice: 0, reason: { unified: "stop", raw: "" } }) ?? []),
      ...(renderer?.end(true) ?? []),
    ];
    const response = follow([...delivered, ...rest].map(readFrame));
    expect(response).toMatchObject({ id: "resp_cut1", output: [{ content: [{ text: "Once upon a time." }] }] });
  });

  test("goes on after thoughts that nobody sealed, and within them", () => {
    const frames = render([start, { type: "thinking-delta", choice: 0, text: "hm" }]).slice(0, -4);
    expect(frames.at(-1)?.type).toBe("response.reasoning_summary_text.delta");
    const more = render([
      start,
      { type: "thinking-delta", choice: 0, text: "hm" },
      { type: "text-delta", choice: 0, text: "y" },
    ]);
    const upTo = more.findIndex(({ type }) => type === "response.output_text.delta") + 1;
    for (const given of [frames, more.slice(0, upTo)]) {
      const delivered = given.map((json) => ({ event: String(json.type), data: JSON.stringify(json) }));
      const resumed = client.resumeStream(delivered, context);
      expect(resumed?.thoughts).toBe("hm");
      const rest = [
        ...(resumed?.renderer.step({ type: "text-delta", choice: 0, text: "es" }) ?? []),
        ...(resumed?.renderer.end(true) ?? []),
      ];
      const output = readArray(follow([...given, ...rest.map(readFrame)]).output).map(readObject);
      expect(output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
      expect(output[1]?.content).toMatchObject([{ text: given === frames ? "es" : "yes" }]);
    }
  });

  test("is not continued after thoughts that are encrypted", () => {
    const frames = readChunksFixture("openai-responses", "thinking-signature");
    const upTo = frames.findIndex(({ event }) => event === "response.output_text.delta") + 1;
    expect(client.resumeStream(frames.slice(0, upTo), context)).toBeNull();
  });

  test("is over when it has a call, or all of its text", () => {
    expect(client.resumeStream(readChunksFixture("openai-responses", "parallel-tools"), context)).toBeNull();
    expect(client.resumeStream(readChunksFixture("openai-responses", "text"), context)).toBeNull();
  });

  test("is not continued where only its own upstream can go on", () => {
    const tools = [{ type: "function", name: "f" }];
    expect(client.isContinuable({ input: "x", tools })).toBe(true);
    expect(client.isContinuable({ input: "x", reasoning: { effort: "low" } })).toBe(true);
    expect(client.isContinuable({ input: "x", tools, reasoning: { effort: "low" } })).toBe(false);
    expect(client.isContinuable({ input: "x", previous_response_id: "resp_1" })).toBe(false);
    expect(client.isContinuable({ input: "x", tools: [{ type: "web_search" }] })).toBe(false);
  });
});
