import Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type FakeAnthropic, startFakeAnthropic } from "@/lib/testing/fake-anthropic";
import { setUpRelay, until } from "../harness";

const CLAUDE = [
  "text",
  "parallel",
  "thinking",
  "thinking-tool",
  "image",
  "cache",
  "error-529",
  "stream-error",
  "cut",
].map((name) => `claude-${name}`);
const GPT = ["fake-gpt", "fake-tools", "fake-cut", "fake-429"];
const SENTENCE = "The river runs through the weir, evenly and without a sound";
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const relay = setUpRelay({ prices: [...CLAUDE, ...GPT].join(",") });
let anthropic: FakeAnthropic;

beforeAll(async () => {
  anthropic = await startFakeAnthropic();
  await relay.addChannel({ type: CHANNEL_TYPE.anthropic, baseUrl: anthropic.url, models: CLAUDE.join(",") });
  await relay.addChannel({ models: GPT.join(",") });
  await relay.inForce();
});
afterAll(() => anthropic.close());

async function newCaller() {
  const { user, token } = await relay.addCaller();
  return {
    user,
    openai: relay.clientFor(token.key),
    claude: new Anthropic({ apiKey: token.key, authToken: null, baseURL: relay.url, maxRetries: 0 }),
  };
}

const question = { role: "user" as const, content: "Weather and time in Bern?" };
const names = ["get_weather", "get_time"];
const schema = { type: "object" as const, properties: { place: { type: "string" } } };
const claudeTools = names.map((name) => ({ name, input_schema: schema }));
const openaiTools = names.map((name) => ({ type: "function" as const, function: { name, parameters: schema } }));
const textOf = (message: Anthropic.Message) =>
  message.content.map((block) => (block.type === "text" ? block.text : "")).join("");

async function rowOf(user: number) {
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  const [row] = await relay.logsOf(user);
  if (!row) throw new Error("nothing was logged");
  return row;
}

describe.each([
  ["an upstream of its own dialect", "claude-text", { prompt: 12, completion: 25 }],
  ["an upstream that speaks OpenAI", "fake-gpt", { prompt: 12, completion: 13 }],
])("Anthropic's client with %s", (_name, model, { prompt, completion }) => {
  test("reads the whole answer, and is charged for what the upstream reports", async () => {
    const { user, claude } = await newCaller();
    const answer = await claude.messages.create({ model, max_tokens: 100, messages: [question] });
    expect(textOf(answer)).toContain(SENTENCE);
    expect(answer).toMatchObject({ type: "message", role: "assistant", stop_reason: "end_turn" });
    expect(answer.usage).toMatchObject({ input_tokens: prompt, output_tokens: completion });
    expect(await rowOf(user)).toMatchObject({ type: 2, prompt, completion, quota: prompt + 2 * completion, model });
  });

  test("reads the streamed answer, whole to its end, for the same charge", async () => {
    const { user, claude } = await newCaller();
    const answer = await claude.messages.stream({ model, max_tokens: 100, messages: [question] }).finalMessage();
    expect(textOf(answer)).toContain(SENTENCE);
    expect(answer.stop_reason).toBe("end_turn");
    expect(await rowOf(user)).toMatchObject({ prompt, completion, quota: prompt + 2 * completion, stream: true });
  });
});

describe.each([
  ["an upstream of its own dialect", "fake-gpt", { prompt: 12, completion: 13 }],
  ["an upstream that speaks Anthropic's", "claude-text", { prompt: 12, completion: 25 }],
])("OpenAI's client with %s", (_name, model, { prompt, completion }) => {
  test("reads the whole answer, and is charged for what the upstream reports", async () => {
    const { user, openai } = await newCaller();
    const answer = await openai.chat.completions.create({ model, messages: [question] });
    expect(answer.choices[0]?.message.content).toContain(SENTENCE);
    expect(answer.choices[0]?.finish_reason).toBe("stop");
    expect(answer.usage).toMatchObject({ prompt_tokens: prompt, completion_tokens: completion });
    expect(await rowOf(user)).toMatchObject({ type: 2, prompt, completion, quota: prompt + 2 * completion, model });
  });

  test("reads the streamed answer, and usage only where it asked for it", async () => {
    const { user, openai } = await newCaller();
    for (const asks of [false, true]) {
      const chunks = await openai.chat.completions.create({
        model,
        messages: [question],
        stream: true,
        stream_options: { include_usage: asks },
      });
      let text = "";
      let usage: unknown = null;
      for await (const chunk of chunks) {
        text += chunk.choices[0]?.delta.content ?? "";
        usage ??= chunk.usage ?? null;
      }
      expect(text).toContain(SENTENCE);
      if (asks) expect(usage).toMatchObject({ prompt_tokens: prompt, completion_tokens: completion });
      else expect(usage).toBeNull();
    }
    const rows = await relay.logsOf(user);
    expect(rows.map(({ quota }) => quota)).toEqual([prompt + 2 * completion, prompt + 2 * completion]);
  });
});

