import { describe, expect, test } from "vitest";
import { upstreamSchemas } from "../../../../testing/upstream-schemas";
import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { dialects, upstreamsOnly } from "..";
import { withoutExtras } from "./extras";
import { refuseDearOptions } from "./option-rule";
import { utf8Bytes } from "./utf8";

const PATH = "/v1beta/models/m:generateContent";
const target = { model: "m", canReportStreamUsage: true, systemPrompt: { text: "", isForced: false } };
const messages = [{ role: "user", content: "?" }];
const contents = [{ role: "user", parts: [{ text: "?" }] }];

function of(id: string) {
  const found = dialects.get(id);
  if (!found) throw new Error(`no dialect ${id}`);
  return found;
}

const decode = (id: string, json: Json): ChatRequest => of(id).client.decode({ model: "m", ...json }, PATH);
/** The request, once its provider's schema has accepted it. */
function encode(id: string, request: ChatRequest, model = "m"): Json {
  const body = of(id).upstream.encode(request, { ...target, model });
  expect(upstreamSchemas.get(id)?.safeParse(body).error).toBeUndefined();
  return body;
}

const place = { city: "Bern", country: "CH" };
const approximate = { type: "approximate", ...place };
const searches: [string, Json, object][] = [
  [
    "openai-chat",
    {
      messages,
      web_search_options: { search_context_size: "low", user_location: { type: "approximate", approximate: place } },
    },
    { contextSize: "low", userLocation: place },
  ],
  ["openai-chat", { messages, tools: [{ type: "function", function: { name: "googleSearch" } }] }, {}],
  [
    "openai-responses",
    {
      input: "?",
      tools: [{ type: "web_search", filters: { allowed_domains: ["a.example"] }, user_location: approximate }],
    },
    { allowedDomains: ["a.example"], userLocation: place },
  ],
  [
    "openai-responses",
    { input: "?", tools: [{ type: "web_search_preview_2025_03_11" }], max_tool_calls: 2 },
    { maxUses: 2 },
  ],
  [
    "anthropic-messages",
    {
      messages,
      max_tokens: 9,
      tools: [
        {
          type: "web_search_20250305",
          name: "web_search",
          max_uses: 3,
          blocked_domains: ["b.example"],
          user_location: approximate,
        },
      ],
    },
    { maxUses: 3, blockedDomains: ["b.example"], userLocation: place },
  ],
  ["anthropic-messages", { messages, max_tokens: 9, tools: [{ type: "web_search_20260209", name: "web_search" }] }, {}],
  ["gemini-generate-content", { contents, tools: [{ googleSearch: {} }] }, {}],
  [
    "gemini-generate-content",
    { contents, tools: [{ google_search: { exclude_domains: ["b.example"] } }] },
    { blockedDomains: ["b.example"] },
  ],
];

describe.each(searches)("a search of the web asked for as %s has it: %o", (id, json, search) => {
  test("is understood", () => {
    expect(decode(id, json)).toMatchObject({ webSearch: search });
    expect(decode(id, json).tools).toBeUndefined();
  });

  test("is refused where the operator does not allow it", () => {
    const { options } = of(id).client;
    expect(() => refuseDearOptions(options, { model: "m", ...json }, [])).toThrow(InvalidRequest);
  });

  test("is asked for at every upstream that has it, or refused there", () => {
    const request = decode(id, json);
    const hasDomains = "allowedDomains" in search || "blockedDomains" in search;
    for (const other of ["openai-chat", "gemini-generate-content"]) {
      if (hasDomains) expect(() => encode(other, request)).toThrow(InvalidRequest);
      else expect(JSON.stringify(encode(other, request))).toMatch(/"web_search_options":|"googleSearch":/);
    }
    for (const other of ["openai-responses", "anthropic-messages"]) {
      const again = of(other).client.decode({ max_tokens: 9, ...encode(other, request) }, PATH);
      const { contextSize: _, maxUses, ...kept } = request.webSearch ?? {};
      expect(again.webSearch).toMatchObject(maxUses === undefined ? kept : { ...kept, maxUses });
    }
  });

  test("is refused, and not left out, by formats that cannot be asked for it", () => {
    const request = decode(id, json);
    for (const { upstream } of upstreamsOnly.values()) {
      if (upstream.canBeAsked?.includes("webSearch")) continue;
      expect(() => withoutExtras(request, upstream.canBeAsked)).toThrow(InvalidRequest);
    }
    expect(withoutExtras(request, ["webSearch"])).toBe(request);
  });
});

