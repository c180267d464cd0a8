import { operations } from "@/lib/relay/operations";
import type { Call } from "@/lib/relay/operations/operation";
import type { Json } from "@/lib/relay/wire/canonical/json";

/** A plain request of an operation, of each form in which callers send it. */
export type Sample = { path: string; json: Json };

const user = { role: "user", content: [{ type: "text", text: "hi" }] };
const parameters = { type: "object", properties: { Model: { type: "string" }, model: { type: "string" } } };
const picture = "https://example.com/a.png";

export const SAMPLES: readonly Sample[] = [
  {
    path: "/v1/chat/completions",
    json: {
      model: "cheap",
      max_tokens: 10,
      n: 1,
      stream: true,
      stream_options: { include_usage: true },
      service_tier: "default",
      modalities: ["text"],
      metadata: { Model: "a", Tools: "b" },
      logit_bias: { Model: 1 },
      messages: [
        { role: "system", content: "be kind" },
        { role: "user", content: [...user.content, { type: "image_url", image_url: { url: picture, detail: "low" } }] },
        { role: "assistant", tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }] },
        { role: "tool", tool_call_id: "c", content: "done" },
      ],
      tools: [{ type: "function", function: { name: "f", description: "d", parameters } }],
      response_format: { type: "json_schema", json_schema: { name: "s", schema: parameters } },
    },
  },
  {
    path: "/v1/responses",
    json: {
      model: "cheap",
      max_output_tokens: 10,
      stream: true,
      store: false,
      service_tier: "default",
      instructions: "be kind",
      metadata: { Model: "a" },
      input: [
        { type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] },
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: [{ type: "input_text", text: "done" }] },
      ],
      tools: [{ type: "function", name: "f", parameters }],
    },
  },
  {
    path: "/v1/messages",
    json: {
      model: "cheap",
      max_tokens: 10,
      stream: true,
      service_tier: "auto",
      system: [{ type: "text", text: "be kind", cache_control: { type: "ephemeral", ttl: "5m" } }],
      metadata: { user_id: "u", Model: "a" },
      messages: [
        user,
        { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: { Model: "a", Source: {} } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "a" }] }] },
      ],
      tools: [{ name: "f", description: "d", input_schema: parameters }],
    },
  },
  {
    path: "/v1beta/models/cheap:generateContent",
    json: {
      contents: [
        { role: "user", parts: [{ text: "hi" }, { inlineData: { mimeType: "image/png", data: "aGk=" } }] },
        {
          role: "model",
          parts: [{ functionCall: { name: "f", args: { Tools: 1, serviceTier: 2, service_tier: 3 } } }],
        },
        { role: "user", parts: [{ functionResponse: { name: "f", response: { Parts: [], parts: 1 } } }] },
      ],
      systemInstruction: { parts: [{ text: "be kind" }] },
      tools: [{ functionDeclarations: [{ name: "f", parameters }] }],
      generationConfig: {
        maxOutputTokens: 10,
        candidateCount: 1,
        responseModalities: ["TEXT"],
        thinkingConfig: { thinkingBudget: 0 },
        responseSchema: parameters,
      },
      serviceTier: "standard",
      labels: { Model: "a" },
    },
  },
  { path: "/v1/completions", json: { model: "cheap", prompt: "a", max_tokens: 10, n: 1, best_of: 1, stream: true } },
  { path: "/v1/embeddings", json: { model: "cheap", input: ["a"], dimensions: 8, encoding_format: "float" } },
  {
    path: "/v1beta/models/cheap:batchEmbedContents",
    json: {
      requests: [{ model: "models/cheap", content: { parts: [{ text: "a" }] }, outputDimensionality: 8 }],
    },
  },
  { path: "/v2/embed", json: { model: "cheap", texts: ["a"], input_type: "search_query", embedding_types: ["float"] } },
  { path: "/v1/rerank", json: { model: "cheap", query: "a", documents: ["b", { text: "c", Title: "d" }], top_n: 1 } },
  { path: "/v2/rerank", json: { model: "cheap", query: "a", documents: ["b"], max_tokens_per_doc: 9 } },
  { path: "/v1/moderations", json: { model: "cheap", input: [{ type: "text", text: "a" }] } },
  {
    path: "/v1/images/generations",
    json: { model: "cheap", prompt: "a", n: 1, size: "256x256", quality: "low", stream: false },
  },
  { path: "/v1/images/edits", json: { model: "cheap", prompt: "a", images: [{ image_url: picture }], n: 1 } },
  { path: "/v1/audio/speech", json: { model: "cheap", input: "a", voice: "alloy", response_format: "mp3" } },
  { path: "/v1/videos", json: { model: "cheap", prompt: "a", seconds: "4", size: "1280x720" } },
  { path: "/v1/video/generations", json: { model: "cheap", prompt: "a", duration: 5, metadata: { sound: "off" } } },
  { path: "/kling/v1/videos/text2video", json: { model_name: "cheap", prompt: "a", duration: "5", mode: "std" } },
  {
    path: "/v1beta/models/cheap:predictLongRunning",
    json: { instances: [{ prompt: "a" }], parameters: { durationSeconds: 4, sampleCount: 1 } },
  },
  {
    path: "/api/v3/contents/generations/tasks",
    json: { model: "cheap", content: [{ type: "text", text: "a" }], duration: 5, resolution: "480p" },
  },
  { path: "/mj/submit/imagine", json: { prompt: "a", botType: "MID_JOURNEY", notifyHook: "" } },
  { path: "/suno/submit/music", json: { prompt: "a", mv: "chirp-v3-0", tags: "b" } },
];

/** The call of a request to this path, as the gateway makes it. */
export function callTo(path: string, query = ""): Call {
  for (const operation of operations) {
    const endpoint = operation.endpoints.find((one) =>
      typeof one.path === "string" ? one.path === path : one.path.test(path),
    );
    if (endpoint?.method !== "POST") continue;
    return {
      operation,
      clientDialect: endpoint.clientDialect,
      requestId: "r1",
      path,
      query,
      headers: {},
      allowedOptions: [],
    };
  }
  throw new Error(`nothing is served at ${path}`);
}