describe.each([
  ["an upstream that speaks OpenAI's chat completions", "fake-gpt", { prompt: 12, completion: 13 }],
  ["an upstream that speaks Anthropic's", "claude-text", { prompt: 12, completion: 25 }],
])("OpenAI's client for responses with %s", (_name, model, { prompt, completion }) => {
  test("reads the whole answer and the streamed one, for the same charge", async () => {
    const { user, openai } = await newCaller();
    const request = { model, input: [question], store: false };
    const whole = await openai.responses.create(request);
    const streamed = await openai.responses.stream(request).finalResponse();
    for (const answer of [whole, streamed]) {
      expect(answer.output_text).toContain(SENTENCE);
      expect(answer).toMatchObject({ object: "response", status: "completed", model, store: false });
      expect(answer.usage).toMatchObject({ input_tokens: prompt, output_tokens: completion });
    }
    await expect.poll(async () => (await relay.logsOf(user)).length).toBe(2);
    const quota = prompt + 2 * completion;
    expect(await relay.logsOf(user)).toMatchObject([{ quota }, { quota }]);
  });

  test("is told which field needs an upstream that stores answers", async () => {
    const { openai } = await newCaller();
    const stored = openai.responses.create({ model, input: "and then?", previous_response_id: "resp_1" });
    await expect(stored).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  });
});

test("OpenAI's client for responses calls several tools at once, and sends thoughts back, at an upstream that speaks Anthropic's", async () => {
  const { openai } = await newCaller();
  const tools = names.map((name) => ({ type: "function" as const, name, parameters: schema, strict: false }));
  for (const model of ["claude-parallel", "claude-thinking-tool"]) {
    const request = { model, tools, store: false, include: ["reasoning.encrypted_content" as const] };
    const reasoning = model === "claude-parallel" ? null : { effort: "low" as const };
    const first = await openai.responses.create({ ...request, input: [question], reasoning });
    const streamed = await openai.responses.stream({ ...request, input: [question], reasoning }).finalResponse();
    const kinds = (answer: OpenAI.Responses.Response) => answer.output.map(({ type }) => type);
    expect(kinds(streamed)).toEqual(kinds(first));
    const calls = first.output.filter((item) => item.type === "function_call");
    expect(calls.length).toBe(model === "claude-parallel" ? 2 : 1);
    if (reasoning) expect(first.output[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.any(String) });
    const results = calls.map((call) => ({
      type: "function_call_output" as const,
      call_id: call.call_id,
      output: "ok",
    }));
    const input = [question, ...first.output, ...results] as OpenAI.Responses.ResponseInput;
    const second = await openai.responses.create({ ...request, input, reasoning });
    expect(second.status).toBe("completed");
    expect(second.output_text).not.toBe("");
  }
});

test("OpenAI's client gets several tool calls at once from an upstream that speaks Anthropic's, and gives their results back", async () => {
  const { openai } = await newCaller();
  const request = { model: "claude-parallel", tools: openaiTools, messages: [question] };
  const first = await openai.chat.completions.create(request);
  const calls = first.choices[0]?.message.tool_calls ?? [];
  expect(calls.map((call) => call.type === "function" && call.function.name)).toEqual(names);
  expect(first.choices[0]?.finish_reason).toBe("tool_calls");
  const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "sunny" }));
  const message = first.choices[0]?.message as OpenAI.ChatCompletionMessageParam;
  const second = await openai.chat.completions.create({ ...request, messages: [question, message, ...results] });
  expect(second.choices[0]?.finish_reason).toBe("stop");
  const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
  expect(
    streamed.choices[0]?.message.tool_calls?.map((call) => call.type === "function" && call.function.name),
  ).toEqual(names);
});

test("thinking with its signature comes back to an upstream that speaks Anthropic's, through OpenAI's client", async () => {
  const { openai } = await newCaller();
  const request = { model: "claude-thinking-tool", tools: openaiTools, reasoning_effort: "low" as const };
  const first = await openai.chat.completions.create({ ...request, messages: [question] });
  const message = first.choices[0]?.message as OpenAI.ChatCompletionMessage & { reasoning_details?: unknown[] };
  expect(message.reasoning_details).toHaveLength(1);
  const [call] = message.tool_calls ?? [];
  const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "sunny" };
  const second = await openai.chat.completions.create({
    ...request,
    messages: [question, message as OpenAI.ChatCompletionMessageParam, result],
  });
  expect(second.choices[0]?.finish_reason).toBe("stop");
  // The strict upstream refuses thinking blocks without its signature.
  expect(anthropic.requests.at(-1)).toMatchObject({ status: 200 });
});

test("Anthropic's client calls the tools of an upstream that speaks OpenAI, streamed and not", async () => {
  const { claude } = await newCaller();
  const request = { model: "fake-tools", max_tokens: 100, tools: claudeTools, messages: [question] };
  const whole = await claude.messages.create(request);
  const streamed = await claude.messages.stream(request).finalMessage();
  for (const answer of [whole, streamed]) {
    expect(answer.stop_reason).toBe("tool_use");
    expect(answer.content).toMatchObject([{ type: "tool_use", name: "get_weather", input: { city: "Ulm" } }]);
  }
  const body = relay.upstream.requests.at(-1)?.body as { tools?: { function: { name: string } }[] };
  expect(body.tools?.map((tool) => tool.function.name)).toEqual(names);
});

