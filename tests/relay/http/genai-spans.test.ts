import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as conventions from "@opentelemetry/semantic-conventions/incubating";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { NO_USAGE } from "@/lib/billing/types";
import { env } from "@/lib/env";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Exchange } from "@/lib/relay/http/exchange";
import { askedAttributes } from "@/lib/relay/http/tracing/asked-attributes";
import { usageAttributes } from "@/lib/relay/http/tracing/attributes";
import { SCHEMA_URL } from "@/lib/relay/http/tracing/sdk";
import { startTracing } from "@/lib/relay/http/tracing/start";
import { startFakeCollector } from "@/lib/testing/fake-collector";
import { startStrictUpstream } from "@/lib/testing/strict-upstream";
import { chatBody, setUpRelay } from "../harness";
import { INFERENCE_SPAN, NEWER_NAMES } from "./genai-conventions";

const collector = await startFakeCollector();
process.env.OTEL_BSP_SCHEDULE_DELAY = "20";
process.env.OTEL_EXPORTER_OTLP_ENDPOINT = collector.url;
process.env.OTEL_EXPORTER_OTLP_PROTOCOL = "http/json";
const tracing = await startTracing(env());
const upstream = await startStrictUpstream();

const [GPT, CLAUDE, GEMINI] = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-flash"];
const relay = setUpRelay({
  prices: `${GPT},${CLAUDE},${GEMINI},fake-error-500`,
  channels: [{ models: "fake-error-500" }],
  gateway: { tracing },
});
let key: string;
beforeAll(async () => {
  const baseUrl = upstream.url;
  await relay.addChannel({ type: CHANNEL_TYPE.openai, baseUrl, models: GPT });
  await relay.addChannel({ type: CHANNEL_TYPE.anthropic, baseUrl, models: CLAUDE });
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models: GEMINI });
  await relay.inForce();
  key = (await relay.addCaller()).token.key;
});
afterAll(async () => {
  await tracing?.stop();
  await collector.close();
  await upstream.close();
});

/** The spans of the one request that this sends: its own, and the attempt at the upstream. */
async function trace(path: string, body: object) {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const response = await fetch(relay.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  const id = response.headers.get("x-oneapi-request-id");
  const find = () => collector.spans.find(({ attributes }) => attributes["weir.request.id"] === id);
  await expect.poll(find).toBeDefined();
  const server = find();
  const attempt = () => collector.spans.find(({ parentSpanId }) => parentSpanId === server?.spanId);
  await expect.poll(attempt).toBeDefined();
  return { status: response.status, text, server, attempt: attempt() };
}

const messages = [{ role: "user", content: "Say hello to nobody-knows-whom" }];
const usual = { "gen_ai.request.temperature": 0.5, "gen_ai.request.top_p": 0.9, "gen_ai.request.max_tokens": 99 };
const openaiFields = { temperature: 0.5, top_p: 0.9, max_tokens: 99, seed: 7, n: 2, stop: ["END", "HALT"] };
const penalties = { frequency_penalty: 0.1, presence_penalty: 0.2 };
const jsonFormat = { response_format: { type: "json_object" } };
const anthropicFields = { temperature: 0.5, max_tokens: 99, top_k: 40, stop_sequences: ["END"] };
const generationConfig = {
  temperature: 0.5,
  topP: 0.9,
  topK: 40,
  maxOutputTokens: 99,
  stopSequences: ["END"],
  seed: 7,
  responseMimeType: "text/plain",
};
const contents = [{ role: "user", parts: [{ text: "Say hello to nobody-knows-whom" }] }];

const CASES: Record<string, { path: string; route: string; body: object; has: object }> = {
  "chat completions": {
    path: "/v1/chat/completions",
    route: "/v1/chat/completions",
    body: { model: GPT, messages, ...openaiFields, ...penalties, ...jsonFormat },
    has: {
      ...usual,
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.seed": 7,
      "gen_ai.request.choice.count": 2,
      "gen_ai.request.stop_sequences": ["END", "HALT"],
      "gen_ai.request.frequency_penalty": 0.1,
      "gen_ai.request.presence_penalty": 0.2,
      "gen_ai.output.type": "json",
      "gen_ai.request.stream": false,
    },
  },
  "a stream of chat completions": {
    path: "/v1/chat/completions",
    route: "/v1/chat/completions",
    body: { model: GPT, messages, stream: true },
    has: { "gen_ai.request.stream": true, "gen_ai.response.time_to_first_chunk": expect.any(Number) },
  },
  "chat completions at Anthropic": {
    path: "/v1/chat/completions",
    route: "/v1/chat/completions",
    body: { model: CLAUDE, messages, max_tokens: 99 },
    has: { "gen_ai.provider.name": "anthropic", "gen_ai.request.max_tokens": 99 },
  },
  messages: {
    path: "/v1/messages",
    route: "/v1/messages",
    body: { model: CLAUDE, messages, ...anthropicFields },
    has: { "gen_ai.request.top_k": 40, "gen_ai.request.stop_sequences": ["END"], "gen_ai.request.temperature": 0.5 },
  },
  "a stream of messages": {
    path: "/v1/messages",
    route: "/v1/messages",
    body: { model: CLAUDE, messages, ...anthropicFields, stream: true },
    has: { "gen_ai.request.top_k": 40, "gen_ai.request.stream": true },
  },
  generateContent: {
    path: `/v1beta/models/${GEMINI}:generateContent`,
    route: "/v1beta/models/{model}:generateContent",
    body: { contents, generationConfig },
    has: {
      ...usual,
      "gen_ai.provider.name": "gcp.gemini",
      "gen_ai.request.top_k": 40,
      "gen_ai.request.seed": 7,
      "gen_ai.output.type": "text",
    },
  },
  streamGenerateContent: {
    path: `/v1beta/models/${GEMINI}:streamGenerateContent?alt=sse`,
    route: "/v1beta/models/{model}:streamGenerateContent",
    body: { contents },
    has: { "gen_ai.request.stream": true },
  },
};

describe("the span of a request by", () => {
  test.each(Object.keys(CASES))(
    "%s has what OpenTelemetry's conventions require and recommend, and no content",
    async (name) => {
      const { path, route, body, has } = CASES[name] as (typeof CASES)[string];
      const { status, text, server, attempt } = await trace(path, body);
      expect([status, upstream.faults]).toEqual([200, []]);
      expect(server?.attributes["http.route"]).toBe(route);
      expect(server?.name).toBe(`POST ${route}`);
      expect(attempt?.schemaUrl).toBe(SCHEMA_URL);
      expect(attempt?.attributes).toMatchObject({
        ...has,
        "gen_ai.response.id": expect.stringMatching(/./),
        "gen_ai.response.model": expect.stringMatching(/./),
        "gen_ai.response.finish_reasons": [expect.any(String)],
        "gen_ai.usage.input_tokens": expect.any(Number),
        "gen_ai.usage.output_tokens": expect.any(Number),
        "server.address": "127.0.0.1",
        "server.port": Number(new URL(upstream.url).port),
      });
      for (const needed of INFERENCE_SPAN.required) expect(attempt?.attributes).toHaveProperty([needed]);
      expect(text).not.toBe("");
      expect(JSON.stringify(collector.spans)).not.toContain("nobody-knows-whom");
    },
  );

  test("an attempt that fails says what was asked for, too", async () => {
    const { attempt } = await trace(
      "/v1/chat/completions",
      JSON.parse(chatBody("fake-error-500", { stream: true, seed: 3 })),
    );
    expect(attempt?.attributes).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.request.seed": 3,
      "gen_ai.request.model": "fake-error-500",
      "error.type": "500",
    });
  });
});

