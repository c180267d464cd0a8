// OpenAI's newer clients say "developer" where others know "system" only, and refuse a request with another word.
import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { rows } from "@/lib/relay/providers/rows";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { sentTo } from "./sent-requests";

const ASKED: Readonly<Record<string, { path: string; json: Json }>> = {
  "chat completions": {
    path: "/v1/chat/completions",
    json: {
      model: "m",
      messages: [
        { role: "developer", content: "Be kind" },
        { role: "user", content: "hi" },
        { role: "developer", content: [{ type: "text", text: "Be short" }] },
      ],
    },
  },
  "the Responses format": {
    path: "/v1/responses",
    json: {
      model: "m",
      input: [
        { role: "developer", content: "Be kind" },
        { role: "user", content: "hi" },
        { role: "developer", content: [{ type: "input_text", text: "Be short" }] },
      ],
    },
  },
};

/** The roles that a server of OpenAI's format knows: https://help.aliyun.com/zh/model-studio/qwen-api-via-openai-chat-completions, and
 * the errors in https://github.com/openclaw/openclaw/issues/22710 (DashScope), https://github.com/agno-agi/agno/issues/6697 (Ark),
 * https://github.com/QuantumNous/new-api/issues/5330 (another gateway) */
const ROLES = ["system", "user", "assistant", "tool", "function"];

function rolesIn(body: Json): string[] {
  const messages = (body.messages ?? body.input ?? []) as { role: string }[];
  return messages.map(({ role }) => role);
}

const TAKES: Readonly<Record<string, { type: number; baseUrl?: string }>> = {
  "OpenAI itself": { type: CHANNEL_TYPE.openai },
  "OpenAI in Europe": { type: CHANNEL_TYPE.openai, baseUrl: "https://eu.api.openai.com" },
  "OpenAI as a custom channel": { type: CHANNEL_TYPE.custom, baseUrl: "https://api.openai.com/v1/chat/completions" },
  Azure: { type: CHANNEL_TYPE.azure, baseUrl: "https://my-resource.openai.azure.com" },
  OpenRouter: { type: CHANNEL_TYPE.openrouter },
};

/** Every channel type that is asked in OpenAI's format, and types that can be anywhere at another server. */
const REFUSES: readonly (readonly [string, { type: number; baseUrl?: string; model: string }])[] = [
  ...[...rows.values()].flatMap(({ id, name, dialect, baseUrl, retired }) => {
    const model = id === CHANNEL_TYPE.vertex ? "meta/llama-4" : "some-model";
    const format = typeof dialect === "function" ? dialect(model, baseUrl || "http://foreign.example") : dialect;
    const isKnown = [CHANNEL_TYPE.openai, CHANNEL_TYPE.azure, CHANNEL_TYPE.openrouter].some((type) => type === id);
    if (format !== "openai-chat" || isKnown || retired !== undefined) return [];
    return [[name.en, { type: id, model, baseUrl: baseUrl || "http://foreign.example" }] as const];
  }),
  ["another server of type OpenAI", { type: CHANNEL_TYPE.openai, model: "gpt-5.2", baseUrl: "http://foreign.example" }],
  ["o3 at another server", { type: CHANNEL_TYPE.openai, model: "o3", baseUrl: "https://api.openai.com.example" }],
];

describe.each(Object.keys(ASKED))("the role developer from %s", (caller) => {
  const { path, json } = ASKED[caller] as { path: string; json: Json };

  test.each(REFUSES)("becomes system for %s", async (_name, place) => {
    const { body } = await sentTo(place, path, json);
    // xAI serves the Responses format itself, where this role is known: https://docs.x.ai/docs/api-reference#create-new-response
    if (body.input !== undefined) return expect(place.type).toBe(CHANNEL_TYPE.xai);
    const roles = rolesIn(body);
    expect(roles.filter((role) => !ROLES.includes(role))).toEqual([]);
    expect(roles.filter((role) => role === "system")).toHaveLength(2);
  });

  test.each(Object.keys(TAKES))("stays for %s", async (name) => {
    const { body } = await sentTo({ ...(TAKES[name] as { type: number }), model: "gpt-5.2" }, path, json);
    expect(rolesIn(body)).toEqual(["developer", "user", "developer"]);
  });
});

test("a request in which nothing is to be mended passes byte for byte", async () => {
  const messages = [
    { role: "system", content: "Be kind" },
    { role: "user", content: "hi" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "a", content: "1" },
  ];
  const place = { type: CHANNEL_TYPE.openai, model: "m", baseUrl: "http://foreign.example" };
  const { body } = await sentTo(place, "/v1/chat/completions", { model: "m", messages });
  expect(body).toEqual({ model: "m", messages });
});
