import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json } from "../canonical/json";
import { InvalidRequest } from "../canonical/wire-error";
import { dialects } from ".";
import { withoutExtras } from "./common/extras";
import { refuseDearOptions } from "./common/option-rule";
import { storedIds } from "./common/stored-ids";
import { refuseControls } from "./common/upstream-controls";
import type { Dialect, UpstreamTarget } from "./dialect";

type Outcome = "carried" | "refused" | "harmless";
/** A value of the field, and what becomes of it where the request is translated. `why`: of what may be left out. */
type Field = { value: unknown; becomes: Outcome; why?: string };

const harmless = (value: unknown, why: string): Field => ({ value, becomes: "harmless", why });
const carried = (value: unknown): Field => ({ value, becomes: "carried" });
const refused = (value: unknown): Field => ({ value, becomes: "refused" });

const CLIENT = "it is about the client, and not sent";
const TOLD = "the provider's own books; no answer depends on it";
const CACHE = "it says where a cache is, not what is answered";
const TIER = "only tiers of the usual price are let through";

const tool = { type: "function", function: { name: "f", parameters: { type: "object", properties: {} } } };
const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false };

/** Every field of the official SDKs' requests, by dialect. */
const FIELDS: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  "openai-chat": {
    messages: carried([{ role: "user", content: "another" }]),
    model: harmless("n", "the upstream's name of the model is sent"),
    audio: harmless({ voice: "a", format: "mp3" }, "sound is asked for by modalities, which are refused"),
    frequency_penalty: carried(0.5),
    function_call: refused("auto"),
    functions: refused([{ name: "f" }]),
    logit_bias: refused({ 1: 100 }),
    logprobs: carried(true),
    max_completion_tokens: carried(77),
    max_tokens: carried(77),
    metadata: harmless({ a: "b" }, TOLD),
    modalities: refused(["text", "audio"]),
    moderation: refused({ model: "omni-moderation-latest" }),
    n: carried(2),
    parallel_tool_calls: carried(false),
    prediction: harmless({ type: "content", content: "a" }, "it makes an answer faster, not another one"),
    presence_penalty: carried(0.5),
    prompt_cache_key: carried("k"),
    prompt_cache_options: harmless({ mode: "implicit" }, CACHE),
    prompt_cache_retention: harmless("24h", CACHE),
    reasoning_effort: carried("low"),
    response_format: carried({ type: "json_schema", json_schema: { name: "a", schema } }),
    safety_identifier: carried("u"),
    seed: carried(7),
    service_tier: harmless("flex", TIER),
    stop: carried(["x"]),
    store: harmless(true, "what is stored is looked up at upstreams of this format only"),
    stream: carried(true),
    stream_options: harmless({ include_usage: true }, "usage is reported here"),
    temperature: carried(0.3),
    tool_choice: carried({ type: "function", function: { name: "f" } }),
    tools: carried([tool, { ...tool, function: { ...tool.function, name: "g" } }]),
    top_logprobs: harmless(2, "without logprobs it says nothing"),
    top_p: carried(0.4),
    user: carried("u"),
    verbosity: carried("low"),
    web_search_options: carried({ search_context_size: "low" }),
  },
  "openai-responses": {
    access_programs: refused(["a"]),
    background: refused(true),
    context_management: harmless([{ type: "compaction" }], "more of the conversation stays than was asked for"),
    conversation: refused("conv_1"),
    image: harmless(null, "it belongs to tools that draw, which are refused"),
    include: harmless(["file_search_call.results"], "it adds to what is told, not to what is answered"),
    input: carried("another"),
    instructions: carried("be kind"),
    max_output_tokens: carried(77),
    max_tool_calls: harmless(3, "there are no tools but the caller's own, and searches, which have it"),
    metadata: harmless({ a: "b" }, "it comes back with the answer"),
    model: harmless("n", "the upstream's name of the model is sent"),
    moderation: refused({ model: "omni-moderation-latest" }),
    parallel_tool_calls: carried(false),
    previous_response_id: refused("resp_1"),
    prompt: refused({ id: "pmpt_1" }),
    prompt_cache_key: carried("k"),
    prompt_cache_options: harmless({ mode: "implicit" }, CACHE),
    prompt_cache_retention: harmless("24h", CACHE),
    reasoning: carried({ effort: "low" }),
    safety_identifier: carried("u"),
    service_tier: harmless("flex", TIER),
    store: harmless(true, "nothing is stored, and the answer says so"),
    stream: carried(true),
    stream_options: harmless({ include_obfuscation: false }, "it is about the transport"),
    temperature: carried(0.3),
    text: carried({ format: { type: "json_schema", name: "a", schema } }),
    tool_choice: carried({ type: "function", name: "f" }),
    tools: carried([{ type: "function", name: "g", parameters: {} }]),
    top_logprobs: carried(2),
    top_p: carried(0.4),
    truncation: harmless("auto", "a conversation that is too long is refused instead of cut"),
    user: carried("u"),
  },
  "anthropic-messages": {
    max_tokens: carried(77),
    messages: carried([{ role: "user", content: "another" }]),
    model: harmless("n", "the upstream's name of the model is sent"),
    betas: harmless(["a"], "clients send it as a header"),
    billing_policy: harmless("a", TOLD),
    cache_control: harmless({ type: "ephemeral" }, CACHE),
    compaction: harmless({ type: "enabled" }, "more of the conversation stays than was asked for"),
    container: refused("container_1"),
    context_management: harmless({ edits: [] }, "more of the conversation stays than was asked for"),
    diagnostics: harmless({ previous_message_id: null }, TOLD),
    fallback_credit_token: harmless("a", TOLD),
    fallbacks: refused([{ model: "dear" }]),
    inference_geo: refused("us"),
    mcp_servers: refused([{ type: "url", url: "https://x.example", name: "a" }]),
    metadata: carried({ user_id: "u" }),
    output_config: carried({ format: { type: "json_schema", schema } }),
    output_format: carried({ type: "json_schema", schema }),
    service_tier: harmless("standard_only", TIER),
    speed: refused("fast"),
    stop_sequences: carried(["x"]),
    stream: carried(true),
    system: carried("be kind"),
    thinking: carried({ type: "enabled", budget_tokens: 1_024 }),
    thread: refused({ type: "create" }),
    tool_choice: carried({ type: "tool", name: "f" }),
    tools: carried([{ name: "g", input_schema: { type: "object" } }]),
    user_profile_id: refused("a"),
    workspace_id: refused("a"),
  },
  "gemini-generate-content": {
    httpOptions: harmless({}, CLIENT),
    abortSignal: harmless({}, CLIENT),
    automaticFunctionCalling: harmless({}, CLIENT),
    automaticContinuation: harmless(true, CLIENT),
    serviceTier: harmless("flex", TIER),
    systemInstruction: carried({ parts: [{ text: "be kind" }] }),
    temperature: carried(0.3),
    topP: carried(0.4),
    topK: carried(5),
    candidateCount: carried(2),
    maxOutputTokens: carried(77),
    stopSequences: carried(["x"]),
    responseLogprobs: carried(true),
    logprobs: harmless(2, "without responseLogprobs it says nothing"),
    presencePenalty: carried(0.5),
    frequencyPenalty: carried(0.5),
    seed: carried(7),
    responseMimeType: carried("application/json"),
    responseSchema: harmless(schema, "without responseMimeType it says nothing"),
    responseJsonSchema: harmless(schema, "without responseMimeType it says nothing"),
    routingConfig: refused({ manualMode: { modelName: "dear" } }),
    modelSelectionConfig: refused({ featureSelectionPreference: "PRIORITIZE_COST" }),
    safetySettings: harmless([], "other upstreams have rules of their own"),
    tools: carried([{ functionDeclarations: [{ name: "f" }] }]),
    toolConfig: carried({ functionCallingConfig: { mode: "AUTO" } }),
    labels: harmless({ a: "b" }, TOLD),
    cachedContent: refused("cachedContents/1"),
    responseModalities: refused(["AUDIO"]),
    mediaResolution: harmless("MEDIA_RESOLUTION_LOW", "media are looked at more finely than was asked for"),
    speechConfig: harmless({}, "sound is asked for by responseModalities, which are refused"),
    audioTimestamp: refused(true),
    thinkingConfig: carried({ thinkingBudget: 1_024 }),
    audioTranscriptionConfig: refused({ languageCodes: ["de"] }),
    imageConfig: harmless({}, "pictures are asked for by responseModalities, which are refused"),
    enableEnhancedCivicAnswers: harmless(true, "other upstreams have rules of their own"),
    modelArmorConfig: refused({ promptTemplateName: "a" }),
    continuationToken: refused("a"),
    generationOutputConfig: refused({ a: 1 }),
    store: harmless(true, "nothing is stored"),
  },
};

