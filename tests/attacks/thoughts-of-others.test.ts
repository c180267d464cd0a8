// DeepSeek and Kimi are served in formats of others, too, and want their thoughts of turns with calls back there as well: they
// refuse a call without thoughts, and else the cache and the quality are lost.
import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { type Json, readArray, readObject } from "@/lib/relay/wire/canonical/json";
import { sentTo } from "./sent-requests";

const { anthropic, ollama } = CHANNEL_TYPE;
const THOUGHT = "I must look it up first.";
const call = { id: "call_1", type: "function", function: { name: "look_up", arguments: "{}" } };
const tools = [{ type: "function", function: { name: "look_up", parameters: { type: "object", properties: {} } } }];

const chat = (thoughts: Json): Json => ({
  model: "m",
  tools,
  messages: [
    { role: "user", content: "where?" },
    { role: "assistant", content: null, ...thoughts, tool_calls: [call] },
    { role: "tool", tool_call_id: "call_1", content: "Bern" },
    { role: "assistant", content: "In Bern." },
    { role: "user", content: "and where exactly?" },
  ],
});
const responses = {
  model: "m",
  tools: [{ type: "function", name: "look_up", parameters: { type: "object", properties: {} } }],
  input: [
    { role: "user", content: "where?" },
    { type: "reasoning", summary: [{ type: "summary_text", text: THOUGHT }] },
    { type: "function_call", call_id: "call_1", name: "look_up", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "Bern" },
    { role: "assistant", content: "In Bern." },
    { role: "user", content: "and where exactly?" },
  ],
};
const CALLERS: readonly (readonly [string, Json])[] = [
  ["/v1/chat/completions", chat({ reasoning_content: THOUGHT })],
  ["/v1/chat/completions", chat({ reasoning: THOUGHT })],
  ["/v1/responses", responses],
];

describe.each(["deepseek-v4-pro", "deepseek-chat", "kimi-k2.6", "kimi-k3"])("%s", (model) => {
  test.each(CALLERS)("gets its thoughts back in Anthropic's format, from a caller of %s", async (path, json) => {
    const { body } = await sentTo({ type: anthropic, model }, path, { ...json, reasoning_effort: undefined });
    const blocks = readArray(readObject(readArray(body.messages)[1]).content);
    expect(blocks).toMatchObject([{ type: "thinking", thinking: THOUGHT }, { type: "tool_use" }]);
    expect(readObject(body.thinking).type).not.toBe("disabled");
  });

  test.each(CALLERS)("gets its thoughts back from Ollama, from a caller of %s", async (path, json) => {
    const { body } = await sentTo({ type: ollama, model: `${model}:cloud` }, path, json);
    expect(readArray(body.messages)[1]).toMatchObject({ thinking: THOUGHT });
  });
});

test("a call without thoughts, as of another model, is sent to DeepSeek in Anthropic's format without thinking", async () => {
  const { body } = await sentTo({ type: anthropic, model: "deepseek-v4-pro" }, "/v1/chat/completions", chat({}));
  expect(body).toMatchObject({ thinking: { type: "disabled" } });
});

test.each([
  [anthropic, "claude-opus-4-6"],
  [ollama, "qwen3:8b"],
])("thoughts of an earlier turn that nobody signed do not go to channel type %i, %s", async (type, model) => {
  const { body } = await sentTo({ type, model }, "/v1/chat/completions", chat({ reasoning_content: THOUGHT }));
  expect(JSON.stringify(body)).not.toContain(THOUGHT);
  expect(body).not.toHaveProperty("thinking");
});

test.each([
  ["granite4", undefined],
  ["qwen3:8b", true],
  ["llama3.3", undefined],
])("Ollama refuses a wish to think for a model without thoughts: %s", async (model, think) => {
  const json = { model: "m", messages: [{ role: "user", content: "hi" }], reasoning_effort: "high" };
  const { body } = await sentTo({ type: ollama, model }, "/v1/chat/completions", json);
  expect(body.think).toBe(think);
});
