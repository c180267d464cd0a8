// A body gives orders to the upstream that no check sees: the fields by which LiteLLM and other gateways are told another
// address, key or model; and a dear option, a text or a file in another shape than the one that is looked for: one object
// for a list, a list for an object, a number for a word. Fields of that kind are refused by name in every operation and
// case. Every dear option is refused in every shape, and what is in a text or a part is read in every shape.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RelayError } from "@/lib/relay/base/relay-error";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { dialects } from "@/lib/relay/wire/dialects";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { setUpRelay } from "../relay/harness";
import { callTo, SAMPLES } from "./request-samples";

/** What becomes of a request; "passes" = it would be sent. */
function outcome(path: string, json: Json): string {
  const call = callTo(path);
  try {
    call.operation.read(Buffer.from(JSON.stringify(json)), call);
    return "passes";
  } catch (error) {
    if (error instanceof RelayError && error.status === 400) return `refused: ${error.wire.param}`;
    throw error;
  }
}

const CONTROLS = [
  ...["api_base", "base_url", "api_key", "user_config", "fallbacks", "extra_body", "extra_headers", "headers"],
  ...["model_list", "custom_llm_provider", "litellm_params", "context_window_fallbacks", "mock_response"],
  ...["aws_bedrock_runtime_endpoint", "vertex_credentials", "azure_ad_token", "input_cost_per_token"],
];

test.each(SAMPLES)(
  "$path: fields that give orders to another gateway are refused by name, in any case",
  ({ path, json }) => {
    expect(outcome(path, json)).toBe("passes");
    for (const name of CONTROLS) {
      for (const spelled of [name, name.toUpperCase(), name.replace("s", "\u017f").replace("k", "\u212a")]) {
        for (const value of ["http://evil.example", { a: 1 }]) {
          expect(outcome(path, { ...json, [spelled]: value }), spelled).toBe(`refused: ${spelled}`);
        }
      }
    }
  },
);

/** An example of each option that is refused, by the name under which an operator can allow it. */
const DEAR: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  "openai-chat": {
    service_tier: { service_tier: "priority" },
    priority: { priority: "high" },
    speed: { speed: "fast" },
    inference_geo: { inference_geo: "us" },
    web_search_options: { web_search_options: { search_context_size: "high" } },
    search_parameters: { search_parameters: { mode: "on" } },
    enable_search: { enable_search: true },
    search_options: { search_options: { forced_search: true } },
    plugins: { plugins: [{ id: "web" }] },
    route: { route: "fallback" },
    provider: { provider: { order: ["dear"] } },
    tools: { tools: [{ type: "web_search", web_search: { enable: true } }] },
    cache_control: { tools: [{ type: "function", function: { name: "f" }, cache_control: { ttl: "1h" } }] },
    modalities: { modalities: ["image"] },
  },
  "openai-responses": {
    service_tier: { service_tier: "priority" },
    tools: { tools: [{ type: "web_search" }] },
    prompt: { prompt: { id: "pmpt_1" } },
  },
  "anthropic-messages": {
    service_tier: { service_tier: "priority" },
    speed: { speed: "fast" },
    inference_geo: { inference_geo: "us" },
    container: { container: "container_1" },
    fallbacks: { fallbacks: [{ model: "dear" }] },
    tools: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    cache_control: { system: [{ type: "text", text: "a", cache_control: { type: "ephemeral", ttl: "1h" } }] },
  },
  "gemini-generate-content": {
    service_tier: { serviceTier: "priority" },
    tools: { tools: [{ googleSearch: {} }] },
    cachedContent: { cachedContent: "cachedContents/1" },
    modalities: { generationConfig: { responseModalities: ["IMAGE"] } },
    routingConfig: { generationConfig: { routingConfig: { manualMode: { modelName: "dear" } } } },
  },
};

/** Other shapes in which a reader may take the same value. */
function shapesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return [value[0], [value]];
  if (typeof value === "string") return [[value], 3, { type: value }];
  return typeof value === "object" ? [[value]] : [];
}

/** The field as it is, and each of its values, however deep, in another shape. */
function reshaped(json: Json): Json[] {
  return Object.entries(json).flatMap(([name, value]) => {
    const inner = typeof value === "object" && value !== null && !Array.isArray(value) ? reshaped(value as Json) : [];
    return [value, ...shapesOf(value), ...inner].map((one) => ({ [name]: one }));
  });
}

const ofDialects = SAMPLES.slice(0, 4).map((sample) => [callTo(sample.path).clientDialect, sample] as const);