/** Where an SDK declares the fields. */
const TYPES: readonly (readonly [dialect: string, file: string, name: string])[] = [
  ["openai-chat", "openai/resources/chat/completions/completions.d.ts", "ChatCompletionCreateParamsBase"],
  ["openai-responses", "openai/resources/responses/responses.d.ts", "ResponseCreateParamsBase"],
  ["anthropic-messages", "@anthropic-ai/sdk/resources/messages/messages.d.ts", "MessageCreateParamsBase"],
  ["anthropic-messages", "@anthropic-ai/sdk/resources/beta/messages/messages.d.ts", "MessageCreateParamsBase"],
  ["gemini-generate-content", "@google/genai/dist/genai.d.ts", "GenerateContentConfig"],
];

const BASES: Readonly<Record<string, Json>> = {
  "openai-chat": { model: "m", messages: [{ role: "user", content: "hi" }], tools: [tool] },
  "openai-responses": { model: "m", input: "hi", tools: [{ type: "function", name: "f", parameters: {} }] },
  "anthropic-messages": {
    model: "m",
    max_tokens: 4_000,
    messages: [{ role: "user", content: "hi" }],
    tools: [{ name: "f", input_schema: { type: "object" } }],
  },
  "gemini-generate-content": { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};

function fieldsOf(file: string, name: string): string[] {
  const source = readFileSync(new URL(`../../../../node_modules/${file}`, import.meta.url), "utf8");
  const plain = source.replace(/\/\*\*[\s\S]*?\*\//g, "");
  const [, body = ""] =
    new RegExp(`interface ${name}(?: extends [^{]+)? \\{\\r?\\n([\\s\\S]*?)\\n\\}`).exec(plain) ?? [];
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, field = ""]) => field);
}

