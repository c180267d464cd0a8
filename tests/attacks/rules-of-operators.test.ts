// A deployment has a name of its own, which says nothing of its model. The operator says what it is like, and all of Weir that
// reads the rules of models heeds that, whoever serves it.
import { describe, expect, test } from "vitest";
import { ownRows } from "@/lib/model-rules/schema";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { sentTo } from "./sent-requests";

const { openai, azure, custom, vertex, gemini, bedrock, volcengine, xinference } = CHANNEL_TYPE;
const withRows = (...rows: Json[]) => ({ options: { "models.rules": ownRows.parse(rows) } });
const question = [{ role: "user", content: "hi" }];
const tools = [{ type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } }];

describe.each([
  ["openai", openai],
  ["azure", azure],
  ["custom", custom],
] as const)("a deployment that is like GPT-6 at %s", (at, type) => {
  const like = withRows({ models: "^my-deployment", at: [at], like: "gpt-6-luna" });
  const place = { type, model: "my-deployment", baseUrl: "https://r.example", ...like };

  test("gets the limit under the name that its model knows", async () => {
    const json = { model: "m", messages: question, max_tokens: 90, temperature: 0.2 };
    const { body } = await sentTo(place, "/v1/chat/completions", json);
    expect(body).toMatchObject({ max_completion_tokens: 90 });
    expect(Object.keys(body)).not.toContain("max_tokens");
    expect(Object.keys(body)).not.toContain("temperature");
  });

  test("gets what the account pays for under that name, too", async () => {
    const capped = { ...place, cap: { perChoice: 70, ofModel: 100_000 } };
    const { body } = await sentTo(capped, "/v1/chat/completions", { model: "m", messages: question });
    expect(body).toMatchObject({ max_completion_tokens: 70 });
    expect(Object.keys(body)).not.toContain("max_tokens");
  });

  test.each([
    ["/v1/chat/completions", { messages: question, thinking: { type: "disabled" } }],
    ["/v1/messages", { max_tokens: 90, messages: question, thinking: { type: "disabled" } }],
    ["/v1/responses", { input: "hi", reasoning: { effort: "none" } }],
  ])("is told not to think by a caller of %s", async (path, json) => {
    const { body } = await sentTo(place, path, { model: "m", ...json });
    expect(body).toMatchObject({ reasoning_effort: "none" });
    expect(Object.keys(body)).not.toContain("thinking");
  });
});

test.each([
  ["an older model", { model: "m", messages: question, max_tokens: 90 }, "gpt-4.1"],
  ["a model of which nothing is known", { model: "m", messages: question, max_tokens: 90, temperature: 1 }, "local"],
])("a custom channel gets %s as its caller wrote it", async (_, json, model) => {
  const place = { type: custom, model, baseUrl: "https://r.example" };
  const { body } = await sentTo(place, "/v1/chat/completions", json);
  expect(body).toEqual({ ...json, model });
});

test("an endpoint that is like Doubao is told not to think", async () => {
  const place = {
    type: volcengine,
    model: "ep-2026",
    ...withRows({ models: "^ep-2026", like: "doubao-seed-2-0-pro" }),
  };
  const json = { model: "m", messages: question, reasoning_effort: "none" };
  expect((await sentTo(place, "/v1/chat/completions", json)).body).toMatchObject({ thinking: { type: "disabled" } });
});

const WISHES: readonly (readonly [string, Json, boolean])[] = [
  ["/v1/chat/completions", { messages: question, reasoning_effort: "none" }, false],
  ["/v1/chat/completions", { messages: question, chat_template_kwargs: { enable_thinking: false, a: 1 } }, false],
  ["/v1/messages", { max_tokens: 90, messages: question, thinking: { type: "disabled" } }, false],
  ["/v1/responses", { input: "hi", reasoning: { effort: "none" } }, false],
  ["/v1/messages", { max_tokens: 9_000, messages: question, thinking: { type: "adaptive" } }, true],
  ["/v1/chat/completions", { messages: question, enable_thinking: true }, true],
];
const VLLM = { models: "^qwen3", word: "chat_template_kwargs" };

