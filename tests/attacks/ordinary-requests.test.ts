// The checks against attacks look at names, shapes, addresses and headers. An ordinary request of an official SDK, of a
// coding client or of a page must pass them all: whole, with nothing in it taken for an order, a file or an attack.
import { describe, expect, test } from "vitest";
import { RelayError } from "@/lib/relay/base/relay-error";
import { refuseNavigation, safeContentType } from "@/lib/relay/http/browsers";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { dialects } from "@/lib/relay/wire/dialects";
import { givenName } from "@/lib/relay/wire/dialects/gemini-generate-content/fields";
import { callTo } from "./request-samples";

const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const MESSAGES = "/v1/messages";
const GEMINI = "/v1beta/models/cheap:generateContent";

const schema = {
  type: "object",
  properties: { workspace_id: { type: "string" }, file_id: { type: ["string", "null"] }, Model: { type: "string" } },
  required: ["workspace_id"],
};
/** Arguments of a caller's own tool, named as what providers keep and as fields of theirs. */
const args = { workspace_id: "1207", file_id: 7, file: "files/app.ts", Model: "a", model: "b" };
const cached = { type: "ephemeral" };
const chatCall = (values: unknown) => ({ id: "c", type: "function", function: { name: "f", arguments: values } });

const thinks = (config: Json): Json => ({ google: { thinking_config: { include_thoughts: true, ...config } } });

const chat = (json: Json): [string, Json] => [CHAT, { messages: [{ role: "user", content: "hi" }], ...json }];
const said = (...messages: Json[]): [string, Json] =>
  chat({ messages: [{ role: "user", content: "hi" }, ...messages] });
const respond = (json: Json): [string, Json] => [RESPONSES, { input: "hi", store: false, ...json }];
const items = (...input: Json[]): [string, Json] => respond({ input: [{ role: "user", content: "hi" }, ...input] });
const message = (json: Json): [string, Json] => {
  return [MESSAGES, { max_tokens: 4_000, messages: [{ role: "user", content: "hi" }], ...json }];
};
const blocks = (...content: Json[]): [string, Json] => message({ messages: [{ role: "user", content }] });
const google = (json: Json): [string, Json] => [
  GEMINI,
  { contents: [{ role: "user", parts: [{ text: "hi" }] }], ...json },
];

