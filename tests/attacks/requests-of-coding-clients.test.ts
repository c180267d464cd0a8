// Claude Code and Codex send what only Anthropic and OpenAI know: flags, scopes of the cache, tools that are read later.
// At another cloud, or behind a translation, the session goes on without it.
import { describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { type Place, sentTo, WITH_TOOLS } from "./sent-requests";

const MARK = { type: "ephemeral", scope: "global" };
const schema = { type: "object", properties: { q: { type: "string" } }, required: ["q"] };
const BETAS = [
  ...["claude-code-20250219", "interleaved-thinking-2025-05-14", "context-management-2025-06-27"],
  ...["prompt-caching-scope-2026-01-05", "advanced-tool-use-2025-11-20", "effort-2025-11-24", "fast-mode-2026-02-01"],
  ...["structured-outputs-2025-12-15", "fine-grained-tool-streaming-2025-05-14", "files-api-2025-04-14"],
  ...["token-efficient-tools-2026-03-28", "redact-thinking-2026-02-12", "oauth-2025-04-20", "mcp-client-2025-11-20"],
];

/** A turn of Claude Code, after its search for a tool has found one. */
const CLAUDE_CODE: Json = {
  model: "m",
  max_tokens: 4_096,
  stream: true,
  system: [
    { type: "text", text: "You are Claude Code", cache_control: MARK },
    { type: "text", text: "The rest", cache_control: { ...MARK, ttl: "5m" } },
  ],
  tools: [
    { name: "ToolSearch", description: "Finds tools", input_schema: schema, eager_input_streaming: true },
    {
      name: "mcp__docs__find",
      input_schema: schema,
      defer_loading: true,
      input_examples: [{ q: "a" }],
      cache_control: MARK,
    },
  ],
  messages: [
    { role: "user", content: [{ type: "text", text: "Look it up", cache_control: MARK }] },
    {
      role: "assistant",
      content: [
        { type: "tool_use", id: "toolu_1", name: "ToolSearch", input: { q: "docs" }, caller: { type: "direct" } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "tool_reference", tool_name: "mcp__docs__find" }],
          cache_control: MARK,
        },
      ],
    },
  ],
  metadata: { user_id: "u" },
  thinking: { type: "disabled" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high", task_budget: { type: "tokens", total: 1_000 } },
};
const UNKNOWN: Json = { cache_control: MARK, betas: ["a"], diagnostics: {}, mcp_servers: [], anthropic_beta: BETAS };

const HEADERS = { "anthropic-version": "2023-06-01", "anthropic-beta": BETAS.join(",") };
const vertex = WITH_TOOLS["Claude on Vertex AI"] as Place;
const bedrock = WITH_TOOLS["bedrock-invoke"] as Place;

/** Everywhere in a value: the objects under this name. */
function under(value: unknown, name: string): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => under(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => (key === name ? [one] : under(one, name)));
}

describe("a request of Claude Code at Vertex AI", () => {
  const models = ["claude-opus-4-5", "claude-sonnet-4-6", "claude-haiku-4-5", "claude-sonnet-5"];
  test.each(models)("has only flags and fields that Vertex AI knows (%s)", async (model) => {
    const { body, headers } = await sentTo(
      { ...vertex, model },
      "/v1/messages",
      { ...CLAUDE_CODE, ...UNKNOWN },
      HEADERS,
    );
    const flags = headers.get("anthropic-beta")?.split(",") ?? [];
    const interleaved = /opus-4|sonnet-4/.test(model) ? ["interleaved-thinking-2025-05-14"] : [];
    expect(flags).toEqual([...interleaved, "context-management-2025-06-27", "tool-search-tool-2025-10-19"]);
    expect(body.anthropic_beta).toEqual(flags);
    const known = ["anthropic_beta", "anthropic_version", "context_management", "max_tokens", "messages", "metadata"];
    expect(Object.keys(body).toSorted()).toEqual([...known, "output_config", "stream", "system", "thinking", "tools"]);
    for (const mark of under(body, "cache_control")) expect(mark).not.toHaveProperty("scope");
    expect(under(body, "cache_control")).toHaveLength(5);
    expect(under(body, "caller")).toEqual([]);
    expect(body.output_config).toEqual({ effort: "high" });
    expect(body.tools).toEqual([
      { name: "ToolSearch", description: "Finds tools", input_schema: schema },
      { name: "mcp__docs__find", input_schema: schema, defer_loading: true, cache_control: { type: "ephemeral" } },
    ]);
  });

  test("is taken by Vertex AI without the tools that are read later", async () => {
    const { tools: _, messages: __, ...rest } = CLAUDE_CODE;
    const messages = [{ role: "user", content: [{ type: "text", text: "hi", cache_control: MARK }] }];
    const { body, headers } = await sentTo(vertex, "/v1/messages", { ...rest, messages }, HEADERS);
    expect(vertex.fault(body, headers)).toBeNull();
    const without = { "anthropic-beta": "claude-code-20250219,prompt-caching-scope-2026-01-05" };
    const other = await sentTo(vertex, "/v1/messages", { ...rest, messages }, without);
    expect(vertex.fault(other.body, other.headers)).toBeNull();
    expect([other.headers.has("anthropic-beta"), "context_management" in other.body]).toEqual([false, false]);
  });

  test("keeps a format of its answer that is given in the former place", async () => {
    const format = { type: "json_schema", schema: { type: "object", properties: {}, additionalProperties: false } };
    const asked = { model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }], output_format: format };
    const { body, headers } = await sentTo(vertex, "/v1/messages", asked, HEADERS);
    expect(vertex.fault(body, headers)).toBeNull();
    expect(body.output_config).toEqual({ format });
  });
});

