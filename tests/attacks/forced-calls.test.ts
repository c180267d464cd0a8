// A request that forces a call, as every helper for structured output does, at models that refuse it while they think: the call
// is forced and there are no thoughts, or, where the caller wants thoughts, it is asked for in words.
import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { MAKERS, type Maker } from "@/lib/testing/strict-upstream/makers";
import { sentTo } from "./sent-requests";

const { deepseek, moonshot, dashscope, anthropic } = CHANNEL_TYPE;
const tool = { name: "f", parameters: { type: "object", properties: {} } };
const messages = [
  { role: "system", content: "Be kind" },
  { role: "user", content: "hi" },
];
const chatTools = [{ type: "function", function: tool }];
const ownTools = [{ name: "f", input_schema: tool.parameters }];

/** Forced calls of every dialect; `on`: what wants thoughts, too. */
const CALLERS: Readonly<Record<string, { path: string; json: Json; on: Json }>> = {
  "chat, any tool": {
    path: "/v1/chat/completions",
    json: { messages, tools: chatTools, tool_choice: "required" },
    on: { reasoning_effort: "high" },
  },
  "chat, one tool": {
    path: "/v1/chat/completions",
    json: { messages, tools: chatTools, tool_choice: { type: "function", function: { name: "f" } } },
    on: { thinking: { type: "enabled" } },
  },
  Messages: {
    path: "/v1/messages",
    json: {
      ...{ max_tokens: 9_000, system: "Be kind", messages: [{ role: "user", content: "hi" }] },
      ...{ tools: ownTools, tool_choice: { type: "tool", name: "f" } },
    },
    on: { thinking: { type: "enabled", budget_tokens: 4_000 } },
  },
  Responses: {
    path: "/v1/responses",
    json: { instructions: "Be kind", input: "hi", tools: [{ type: "function", ...tool }], tool_choice: "required" },
    on: { reasoning: { effort: "high" } },
  },
  Gemini: {
    path: "/v1beta/models/m:generateContent",
    json: {
      contents: [{ role: "user", parts: [{ text: "hi" }] }],
      tools: [{ functionDeclarations: [tool] }],
      toolConfig: { functionCallingConfig: { mode: "ANY" } },
    },
    on: { generationConfig: { thinkingConfig: { thinkingBudget: 4_000 } } },
  },
};

const PLACES: [type: number, maker: Maker, model: string, is: "always" | "choice"][] = [
  [deepseek, "deepseek", "deepseek-v4-pro", "choice"],
  [deepseek, "deepseek", "deepseek-v5", "choice"],
  [deepseek, "deepseek", "deepseek-chat", "choice"],
  [moonshot, "moonshot", "kimi-k2.5", "choice"],
  [moonshot, "moonshot", "kimi-k2.6", "choice"],
  [dashscope, "dashscope", "qwen3.5-plus", "choice"],
  [dashscope, "dashscope", "qwen-plus", "choice"],
  [dashscope, "dashscope", "deepseek-v4-flash", "choice"],
  [dashscope, "dashscope", "qwq-plus", "always"],
];

const forced = (body: Json): boolean => body.tool_choice === "required" || typeof body.tool_choice === "object";

describe.each(PLACES)("at %i, %s, %s", (type, maker, model, is) => {
  test.each(Object.entries(CALLERS))("%s: a call is forced, without thoughts", async (_, { path, json }) => {
    const { body } = await sentTo({ type, model }, path, { model: "m", ...json });
    expect(MAKERS[maker](model, body, false)).toMatchObject({ fault: "" });
    if (is !== "always") expect(forced(body)).toBe(true);
    else expect(JSON.stringify(body.messages)).toContain("Answer with a call");
  });

  test.each(Object.entries(CALLERS))("%s: beside thoughts it is asked for in words", async (_, { path, json, on }) => {
    const { body } = await sentTo({ type, model }, path, { model: "m", stream: true, ...json, ...on });
    expect(MAKERS[maker](model, body, true)).toMatchObject({ fault: "", thinks: "yes" });
    expect(forced(body)).toBe(false);
    const said = JSON.stringify(body.messages);
    expect(said).toContain("Answer with a call");
    expect(said.match(/"role":"system"/g)).toHaveLength(1);
  });
});

const foreign = "https://r.example";

test.each([
  [deepseek, "deepseek-v4-pro", ""],
  [dashscope, "qwen3.5-plus", ""],
  [CHANNEL_TYPE.mistral, "mistral-large-latest", ""],
  [CHANNEL_TYPE.openai, "local", foreign],
  [CHANNEL_TYPE.custom, "local", foreign],
])("a choice among some of the tools, which OpenAI alone knows, is those tools at %i", async (type, model, baseUrl) => {
  const two = [...chatTools, { type: "function", function: { name: "g" } }];
  const allowed = { mode: "required", tools: [{ type: "function", function: { name: "f" } }] };
  const json = { model: "m", messages, tools: two, tool_choice: { type: "allowed_tools", allowed_tools: allowed } };
  const { body } = await sentTo({ type, model, baseUrl }, "/v1/chat/completions", json);
  expect(body).toMatchObject({ tools: chatTools, tool_choice: "required" });
  const { body: own } = await sentTo({ type: CHANNEL_TYPE.openai, model: "gpt-4.1" }, "/v1/chat/completions", json);
  expect(own).toMatchObject({ tools: two, tool_choice: json.tool_choice });
});

test("DeepSeek in Anthropic's format is told not to think where a call is forced", async () => {
  const { path, json } = CALLERS.Responses as { path: string; json: Json };
  const { body } = await sentTo({ type: anthropic, model: "deepseek-v4-pro" }, path, { model: "m", ...json });
  expect(body).toMatchObject({ thinking: { type: "disabled" }, tool_choice: { type: "any" } });
});

test("an effort beside a switch that is off does not switch thinking on", async () => {
  const json = { model: "m", messages, thinking: { type: "disabled" }, reasoning_effort: "medium" };
  const { body } = await sentTo({ type: dashscope, model: "qwen3.5-plus" }, "/v1/chat/completions", json);
  expect(body).toMatchObject({ enable_thinking: false });
});
