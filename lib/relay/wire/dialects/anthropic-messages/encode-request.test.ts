import { describe, expect, test } from "vitest";
import { readJsonFixture } from "../../../../testing/dialect-fixtures";
import { findFault } from "../../../../testing/fake-anthropic-schema";
import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { decodeRequest as decodeChat } from "../openai-chat/decode-request";
import { decodeRequest } from "./decode-request";
import { encodeRequest } from "./encode-request";
import { MAX_TOKENS_DEFAULT } from "./thinking";

const model = "claude-sonnet-4-20250514";
const user = { role: "user", content: [{ type: "text", text: "hi" }] } as const;

function encode(request: Partial<ChatRequest>, name = model): Json {
  const systemPrompt = { text: "", isForced: false };
  const target = { model: name, canReportStreamUsage: false, systemPrompt };
  const json = encodeRequest({ model: "m", messages: [user], isStream: false, ...request }, target);
  expect(findFault(json, () => true)).toBeNull();
  return json;
}

test.each(["text", "tools", "tool-results", "images", "thinking", "json-schema", "documents"])(
  "what an OpenAI client asks with %s is what Anthropic takes",
  (name) => {
    expect(encode(decodeChat(readJsonFixture("openai-chat", `${name}.request`)))).toMatchObject({ model });
    expect(encode(decodeRequest(readJsonFixture("anthropic-messages", `${name}.request`)))).toMatchObject({ model });
  },
);

test("a limit is always given: the caller's, or the default with the thinking budget on top", () => {
  expect(encode({})).toEqual({ model, max_tokens: MAX_TOKENS_DEFAULT, messages: [{ role: "user", content: "hi" }] });
  expect(encode({ maxTokens: 7 })).toMatchObject({ max_tokens: 7 });
  expect(encode({ thinking: { type: "budget", tokens: 5_000 } })).toMatchObject({
    max_tokens: MAX_TOKENS_DEFAULT + 5_000,
    thinking: { type: "enabled", budget_tokens: 5_000 },
  });
});

describe("thinking", () => {
  test.each([
    ["minimal", 1_024],
    ["low", 1_280],
    ["medium", 2_048],
    ["high", 4_096],
    ["xhigh", 8_192],
  ] as const)("effort %s becomes a budget of %i", (effort, tokens) => {
    const json = encode({ thinking: { type: "effort", effort }, maxTokens: 20_000, temperature: 0.2, topK: 3 });
    expect(json.thinking).toEqual({ type: "enabled", budget_tokens: tokens });
    expect([json.temperature, json.top_k]).toEqual([undefined, undefined]);
  });

  test("stays below the limit, and is left out where that leaves it too little", () => {
    const high = { type: "effort", effort: "high" } as const;
    expect(encode({ thinking: high, maxTokens: 2_000 }).thinking).toEqual({ type: "enabled", budget_tokens: 1_600 });
    expect(encode({ thinking: high, maxTokens: 1_200 })).not.toHaveProperty("thinking");
    expect(encode({ thinking: { type: "budget", tokens: 3_000 }, maxTokens: 2_000 }).thinking).toMatchObject({
      budget_tokens: 1_999,
    });
  });

  test("is a word for models that decide themselves", () => {
    const thinking = { type: "effort", effort: "xhigh" } as const;
    const fields = { thinking: { type: "adaptive" } };
    expect(encode({ thinking }, "claude-opus-4-6")).toMatchObject({ ...fields, output_config: { effort: "max" } });
    expect(encode({ thinking, temperature: 1 }, "claude-sonnet-5")).toMatchObject({
      ...fields,
      output_config: { effort: "xhigh" },
    });
    expect(encode({ temperature: 0.7 }, "claude-opus-4-7")).not.toHaveProperty("temperature");
    expect(encode({ thinking: { type: "off" } }, "claude-opus-5")).toMatchObject({ thinking: { type: "disabled" } });
    expect(encode({ thinking: { type: "off" } })).not.toHaveProperty("thinking");
  });

  test("gives way to a tool that must be called, and to a call whose thinking is lost", () => {
    const thinking = { type: "effort", effort: "low" } as const;
    const tools = [{ name: "f" }];
    expect(encode({ thinking, tools, toolChoice: { type: "required" } })).not.toHaveProperty("thinking");
    const call = { type: "tool-call", id: "a", name: "f", arguments: "{}" } as const;
    const result = { role: "tool", toolCallId: "a", content: [] } as const;
    const lost = [user, { role: "assistant", content: [call] } as const, result];
    expect(encode({ thinking, tools, messages: lost })).not.toHaveProperty("thinking");
    const thought = { type: "thinking", text: "t", signature: "s" } as const;
    const kept = [user, { role: "assistant", content: [thought, call] } as const, result];
    expect(encode({ thinking, tools, messages: kept })).toHaveProperty("thinking");
  });
});