test.each(ofDialects)(
  "every option that costs more is refused in every shape: $dialect",
  (clientDialect, { path, json }) => {
    const examples = DEAR[clientDialect.dialect] ?? {};
    const refused = clientDialect.options.flatMap((rule) => (rule.becomes === "refused" ? [rule.param] : []));
    expect(Object.keys(examples).sort()).toEqual([...new Set(refused)].sort());
    for (const [param, example] of Object.entries(examples)) {
      for (const dear of reshaped(example)) {
        // A search beside the caller's own tools is taken out instead.
        const { tools: _, ...plain } = json;
        const asked = { ...plain, ...dear };
        expect(outcome(path, asked), `${param}: ${JSON.stringify(dear)}`).toMatch(/^refused/);
      }
    }
  },
);

const SECRET = "forbidden-word";
const GEMINI = "/v1beta/models/cheap:generateContent";

/** Where a text of a person can stand, in every shape that some reader takes. */
const TEXTS: readonly (readonly [string, Json])[] = [
  [GEMINI, { contents: [{ parts: { text: SECRET } }] }],
  [GEMINI, { contents: { parts: [{ text: SECRET }] } }],
  [GEMINI, { contents: { parts: { text: SECRET } } }],
  [GEMINI, { contents: [{ parts: [{ text: "a" }] }], systemInstruction: { parts: { text: SECRET } } }],
  [GEMINI, { contents: [{ parts: [{ text: "a" }] }], system_instruction: { parts: { text: SECRET } } }],
  [GEMINI, { contents: [{ parts: [{ text: "a" }] }], systemInstruction: [{ parts: [{ text: SECRET }] }] }],
  [GEMINI, { contents: [{ parts: [{ text: "a" }] }], systemInstruction: SECRET }],
  ["/v1/chat/completions", { messages: [{ role: "user", content: { type: "text", text: SECRET } }] }],
  ["/v1/chat/completions", { messages: [{ role: "user", content: [SECRET] }] }],
  ["/v1/messages", { messages: [{ role: "user", content: { type: "text", text: SECRET } }] }],
  ["/v1/messages", { messages: [{ role: "user", content: "a" }], system: { type: "text", text: SECRET } }],
  [
    "/v1/messages",
    { messages: [{ role: "user", content: [{ type: "tool_result", content: { type: "text", text: SECRET } }] }] },
  ],
  ["/v1/responses", { input: { role: "user", content: SECRET } }],
  ["/v1/responses", { input: [{ role: "user", content: { type: "input_text", text: SECRET } }] }],
  ["/v1/responses", { input: [{ type: "function_call_output", output: { type: "input_text", text: SECRET } }] }],
  ["/v1/rerank", { query: "a", documents: [{ text: "a", Text: SECRET }] }],
];

test.each(TEXTS)("%s: a text is read by the word check, or refused: %j", (path, json) => {
  const call = callTo(path);
  const body = Buffer.from(JSON.stringify({ model: "cheap", max_tokens: 5, ...json }));
  let words: string;
  try {
    const intake = call.operation.read(body, call);
    if (intake instanceof Promise) throw new Error("a JSON body is read at once");
    words = [...intake.words()].join(" ");
  } catch (error) {
    expect(error).toMatchObject({ status: 400 });
    return;
  }
  expect(words).toContain(SECRET);
});

test("Gemini's files are counted in every shape", () => {
  const clientDialect = dialects.get("gemini-generate-content")?.client;
  const files = [
    { fileData: { fileUri: "https://x.example/a.pdf" } },
    { file_data: { file_uri: "https://x.example/a.pdf" } },
  ];
  for (const part of files) {
    for (const contents of [[{ parts: part }], { parts: [part] }, { parts: part }, [{ parts: [part] }]]) {
      expect(clientDialect?.readFacts({ contents }, GEMINI).attachments.hasUnknownSize).toBe(true);
    }
  }
});

describe("on the wire", () => {
  const relay = setUpRelay({ channels: [{}], prices: "fake-gpt,gpt-4.1" });
  let storage: FakeStorage;
  let headers: Record<string, string>;

  beforeAll(async () => {
    storage = await startFakeStorage();
    const { token } = await relay.addCaller();
    headers = { authorization: `Bearer ${token.key}`, "content-type": "application/json" };
  });
  afterAll(() => storage.close());

  test("an order is refused with its name in the caller's own shape, and nothing is sent or charged", async () => {
    relay.upstream.forget();
    const ask = async (path: string, body: object) => {
      const reply = await fetch(`${relay.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: reply.status, json: (await reply.json()) as { error: { message: string } } };
    };
    const messages = [{ role: "user", content: "hi" }];
    for (const path of ["/v1/chat/completions", "/v1/messages"]) {
      const { status, json } = await ask(path, { model: "fake-gpt", max_tokens: 5, messages, api_base: "http://x" });
      expect([status, json.error.message]).toEqual([400, expect.stringContaining("api_base is no field of this API")]);
    }
    const body = { contents: [{ parts: [{ text: "hi" }] }], tools: { googleSearch: {} } };
    expect((await ask("/v1beta/models/fake-gpt:generateContent", body)).status).toBe(400);
    expect(relay.upstream.requests).toEqual([]);
  });
});