describe.each([
  ["vLLM as OpenAI", { type: openai, model: "Qwen/Qwen3-8B", ...withRows({ ...VLLM, at: ["openai"] }) }],
  ["vLLM as a custom channel", { type: custom, model: "qwen3-8b", ...withRows({ ...VLLM, at: ["custom"] }) }],
  ["Xinference", { type: xinference, model: "qwen3" }],
  ["Workers AI", { type: CHANNEL_TYPE.cloudflare, model: "@cf/zai-org/glm-4.7-flash", other: "a" }],
])("%s is told by its template's arguments", (_, place) => {
  test.each(WISHES)("%s %j", async (path, json, thinks) => {
    const { body } = await sentTo({ baseUrl: "https://r.example", ...place }, path, { model: "m", ...json });
    expect(body.chat_template_kwargs).toMatchObject({ enable_thinking: thinks });
    for (const name of ["reasoning_effort", "thinking", "enable_thinking"])
      expect(Object.keys(body)).not.toContain(name);
  });
});

test.each([
  [CHANNEL_TYPE.dashscope, "qwen3.5-plus", { enable_thinking: false }],
  [CHANNEL_TYPE.deepseek, "deepseek-v4-pro", { thinking: { type: "disabled" } }],
  [CHANNEL_TYPE.openrouter, "qwen/qwen3-8b", { reasoning: { effort: "none" } }],
  [openai, "gpt-5.2", { reasoning_effort: "none" }],
  [CHANNEL_TYPE.anthropic, "claude-opus-5", { thinking: { type: "disabled" } }],
])("a caller who speaks as to vLLM is understood at %i", async (type, model, off) => {
  const json = { model: "m", messages: question, chat_template_kwargs: { enable_thinking: false } };
  const { body } = await sentTo({ type, model }, "/v1/chat/completions", json);
  expect(body).toMatchObject(off);
  expect(Object.keys(body)).not.toContain("chat_template_kwargs");
});

describe("Google's names for thinking", () => {
  test.each([
    ["gemini", gemini],
    ["vertex", vertex],
  ] as const)("heed the rows of %s", async (at, type) => {
    const own = withRows({ models: "^gemini-9", at: [at], thinks: "choice", word: "thinkingBudget" });
    const place = { type, model: "gemini-9-nothinking", ...own };
    const contents = [{ role: "user", parts: [{ text: "hi" }] }];
    const { body } = await sentTo(place, "/v1beta/models/m:generateContent", { contents });
    expect(body).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget: 0 } } });
  });
});

test("Converse says that a tool is strict where the operator's row says that the model keeps to schemas", async () => {
  const own = withRows({ models: "^my-model", answerSchema: true });
  const place = { type: bedrock, model: "my-model", ...own };
  const [one] = tools;
  const strict = { ...one, function: { ...one?.function, strict: true } };
  const { body } = await sentTo(place, "/v1/chat/completions", { model: "m", messages: question, tools: [strict] });
  expect(body).toMatchObject({ toolConfig: { tools: [{ toolSpec: { strict: true } }] } });
});

test.each([
  ["custom", custom],
  ["xinference", xinference],
  ["openai", openai],
] as const)("a server at %s that knows the role developer by the operator's word gets it", async (at, type) => {
  const own = withRows({ models: ".", at: [at], developer: "developer" });
  const place = { type, model: "local", baseUrl: "https://r.example", ...own };
  const messages = [{ role: "developer", content: "Be kind" }, ...question];
  const { body } = await sentTo(place, "/v1/chat/completions", { model: "m", messages });
  expect(body.messages).toEqual(messages);
  const refusing = { ...place, type: azure, ...withRows({ models: ".", developer: "system" }) };
  const { body: plain } = await sentTo(refusing, "/v1/chat/completions", { model: "m", messages });
  expect(plain.messages).toMatchObject([{ role: "system" }, { role: "user" }]);
});