const ORDINARY: Readonly<Record<string, readonly [path: string, json: Json]>> = {
  // Responses
  "the tools of an MCP server, sent back": items({
    type: "mcp_list_tools",
    id: "mcpl_1",
    server_label: "asana",
    tools: [{ name: "list_projects", description: "", annotations: null, input_schema: schema }],
  }),
  "a call of an MCP server's tool, sent back": items({
    ...{ type: "mcp_call", id: "mcp_1", server_label: "asana", name: "x", arguments: JSON.stringify(args) },
    ...{ output: JSON.stringify(args), error: null, approval_request_id: null },
  }),
  "an MCP server as a tool": respond({
    tools: [
      {
        ...{ type: "mcp", server_label: "a", server_url: "https://mcp.example/", headers: { "X-Model": "a" } },
        ...{
          allowed_tools: { tool_names: ["x"], read_only: true },
          require_approval: { never: { tool_names: ["x"] } },
        },
      },
    ],
  }),
  "computer_use_preview, whose environment is a word": respond({
    tools: [{ type: "computer_use_preview", display_width: 1024, display_height: 768, environment: "browser" }],
    truncation: "auto",
  }),
  "a computer's actions and screenshots": items(
    {
      ...{ type: "computer_call", id: "cu_1", call_id: "c", status: "completed", pending_safety_checks: [] },
      action: { type: "click", button: "left", x: 1, y: 2 },
    },
    {
      ...{ type: "computer_call_output", call_id: "c", acknowledged_safety_checks: [] },
      output: { type: "computer_screenshot", image_url: "data:image/png;base64,aGk=" },
    },
  ),
  "a shell of the caller's own": respond({ tools: [{ type: "shell", environment: { type: "local" } }] }),
  "commands of a shell and what they wrote": items(
    { type: "shell_call", call_id: "c", action: { commands: ["ls"], timeout_ms: 9 }, status: "completed" },
    {
      type: "shell_call_output",
      call_id: "c",
      output: [{ stdout: "a", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    },
    {
      type: "local_shell_call",
      id: "l",
      call_id: "d",
      status: "completed",
      action: { type: "exec", command: ["ls"], env: args },
    },
    { type: "local_shell_call_output", id: "d", output: "a" },
  ),
  "a patch that was applied": [
    RESPONSES,
    {
      store: false,
      tools: [{ type: "apply_patch" }],
      input: [
        {
          type: "apply_patch_call",
          call_id: "c",
          status: "completed",
          operation: { type: "update_file", path: "files/a.ts", diff: "" },
        },
        { type: "apply_patch_call_output", call_id: "c", status: "completed", output: "done" },
      ],
    },
  ],
  "a search among the caller's tools": items(
    { type: "tool_search_call", call_id: "c", execution: "client", status: "completed", arguments: args },
    {
      ...{ type: "tool_search_output", call_id: "c", execution: "client", status: "completed" },
      tools: [{ type: "function", name: "f", description: "", parameters: schema, strict: false, defer_loading: true }],
    },
  ),
  "a request of Codex": respond({
    ...{ instructions: "be kind", tool_choice: "auto", parallel_tool_calls: true, stream: true },
    ...{ include: ["reasoning.encrypted_content"], prompt_cache_key: "k", text: { verbosity: "low" } },
    ...{ reasoning: { effort: "high", summary: "auto" }, service_tier: "auto", safety_identifier: "s" },
    client_metadata: { Model: "a" },
    tools: [
      { type: "function", name: "f", description: "", parameters: schema, strict: false },
      {
        type: "custom",
        name: "p",
        description: "",
        format: { type: "grammar", syntax: "lark", definition: "start: A" },
      },
      { type: "local_shell" },
      { type: "namespace", name: "n", description: "", tools: [{ type: "function", name: "g", parameters: schema }] },
    ],
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "hi" }] },
      { type: "reasoning", id: "rs_1", summary: [], content: null, encrypted_content: "e" },
      { type: "function_call", id: "fc_1", call_id: "c", name: "f", arguments: JSON.stringify(args) },
      { type: "function_call_output", call_id: "c", output: JSON.stringify(args) },
      { type: "custom_tool_call", call_id: "d", name: "p", input: "files/a" },
      { type: "custom_tool_call_output", call_id: "d", output: "done" },
    ],
  }),
  "an answer's own words, sent back": items({
    ...{ type: "message", id: "msg_1", role: "assistant", status: "completed", phase: "final_answer" },
    content: [
      { type: "output_text", text: "a", annotations: [{ type: "file_citation", file_id: "file-1" }], logprobs: [] },
    ],
  }),
  "options of a response": respond({
    ...{ metadata: { file_id: "a", Model: "b" }, stream_options: { include_obfuscation: false }, stream: true },
    ...{ previous_response_id: null, conversation: null, prompt: null, background: false, max_tool_calls: 3 },
    ...{ context_management: [{ type: "compaction", compact_threshold: 9_000 }], prompt_cache_retention: "24h" },
    ...{ text: { format: { type: "json_schema", name: "s", schema, strict: true } }, top_logprobs: 2 },
    tool_choice: { type: "allowed_tools", mode: "auto", tools: [{ type: "function", name: "f" }] },
  }),
  // Chat
  "a search that is switched off": chat({ web_search: false }),
  "a search that is switched on": chat({ web_search: true }),
  "arguments as an object": said(
    { role: "assistant", content: "", tool_calls: [chatCall(args)] },
    { role: "tool", tool_call_id: "c", content: "done" },
  ),
  "arguments of the old kind of call": said({ role: "assistant", function_call: { name: "f", arguments: args } }),
  "a tool with its schema as MCP names it": chat({
    tools: [
      { type: "function", function: { name: "f", parameters: schema }, input_schema: schema, input_examples: [args] },
    ],
  }),
  "schemas in fields of other servers": chat({
    ...{ format: schema, guided_json: schema, structured_outputs: { json: schema } },
    response_format: { type: "json_schema", json_schema: { name: "s", strict: true, schema } },
  }),
  "an answer of the official SDK, sent back": said({
    ...{ role: "assistant", content: null, refusal: null, annotations: [], audio: null, function_call: null },
    tool_calls: [{ ...chatCall(JSON.stringify(args)), extra_content: { google: { thought_signature: "s" } } }],
  }),
  "how Gemini shall think, as Google documents it": chat({ extra_body: thinks({ thinking_budget: 800 }) }),
  "options of a chat": chat({
    ...{ metadata: { file_id: "a" }, store: false, user: "u", safety_identifier: "s", prompt_cache_key: "k" },
    ...{ service_tier: "auto", reasoning_effort: "low", verbosity: "low", parallel_tool_calls: false, n: 1 },
    ...{ stream: true, stream_options: { include_usage: true, include_obfuscation: false }, logit_bias: { "1": 2 } },
    ...{ audio: null, tools: null, response_format: { type: "text" }, modalities: ["text"], prediction: null },
    ...{ chat_template_kwargs: { enable_thinking: false }, thinking: { type: "disabled" }, web_search_options: null },
  }),
  // Messages
  "examples of a tool's input": message({ tools: [{ name: "t", input_schema: schema, input_examples: [args] }] }),
  "a request of Claude Code": message({
    ...{ stream: true, temperature: 1, metadata: { user_id: '{"device_id":"d","account_uuid":"","session_id":"s"}' } },
    ...{ thinking: { type: "enabled", budget_tokens: 2_000 }, output_config: { effort: "medium" } },
    ...{ context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] } },
    system: [{ type: "text", text: "be kind", cache_control: cached }],
    tools: [
      { name: "Read", description: "", input_schema: schema, eager_input_streaming: true, cache_control: cached },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "hi", cache_control: cached }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "a", signature: "s" },
          { type: "redacted_thinking", data: "d" },
          { type: "tool_use", id: "t", name: "Read", input: args, caller: { type: "direct" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "done", is_error: false }] },
    ],
  }),
  "tools that the caller runs, and a search among them": message({
    betas: ["advanced-tool-use-2025-11-20"],
    tools: [
      { type: "bash_20250124", name: "bash" },
      { type: "text_editor_20250728", name: "str_replace_based_edit_tool", max_characters: 9 },
      { type: "memory_20250818", name: "memory" },
      { type: "computer_20251124", name: "computer", display_width_px: 9, display_height_px: 9, display_number: 1 },
      { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
      {
        type: "custom",
        name: "f",
        input_schema: schema,
        strict: true,
        defer_loading: true,
        allowed_callers: ["direct"],
      },
      {
        type: "web_fetch_20250910",
        name: "web_fetch",
        max_uses: 1,
        max_content_tokens: 100,
        citations: { enabled: true },
      },
    ],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  }),
  "an MCP server of Anthropic's": message({
    mcp_servers: [{ type: "url", url: "https://mcp.example/", name: "m", authorization_token: "t" }],
    tools: [
      {
        type: "mcp_toolset",
        mcp_server_name: "m",
        default_config: { enabled: true },
        configs: { x: { enabled: false } },
      },
    ],
  }),
  "blocks of other results": blocks(
    { type: "document", source: { type: "text", media_type: "text/plain", data: "a" }, citations: { enabled: true } },
    { type: "search_result", source: "https://x.example/", title: "t", content: [{ type: "text", text: "a" }] },
    { type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference", tool_name: "f" }] },
  ),
  "calls of an MCP server's tools, sent back": message({
    messages: [
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: [
          { type: "mcp_tool_use", id: "t", name: "f", server_name: "m", input: args },
          { type: "mcp_tool_result", tool_use_id: "t", is_error: false, content: [{ type: "text", text: "a" }] },
        ],
      },
    ],
  }),
  "options of a message that are not given": message({
    ...{ container: null, cache_control: cached, service_tier: "standard_only", thinking: { type: "adaptive" } },
    output_config: { format: { type: "json_schema", schema } },
  }),
  // Google's
  "one spelling that is null beside the other": google({
    ...{ system_instruction: null, systemInstruction: { parts: [{ text: "be kind" }] } },
    ...{ generation_config: { max_output_tokens: 9, maxOutputTokens: null }, generationConfig: null },
  }),
  "a request of Google's SDK": google({
    ...{ safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }], labels: { Model: "a" } },
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["f"] } },
    tools: [
      { functionDeclarations: [{ name: "f", parametersJsonSchema: schema, response: schema, behavior: "BLOCKING" }] },
    ],
    generationConfig: {
      ...{ thinkingConfig: { thinkingBudget: -1, includeThoughts: true }, responseJsonSchema: schema },
      ...{ responseMimeType: "application/json", mediaResolution: "MEDIA_RESOLUTION_LOW", seed: 1 },
    },
    contents: [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [{ functionCall: { id: "c", name: "f", args }, thoughtSignature: "s" }] },
      { role: "user", parts: [{ functionResponse: { id: "c", name: "f", response: args } }] },
    ],
  }),
};

