import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FakeAnthropic, startFakeAnthropic } from "./fake-anthropic";

let fake: FakeAnthropic;
let client: Anthropic;

beforeAll(async () => {
  fake = await startFakeAnthropic();
  client = new Anthropic({ baseURL: fake.url, apiKey: "key", maxRetries: 0 });
});
afterAll(() => fake.close());

const question = { role: "user" as const, content: "Weather and time in Bern?" };
const tools = ["get_weather", "get_time"].map((name) => ({
  name,
  input_schema: { type: "object" as const, properties: { place: { type: "string" } } },
}));

test("Anthropic's own client reads the same answer streamed and not", async () => {
  const request = { model: "claude-text", max_tokens: 100, messages: [question] };
  const whole = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  expect(whole.content).toEqual([{ type: "text", text: expect.stringContaining("größe 水") }]);
  expect(streamed).toMatchObject({ content: whole.content, stop_reason: "end_turn", usage: { output_tokens: 25 } });
});

test("a conversation with thinking and tools goes on only with the thinking that was issued", async () => {
  const thinking = { type: "enabled" as const, budget_tokens: 1_024 };
  const request = { model: "claude-thinking-tool", max_tokens: 4_000, thinking, tools };
  const first = await client.messages.stream({ ...request, messages: [question] }).finalMessage();
  expect(first.content.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
  expect(first.stop_reason).toBe("tool_use");
  const call = first.content.find((block) => block.type === "tool_use");
  const results = {
    role: "user" as const,
    content: [{ type: "tool_result" as const, tool_use_id: call?.id ?? "", content: "sunny" }],
  };
  const turn = (content: Anthropic.ContentBlockParam[]) => [question, { role: "assistant" as const, content }, results];
  const content = first.content as Anthropic.ContentBlockParam[];
  const second = await client.messages.create({ ...request, messages: turn(content) });
  expect(second.stop_reason).toBe("end_turn");
  const forged = content.map((block) => (block.type === "thinking" ? { ...block, thinking: "other" } : block));
  await expect(client.messages.create({ ...request, messages: turn(forged) })).rejects.toThrow("Invalid `signature`");
  const lost = content.filter(({ type }) => type !== "thinking");
  await expect(client.messages.create({ ...request, messages: turn(lost) })).rejects.toThrow("Expected `thinking`");
});

test("several calls at once, pictures and cached prompts are told", async () => {
  const request = { max_tokens: 100, messages: [question] };
  const parallel = await client.messages.create({ ...request, model: "claude-parallel", tools });
  expect(parallel.content.map((block) => block.type === "tool_use" && block.name)).toEqual(["get_weather", "get_time"]);
  const cached = await client.messages.create({ ...request, model: "claude-cache" });
  expect(cached.usage).toMatchObject({
    input_tokens: 12,
    cache_read_input_tokens: 1_900,
    cache_creation_input_tokens: 100,
  });
  const source = { type: "base64" as const, media_type: "image/png" as const, data: "iVBORw0KGgo=" };
  const seen = await client.messages.create({
    model: "claude-image",
    max_tokens: 100,
    messages: [{ role: "user", content: [{ type: "image", source }] }],
  });
  expect(seen.content).toEqual([{ type: "text", text: "1 pictures, 0 documents" }]);
});

describe("failures have Anthropic's shape", () => {
  test.each([
    ["claude-error-429", 429, "rate_limit_error"],
    ["claude-error-529", 529, "overloaded_error"],
    ["claude-nobody", 404, "not_found_error"],
  ])("%s", async (model, status, type) => {
    const asked = client.messages.create({ model, max_tokens: 1, messages: [question] });
    await expect(asked).rejects.toMatchObject({ status, error: { type: "error", error: { type } } });
  });

  test.each(["claude-stream-error", "claude-cut"])("%s never becomes a whole message", async (model) => {
    const stream = client.messages.stream({ model, max_tokens: 100, messages: [question] });
    let text = "";
    stream.on("text", (delta) => {
      text += delta;
    });
    await expect(stream.finalMessage()).rejects.toThrow();
    expect(text).not.toBe("");
  });
});

test.each<[string, object, string]>([
  ["no max_tokens", { max_tokens: undefined }, "max_tokens"],
  ["an unknown field", { seed: 1 }, "seed"],
  ["the wrong role first", { messages: [{ role: "assistant", content: "x" }] }, "first message"],
  [
    "a result without a call",
    { messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] }] },
    "tool_use_id",
  ],
  [
    "a call without a result",
    {
      tools,
      messages: [
        question,
        { role: "assistant", content: [{ type: "tool_use", id: "a", name: "get_time", input: {} }] },
        question,
      ],
    },
    "without `tool_result`",
  ],
  ["an empty text", { messages: [{ role: "user", content: "" }] }, "content"],
  [
    "a budget above the limit",
    { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
    "budget_tokens",
  ],
])("%s is refused", async (_name, change, message) => {
  const body = { model: "claude-text", max_tokens: 10, messages: [question], ...change };
  const response = await fetch(`${fake.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", message: expect.stringContaining(message) },
  });
});