test("pictures get through to an upstream of another dialect", async () => {
  const { openai, claude } = await newCaller();
  const url = `data:image/png;base64,${PIXEL}`;
  const shown = [{ role: "user" as const, content: [{ type: "image_url" as const, image_url: { url } }] }];
  await openai.chat.completions.create({ model: "claude-image", messages: shown });
  expect(anthropic.requests.at(-1)?.body).toMatchObject({
    messages: [{ content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }] }],
  });
  const source = { type: "base64" as const, media_type: "image/png" as const, data: PIXEL };
  await claude.messages.create({
    model: "fake-gpt",
    max_tokens: 10,
    messages: [{ role: "user", content: [{ type: "image", source }] }],
  });
  expect(relay.upstream.requests.at(-1)?.body).toMatchObject({ messages: [{ content: [{ image_url: { url } }] }] });
});

test("cache reads and writes are charged whichever dialect the caller speaks", async () => {
  for (const dialect of ["openai", "claude"] as const) {
    const caller = await newCaller();
    if (dialect === "openai")
      await caller.openai.chat.completions.create({ model: "claude-cache", messages: [question] });
    else await caller.claude.messages.create({ model: "claude-cache", max_tokens: 9, messages: [question] });
    const row = await rowOf(caller.user);
    expect(row).toMatchObject({ prompt: 2_012, completion: 25, other: { cache_tokens: 1_900 } });
  }
});

describe("refusals and failures have the shape of the caller's dialect", () => {
  test("a wrong key is Anthropic's authentication error", async () => {
    const claude = new Anthropic({ apiKey: "sk-wrong", authToken: null, baseURL: relay.url, maxRetries: 0 });
    const refused = claude.messages.create({ model: "claude-text", max_tokens: 1, messages: [question] });
    await expect(refused).rejects.toMatchObject({
      status: 401,
      error: { type: "error", error: { type: "authentication_error" } },
    });
  });

  test("a request that is none is Anthropic's invalid request error, and is not charged", async () => {
    const { user, claude } = await newCaller();
    const refused = claude.messages.create({ model: "claude-text", max_tokens: 1, messages: "hi" as never });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      error: { type: "error", error: { type: "invalid_request_error" } },
    });
    expect(await relay.logsOf(user)).toEqual([]);
  });

  test.each([
    ["claude-error-529", 529, "overloaded_error"],
    ["fake-429", 429, "rate_limit_error"],
  ])(
    "a failing upstream (%s) keeps its status for Anthropic's client and costs nothing",
    async (model, status, type) => {
      const { user, claude } = await newCaller();
      for (const stream of [false, true]) {
        const refused = claude.messages.create({ model, max_tokens: 1, messages: [question], stream });
        await expect(refused).rejects.toMatchObject({ status, error: { type: "error", error: { type } } });
      }
      await until(async () => (await relay.logsOf(user)).length === 2, 10_000);
      expect(await relay.logsOf(user)).toMatchObject([
        { type: 5, quota: 0 },
        { type: 5, quota: 0 },
      ]);
    },
  );

  test("an upstream that speaks Anthropic's fails with its message in the words of OpenAI's client", async () => {
    const { openai } = await newCaller();
    const refused = openai.chat.completions.create({ model: "claude-error-529", messages: [question] });
    await expect(refused).rejects.toMatchObject({ status: 503, type: "server_error", code: "overloaded" });
  });
});

describe("an answer that is cut never ends like a whole one, and is charged as delivered", () => {
  test.each(["claude-cut", "claude-stream-error", "fake-cut"])("%s, for Anthropic's callers", async (model) => {
    const { user, claude } = await newCaller();
    const stream = claude.messages.stream({ model, max_tokens: 100, messages: [question] });
    const events: string[] = [];
    stream.on("streamEvent", ({ type }) => events.push(type));
    await expect(stream.finalMessage()).rejects.toThrow();
    expect(events).toContain("content_block_delta");
    expect(events).not.toContain("message_stop");
    const row = await rowOf(user);
    expect(row).toMatchObject({ type: 2, stream: true });
    expect(row.quota).toBeGreaterThan(0);
  });

  test.each(["claude-cut", "claude-stream-error"])("%s, for OpenAI's callers", async (model) => {
    const { user, openai } = await newCaller();
    const stream = await openai.chat.completions.create({ model, messages: [question], stream: true });
    const reasons: unknown[] = [];
    const read = async () => {
      for await (const chunk of stream) reasons.push(chunk.choices[0]?.finish_reason ?? null);
    };
    await expect(read()).rejects.toThrow();
    expect(reasons.filter((reason) => reason !== null)).toEqual([]);
    expect(await rowOf(user)).toMatchObject({ type: 2, stream: true, other: { outcome: "cut" } });
  });
});