test.each(Object.entries(ORDINARY))(
  "%s: nothing is refused, looked up or sent otherwise",
  async (_name, [path, json]) => {
    const call = callTo(path);
    const body = Buffer.from(JSON.stringify(path === GEMINI ? json : { model: "cheap", ...json }));
    const intake = await call.operation.read(body, call);
    expect([intake.references ?? [], intake.storedAddress ?? null]).toEqual([[], null]);
    expect("body" in intake && intake.body).toBe(body);
  },
);

test("a variable of a prompt may have any name, and what is stored under one is looked up", () => {
  const call = { ...callTo(RESPONSES), allowedOptions: ["prompt"] };
  const referencesOf = (variables: Json) => {
    const body = Buffer.from(JSON.stringify({ model: "cheap", prompt: { id: "p", variables } }));
    const intake = call.operation.read(body, call);
    return intake instanceof Promise ? null : intake.references?.map(({ id }) => id);
  };
  expect(referencesOf({ file_id: "of the tax office", container_id: "no id" })).toEqual([]);
  expect(referencesOf({ file_id: { type: "input_file", file_id: "file-1" } })).toEqual(["file-1"]);
});

test("fallbacks can be allowed by its option, in Anthropic's requests alone", () => {
  const json = { model: "cheap", max_tokens: 5, messages: [{ role: "user", content: "hi" }] };
  const body = Buffer.from(JSON.stringify({ ...json, fallbacks: [{ model: "other" }] }));
  const read = (path: string, allowedOptions: string[]) => {
    const call = { ...callTo(path), allowedOptions };
    return () => call.operation.read(body, call);
  };
  expect(read(MESSAGES, ["fallbacks"])).not.toThrow();
  expect(read(MESSAGES, [])).toThrow(RelayError);
  expect(read(CHAT, ["fallbacks"])).toThrow(RelayError);
});