describe("messages", () => {
  const assistant = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] }) as const;

  test("begin with the user, alternate, are never empty, and end without space", () => {
    expect(encode({ messages: [assistant("a"), assistant("b "), { role: "user", content: [] }] }).messages).toEqual([
      { role: "user", content: [{ type: "text", text: "..." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b " },
        ],
      },
      { role: "user", content: [{ type: "text", text: "..." }] },
    ]);
    expect(encode({ messages: [user, assistant("so: ")] }).messages).toEqual([
      { role: "user", content: "hi" },
      { role: "assistant", content: "so:" },
    ]);
  });

  test("system messages are one prompt, wherever they stood", () => {
    const system = (text: string) => ({ role: "system", content: [{ type: "text", text }] }) as const;
    const developer = {
      role: "developer",
      content: [{ type: "text", text: "c", cache: { type: "ephemeral" } }],
    } as const;
    expect(encode({ messages: [system("a"), user, system("b")] }).system).toBe("a\n\nb");
    expect(encode({ messages: [system("a"), developer, user] }).system).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: "c", cache_control: { type: "ephemeral" } },
    ]);
    expect(encode({ responseFormat: { type: "json" } }).system).toContain("JSON object");
  });

  test("results of tools stand first, calls get ids and arguments that Anthropic takes", () => {
    const call = { type: "tool-call", id: "functions.f:0", name: "f", arguments: "[1" } as const;
    const result = { role: "tool", toolCallId: "functions.f:0", content: [{ type: "text", text: "r" }] } as const;
    const json = encode({ messages: [user, { role: "assistant", content: [call] }, user, result] });
    expect(json.messages).toEqual([
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [{ type: "tool_use", id: "functions_f_0", name: "f", input: { arguments: "[1" } }],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "functions_f_0", content: "r" },
          { type: "text", text: "hi" },
        ],
      },
    ]);
    expect(json).toMatchObject({ tools: [{ name: "f" }], tool_choice: { type: "none" } });
  });
});

describe("tools", () => {
  const tools = [{ name: "f", parameters: { properties: {} } }];

  test.each<[Partial<ChatRequest>, unknown]>([
    [{}, undefined],
    [{ toolChoice: { type: "auto" } }, { type: "auto" }],
    [{ toolChoice: { type: "none" }, parallelToolCalls: false }, { type: "none" }],
    [{ toolChoice: { type: "required" } }, { type: "any" }],
    [{ toolChoice: { type: "tool", name: "f" } }, { type: "tool", name: "f" }],
    [{ parallelToolCalls: false }, { type: "auto", disable_parallel_tool_use: true }],
  ])("%o", (request, choice) => {
    const json = encode({ tools, ...request });
    expect(json.tool_choice).toEqual(choice);
    expect(json.tools).toEqual([{ name: "f", input_schema: { type: "object", properties: {} } }]);
  });
});

test.each<[string, Partial<ChatRequest>]>([
  ["several answers", { choices: 2 }],
  ["sound", { messages: [{ role: "user", content: [{ type: "audio", format: "wav", data: "AA==" }] }] }],
  [
    "a file of another kind",
    {
      messages: [
        { role: "user", content: [{ type: "file", source: { type: "base64", mediaType: "text/csv", data: "AA==" } }] },
      ],
    },
  ],
  [
    "another upstream's upload",
    { messages: [{ role: "user", content: [{ type: "image", source: { type: "id", id: "file-abc" } }] }] },
  ],
])("%s is refused", (_name, request) => {
  expect(() => encode(request)).toThrow(InvalidRequest);
});