test.each(Object.keys(FIELDS))("%s: every field of the official SDKs is in the table, and no other", (id) => {
  const known = TYPES.flatMap(([dialect, file, name]) => (dialect === id ? fieldsOf(file, name) : []));
  expect(known.length).toBeGreaterThan(15);
  expect(Object.keys(FIELDS[id] ?? {}).sort()).toEqual([...new Set(known)].sort());
});

/** Fields of Google's that stand beside the configuration of the answer. */
const TOP = new Set([
  ...["serviceTier", "systemInstruction", "safetySettings", "tools", "toolConfig", "labels", "cachedContent", "store"],
  ...["modelArmorConfig", "continuationToken", "generationOutputConfig"],
]);

function withField(id: string, name: string, value: unknown): Json {
  const base = BASES[id] ?? {};
  return id === "gemini-generate-content" && !TOP.has(name)
    ? { ...base, generationConfig: { [name]: value } }
    : { ...base, [name]: value };
}

const PATH = "/v1beta/models/m:generateContent";
const target: UpstreamTarget = {
  model: "m",
  canReportStreamUsage: true,
  systemPrompt: { text: "", isForced: false },
};

/** The request as the upstream gets it; null = it is refused. */
function translated({ client }: Dialect, { upstream }: Dialect, json: Json): Json | null {
  try {
    refuseControls(json, client);
    refuseDearOptions(client.options, json, []);
    if (storedIds(json, client.names).length > 0) return null;
    const request = withoutExtras(client.decode(json, PATH), upstream.canBeAsked);
    const body = upstream.encode(request, target);
    return { ...body, ...upstream.passEdits(body, client.readFacts(json, PATH), target), stream: request.isStream };
  } catch (error) {
    if (error instanceof InvalidRequest) return null;
    throw error;
  }
}

const all = [...dialects.values()];
const pairs = all.flatMap((caller) =>
  all.flatMap((upstream) => (upstream === caller ? [] : [[caller.id, upstream.id, caller, upstream] as const])),
);

describe("a field of an official SDK is carried or refused, and left out only where no answer depends on it", () => {
  test.each(pairs)("%s to %s", (id, _to, caller, upstream) => {
    const plain = JSON.stringify(translated(caller, upstream, BASES[id] ?? {}));
    expect(plain).not.toBe("null");
    for (const [name, { value, becomes, why = "" }] of Object.entries(FIELDS[id] ?? {})) {
      const json = translated(caller, upstream, withField(id, name, value));
      const outcome = json === null ? "refused" : JSON.stringify(json) === plain ? "harmless" : "carried";
      const allowed = becomes === "carried" ? ["carried", "refused"] : [becomes];
      if (becomes === "carried" && isSampling(name, upstream.id)) allowed.push("harmless");
      expect(allowed, `${name}: ${outcome} ${why}`).toContain(outcome);
    }
  });
});

/** What only makes some words likelier, or a cache be found, and some upstreams have no field for. */
function isSampling(name: string, to: string): boolean {
  const without = WITHOUT[to] ?? [];
  return without.includes(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

const PENALTIES = ["frequency_penalty", "presence_penalty", "seed"];
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  "openai-chat": ["top_k", "prompt_cache_key", "verbosity"],
  "openai-responses": [...PENALTIES, "top_k", "stop", "stop_sequences", "prompt_cache_key", "verbosity"],
  // A choice without tools says nothing.
  "anthropic-messages": [...PENALTIES, "prompt_cache_key", "verbosity", "tool_config"],
  "gemini-generate-content": [
    "prompt_cache_key",
    "verbosity",
    "user",
    "safety_identifier",
    "metadata",
    "parallel_tool_calls",
  ],
};