test("arguments as an object reach an upstream of another format", () => {
  const { clientDialect } = callTo(CHAT);
  const [path, json] = said({ role: "assistant", content: "", tool_calls: [chatCall(args)] });
  const upstream = dialects.get("anthropic-messages")?.upstream;
  const target = { model: "m", canReportStreamUsage: true, systemPrompt: { text: "", isForced: false } };
  const sent = upstream?.encode(clientDialect.decode({ model: "cheap", max_tokens: 5, ...json }, path), target);
  expect(JSON.stringify(sent)).toContain(`"input":${JSON.stringify(args)}`);
});

test("Google's thinking in extra_body reaches Gemini in its own format, and nothing else passes in extra_body", () => {
  const call = callTo(CHAT);
  const upstream = dialects.get("gemini-generate-content")?.upstream;
  const target = { model: "gemini-2.5-flash", canReportStreamUsage: true, systemPrompt: { text: "", isForced: false } };
  const [path, json] = chat({ model: "gemini-2.5-flash", extra_body: thinks({ thinking_budget: 800 }) });
  expect(upstream?.encode(call.clientDialect.decode(json, path), target)).toMatchObject({
    generationConfig: { thinkingConfig: { thinkingBudget: 800, includeThoughts: true } },
  });
  const others: Json[] = [
    { ...thinks({}), api_base: "http://evil.example" },
    { google: { thinking_config: { thinking_budget: 1 }, cached_content: "cachedContents/1" } },
    thinks({ api_base: "http://evil.example" }),
    thinks({ thinking_budget: { a: 1 } }),
    { google: [{ thinking_config: { thinking_budget: 1 } }] },
    { Google: { thinking_config: { thinking_budget: 1 } } },
    {},
  ];
  for (const extra of others) {
    const body = Buffer.from(JSON.stringify({ ...json, extra_body: extra }));
    expect(() => call.operation.read(body, call), JSON.stringify(extra)).toThrow("extra_body is no field of this API");
  }
  const elsewhere = callTo(MESSAGES);
  const [, asked] = message({ model: "cheap", extra_body: thinks({}) });
  expect(() => elsewhere.operation.read(Buffer.from(JSON.stringify(asked)), elsewhere)).toThrow(RelayError);
});

test("what is changed of a request in two spellings is changed where it is given", () => {
  expect(givenName({ generationConfig: null, generation_config: {} }, "generationConfig")).toBe("generation_config");
  expect(givenName({ generationConfig: {}, generation_config: null }, "generationConfig")).toBe("generationConfig");
  expect(givenName({ generation_config: null }, "generationConfig")).toBe("generationConfig");
});

describe("types of answers", () => {
  test.each([
    ["application/json;odata.metadata=minimal", "application/json"],
    ["application/json; charset='utf-8'", "application/json"],
    ["text/event-stream; charset='utf-8'", "text/event-stream"],
    ["audio/mpeg; rate=(44100)", "audio/mpeg"],
    ["text/html; charset='utf-8'", "text/plain"],
    ["image/svg+xml; charset='utf-8'", "application/octet-stream"],
    ["application/json; a='b, text/html'", "application/octet-stream"],
    ["application/json;a.b=c, text/html", "application/octet-stream"],
    ["application/json text/html", "application/octet-stream"],
  ])("the type %j goes out as %j", (given, sent) => expect(safeContentType(given)).toBe(sent));
});

test("a page's script may post plain text with the key in the address", () => {
  const headers = { origin: "https://app.example", "content-type": "text/plain;charset=UTF-8" };
  const scripted = { ...headers, "sec-fetch-mode": "cors", "sec-fetch-dest": "empty", "sec-fetch-site": "cross-site" };
  expect(() => refuseNavigation({ method: "POST", headers: scripted })).not.toThrow();
  expect(() => refuseNavigation({ method: "POST", headers: { ...scripted, "sec-fetch-mode": "navigate" } })).toThrow();
  expect(() => refuseNavigation({ method: "POST", headers })).toThrow(RelayError);
});