describe("a request of Claude Code at Bedrock", () => {
  test.each([true, false])("has only what Bedrock knows (stream: %s)", async (stream) => {
    const asked = { ...CLAUDE_CODE, ...UNKNOWN, stream };
    const { body, headers } = await sentTo(bedrock, "/v1/messages", asked, HEADERS);
    expect(bedrock.fault(body, headers)).toBeNull();
    expect([...headers.keys()].filter((name) => name.startsWith("anthropic"))).toEqual([]);
    expect(body.anthropic_beta).toEqual(["interleaved-thinking-2025-05-14"]);
    for (const mark of under(body, "cache_control")) expect(mark).not.toHaveProperty("scope");
    expect(under(body, "cache_control").length).toBeGreaterThan(3);
  });

  test("at Anthropic itself, nothing of it changes", async () => {
    const place = WITH_TOOLS["anthropic-messages"] as Place;
    const { body, headers } = await sentTo(place, "/v1/messages", CLAUDE_CODE, HEADERS);
    expect(body).toEqual({ ...CLAUDE_CODE, model: place.model });
    expect(headers.get("anthropic-beta")).toBe(BETAS.filter((flag) => !flag.startsWith("fast-mode")).join(","));
  });

  test("callers of OpenAI's format may mark the cache, with no word that needs a flag", async () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "hi", cache_control: MARK }] }];
    for (const place of [bedrock, vertex, WITH_TOOLS["anthropic-messages"] as Place]) {
      const { body, headers } = await sentTo(place, "/v1/chat/completions", { model: "m", messages });
      expect(place.fault(body, headers)).toBeNull();
      expect(under(body, "cache_control")).toEqual([{ type: "ephemeral" }]);
    }
  });
});

const elsewhere = Object.entries(WITH_TOOLS).filter(
  ([name, { model }]) => name === "bedrock-invoke" || !model.startsWith("claude"),
);