test("a search that must be made is chosen in the upstream's own words", () => {
  const tools = [{ type: "web_search_20250305", name: "web_search" }];
  const request = decode("anthropic-messages", {
    messages,
    max_tokens: 9,
    tools,
    tool_choice: { type: "tool", name: "web_search" },
  });
  expect(encode("openai-responses", request)).toMatchObject({
    tools: [{ type: "web_search" }],
    tool_choice: { type: "web_search" },
  });
  expect(encode("anthropic-messages", request)).toMatchObject({ tool_choice: { type: "tool", name: "web_search" } });
  expect(encode("openai-chat", request)).not.toHaveProperty("tool_choice");
  expect(encode("gemini-generate-content", request)).not.toHaveProperty("toolConfig");
});

test("a function of the caller's own that has the name of a search stays a function", () => {
  const named = (name: string) => ({
    type: "function",
    function: { name, parameters: { type: "object", properties: { q: {} } } },
  });
  const request = decode("openai-chat", { messages, tools: [named("web_search"), named("googleSearch")] });
  expect(request.webSearch).toBeUndefined();
  expect(request.tools?.map(({ name }) => name)).toEqual(["web_search", "googleSearch"]);
});

test("logprobs are asked for in each format, and refused by those that cannot report them", () => {
  const request = decode("openai-chat", { messages, logprobs: true, top_logprobs: 3 });
  expect(encode("openai-chat", request)).toMatchObject({ logprobs: true, top_logprobs: 3 });
  expect(encode("openai-responses", request)).toMatchObject({
    top_logprobs: 3,
    include: ["message.output_text.logprobs"],
  });
  expect(encode("gemini-generate-content", request)).toMatchObject({
    generationConfig: { responseLogprobs: true, logprobs: 3 },
  });
  expect(() => encode("anthropic-messages", request)).toThrow(InvalidRequest);
  expect(() => withoutExtras(request, ["webSearch"])).toThrow(InvalidRequest);
  const config = { responseLogprobs: true, logprobs: 3 };
  expect(decode("gemini-generate-content", { contents, generationConfig: config }).logprobs).toBe(3);
  expect(decode("openai-responses", { input: "?", include: ["message.output_text.logprobs"] }).logprobs).toBe(0);
});

test("the cache key and the verbosity go between OpenAI's formats, and to no upstream that may refuse them", () => {
  const asked = decode("openai-responses", { input: "?", prompt_cache_key: "k", text: { verbosity: "low" } });
  expect(encode("openai-chat", asked, "gpt-5")).toMatchObject({ prompt_cache_key: "k", verbosity: "low" });
  for (const model of ["mistral-large", "gpt-oss-120b"]) {
    expect(Object.keys(encode("openai-chat", asked, model))).not.toEqual(expect.arrayContaining(["prompt_cache_key"]));
  }
  const back = decode("openai-chat", { messages, prompt_cache_key: "k", verbosity: "low" });
  expect(encode("openai-responses", back)).toMatchObject({ prompt_cache_key: "k", text: { verbosity: "low" } });
});

test("the bytes of a token are those of UTF-8", () => {
  for (const text of ["a", "ü", "€", "🌊", "Grüße 🌊"]) expect(utf8Bytes(text)).toEqual([...Buffer.from(text)]);
});