test("no span has a name that the conventions do not have, and all of theirs that a gateway can know are used", () => {
  const known = new Set([...Object.values(conventions), ...NEWER_NAMES]);
  const seen = new Set(collector.spans.flatMap(({ attributes }) => Object.keys(attributes)));
  expect([...seen].filter((name) => !name.startsWith("weir.") && !known.has(name))).toEqual([]);
  // A name that the package has by now is no longer a newer one.
  expect([...NEWER_NAMES].filter((name) => new Set<unknown>(Object.values(conventions)).has(name))).toEqual([]);
  const sources = ["attributes", "asked-attributes"].map((name) =>
    readFileSync(join(process.cwd(), `lib/relay/http/tracing/${name}.ts`), "utf8"),
  );
  const listed = [...INFERENCE_SPAN.required, ...INFERENCE_SPAN.whereGiven, ...INFERENCE_SPAN.recommended];
  expect(listed.filter((name) => !known.has(name))).toEqual([]);
  expect(listed.filter((name) => !sources.some((text) => text.includes(`"${name}"`)))).toEqual([]);
});

test("what only some callers send is told by its name", () => {
  const json = {
    reasoning: { effort: "high" },
    previous_response_id: "resp_1",
    conversation: { id: "conv_1" },
    text: { format: { type: "json_schema" } },
    temperature: "hot",
    max_output_tokens: 5,
    n: 1,
  };
  expect(askedAttributes("chat", { isStream: false, json })).toEqual({
    "gen_ai.request.stream": false,
    "gen_ai.request.reasoning.level": "high",
    "gen_ai.request.previous_response.id": "resp_1",
    "gen_ai.conversation.id": "conv_1",
    "gen_ai.output.type": "json",
    "gen_ai.request.max_tokens": 5,
  });
  expect(askedAttributes("images", { isStream: false })).toEqual({
    "gen_ai.request.stream": false,
    "gen_ai.output.type": "image",
  });
  const stops = askedAttributes("chat", { isStream: true, json: { stop: Array(50).fill("x".repeat(500)) } });
  expect(JSON.stringify(stops).length).toBeLessThan(1_300);
});

test("a span says how much of an answer was thought", () => {
  const told = (reasoningTokens: number) => {
    const settlement = { usage: { ...NO_USAGE, completionTokens: 310 }, firstTokenMs: null, isStream: false };
    const settled = { delivery: { report: { usage: { reasoningTokens } } }, settlement };
    return usageAttributes({ settled } as unknown as Exchange, 0)["gen_ai.usage.reasoning.output_tokens"];
  };
  expect([told(300), told(0)]).toEqual([300, undefined]);
});