describe.each(elsewhere)("tools that are read later, at %s", (_name, place) => {
  test("are all sent, and a reference to one is a sentence", async () => {
    const { metadata: _, thinking: __, context_management: ___, output_config: ____, ...asked } = CLAUDE_CODE;
    const { body, headers } = await sentTo(place, "/v1/messages", asked, HEADERS);
    expect(place.fault(body, headers)).toBeNull();
    const text = JSON.stringify(body);
    expect(text).toContain("The tool mcp__docs__find is available now.");
    expect(text.match(/mcp__docs__find/g)?.length).toBeGreaterThan(1);
    expect(text).not.toContain("defer_loading");
  });

  test("that Anthropic itself would search are sent without that search, and what it left is dropped", async () => {
    const search = { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" };
    const found = {
      type: "tool_search_tool_search_result",
      tool_references: [{ type: "tool_reference", tool_name: "f" }],
    };
    const asked = {
      model: "m",
      max_tokens: 100,
      tools: [search, { name: "f", input_schema: schema, defer_loading: true }],
      messages: [
        { role: "user", content: "hi" },
        {
          role: "assistant",
          content: [
            { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_regex", input: { query: "f" } },
            { type: "tool_search_tool_result", tool_use_id: "srvtoolu_1", content: found },
            { type: "tool_use", id: "toolu_1", name: "f", input: { q: "a" } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "42" }] },
      ],
    };
    const { body, headers } = await sentTo(place, "/v1/messages", asked);
    expect(place.fault(body, headers)).toBeNull();
    expect(JSON.stringify(body)).not.toContain("tool_search");
  });
});

const toTranslate = Object.entries(WITH_TOOLS).filter(([, place]) => place.speaksResponses === undefined);

describe.each(toTranslate)("tools of the Responses format, at %s", (_name, place) => {
  test("that a client of the Responses format has found are sent with the others", async () => {
    const tool = (name: string) => ({ type: "function", name, parameters: schema, defer_loading: true });
    const asked = {
      model: "m",
      tools: [tool("f"), { type: "tool_search", execution: "client" }],
      input: [
        { role: "user", content: "hi" },
        { type: "tool_search_call", call_id: "call_0", execution: "client", arguments: { query: "g" } },
        { type: "tool_search_output", call_id: "call_0", execution: "client", tools: [tool("g"), tool("f")] },
        { type: "function_call", call_id: "call_1", name: "g", arguments: '{"q":"a"}' },
        { type: "function_call_output", call_id: "call_1", output: "42" },
      ],
    };
    const { body, headers } = await sentTo(place, "/v1/responses", asked);
    expect(place.fault(body, headers)).toBeNull();
    expect(JSON.stringify(body)).not.toContain("tool_search");
  });
});

const translated = Object.entries(WITH_TOOLS).filter(([name]) => name !== "openai-chat");

describe.each(translated)("a choice among some of the tools, at %s", (_name, place) => {
  const tools = ["a", "b", "c"].map((one) => ({ type: "function", function: { name: one, parameters: schema } }));
  const allowed = (names: readonly string[], mode: string) => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: names.map((one) => ({ type: "function", function: { name: one } })) },
  });
  const messages = [{ role: "user", content: "hi" }];

  test("leaves only those", async () => {
    const asked = { model: "m", messages, tools, tool_choice: allowed(["b", "c"], "auto") };
    const { body, headers } = await sentTo(place, "/v1/chat/completions", asked);
    expect(place.fault(body, headers)).toBeNull();
    const text = JSON.stringify(body);
    expect([/"(name|Name)":"a"/.test(text), /"(name|Name)":"b"/.test(text)]).toEqual([false, true]);
  });

  test("is refused where it allows none", async () => {
    const asked = { model: "m", messages, tools, tool_choice: allowed(["other"], "auto") };
    await expect(sentTo(place, "/v1/chat/completions", asked)).rejects.toThrow(
      "tool_choice must allow one of the tools",
    );
  });
});

const HALVES = ["a\ud83d", "\ude00b", "\ud83d\ude00", "\udc00\ud800"];
const HALF_PATHS: Readonly<Record<string, (text: string) => Json>> = {
  "/v1/chat/completions": (text) => ({ model: "m", messages: [{ role: "user", content: text }] }),
  "/v1/responses": (text) => ({ model: "m", input: text, metadata: { [text]: text } }),
  "/v1/messages": (text) => ({
    model: "m",
    max_tokens: 9,
    messages: [{ role: "user", content: [{ type: "text", text }] }],
  }),
  "/v1beta/models/m:generateContent": (text) => ({ contents: [{ parts: [{ text }] }] }),
};

describe.each(Object.keys(HALF_PATHS))("half a character in a request to %s", (path) => {
  test.each([
    ...Object.entries(WITH_TOOLS),
    ["Gemini", { type: CHANNEL_TYPE.gemini, model: "gemini-2.5-pro" }] as const,
  ])("is the sign for an unknown one at %s, and a whole one stays", async (_name, place) => {
    const write = HALF_PATHS[path] as (text: string) => Json;
    for (const text of HALVES) {
      const sent = JSON.stringify((await sentTo(place, path, write(text))).body);
      expect(sent).not.toMatch(/\\u[dD][89a-fA-F]/);
      expect(sent).toContain(text.replace(/\p{Surrogate}/gu, "\ufffd"));
    }
  });
});
