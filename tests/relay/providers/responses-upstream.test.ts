// Which upstreams are asked in OpenAI's Responses API, and that its callers get an upstream's own bytes (docs/responses.md).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { rows } from "@/lib/relay/providers/rows";
import { type FakeResponses, startFakeResponses } from "@/lib/testing/fake-responses";
import { setUpRelay } from "../harness";

const MODELS = [
  "gpt-4.1",
  "gpt-4.1-mapped",
  "o3-pro",
  "gpt-5-codex",
  "gpt-5-codex-high",
  "gpt-5-high",
  "grok-3-mini-low",
];
const relay = setUpRelay({ prices: MODELS.join(",") });
let upstream: FakeResponses;
let key: string;

beforeAll(async () => {
  upstream = await startFakeResponses();
});
afterAll(() => upstream.close());

beforeEach(async () => {
  await relay.reset();
  upstream.requests.length = 0;
  key = (await relay.addCaller()).token.key;
});

const SPEAKS = { speaks_responses: true };

async function addChannel(setting: object = SPEAKS, more: Record<string, unknown> = {}): Promise<void> {
  const values = { baseUrl: upstream.url, models: MODELS.join(","), setting: JSON.stringify(setting), ...more };
  await relay.addChannel(values);
  await relay.inForce();
}

async function post(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, "x-goog-api-key": key },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

/** The only request that the upstream got. */
function seen() {
  const [one, ...more] = upstream.requests;
  if (!one || more.length > 0) throw new Error(`${upstream.requests.length} requests arrived`);
  return one;
}

describe("a balance that pays for fewer searches than the request allows", () => {
  const body = { model: "gpt-4.1", input: "news?", tools: [{ type: "web_search" }] };
  const poorer = async () => {
    await relay.setOption("AllowedRequestOptions", "tools");
    key = (await relay.addCaller({ balance: 10_000_000 })).token.key;
  };

  test("passes over a channel whose format cannot limit them, to one whose format can", async () => {
    await poorer();
    await relay.addChannel({ models: "gpt-4.1", priority: 10 });
    await addChannel();
    expect(await post("/v1/responses", body)).toMatchObject({ status: 200 });
    expect(Number(seen().body.max_tool_calls)).toBeLessThan(128);
  });

  test("is refused where no channel can limit them", async () => {
    await poorer();
    await relay.addChannel({ models: "gpt-4.1" });
    await relay.inForce();
    const { status, text } = await post("/v1/responses", body);
    expect([status, JSON.parse(text).error.code]).toEqual([429, "insufficient_quota"]);
    expect(text).toContain("calls of tools");
    expect(upstream.requests).toEqual([]);
  });
});

describe("a caller of the Responses API, at an upstream that serves it", () => {
  // Odd spaces, the order of keys, numbers as they are written, and fields that nobody knows.
  const body = (model: string, rest = "") =>
    `{ "vendor_field" : {"a":1.50,"a b":[ ]},\n"model":"${model}",   "input":[{"role":"user","content":"Grüße \\u2028 \\/"}],"temperature":1e0${rest}}`;

  test.each([
    ["whole", body("gpt-4.1")],
    ["streamed", body("gpt-4.1", ',"stream" : true')],
  ])("has its bytes passed on, and gets the upstream's, %s", async (_how, sent) => {
    await addChannel();
    const answer = await post("/v1/responses", sent);
    const { path, bytes } = seen();
    expect({ path, received: bytes.received }).toEqual({ path: "/v1/responses", received: sent });
    expect(answer).toEqual({ status: 200, text: bytes.answered });
  });

  test("where the model is mapped, only its name is another", async () => {
    await addChannel(SPEAKS, { modelMapping: '{"gpt-4.1-mapped":"gpt-4.1"}' });
    const answer = await post("/v1/responses", body("gpt-4.1-mapped", ',"stream":true'));
    expect(seen().bytes.received).toBe(body("gpt-4.1", ',"stream":true'));
    expect(answer.text).toBe(seen().bytes.answered);
  });

  test.each([
    ["gpt-5-high", "gpt-5", undefined, { effort: "high" }],
    ["gpt-5-codex-high", "gpt-5-codex", { effort: "low", summary: "auto" }, { effort: "high", summary: "auto" }],
  ])("the effort in the name %s becomes its own", async (model, name, reasoning, expected) => {
    await addChannel();
    expect((await post("/v1/responses", { model, input: "Hello", reasoning })).status).toBe(200);
    expect(seen().body).toMatchObject({ model: name, reasoning: expected });
    expect(seen().body).not.toHaveProperty("reasoning_effort");
  });

  test("xAI's effort too", async () => {
    await addChannel(SPEAKS, { type: CHANNEL_TYPE.xai });
    expect((await post("/v1/responses", { model: "grok-3-mini-low", input: "Hello" })).status).toBe(200);
    expect(seen().body).toMatchObject({ model: "grok-3-mini", reasoning: { effort: "low" } });
    expect(seen().body).not.toHaveProperty("reasoning_effort");
  });
});

test("another address is asked in it only where the channel's setting says so", async () => {
  await relay.addChannel({ models: "gpt-4.1" });
  await relay.inForce();
  expect((await post("/v1/responses", { model: "gpt-4.1", input: "Hello" })).status).toBe(200);
  expect(relay.upstream.requests.map(({ path }) => path)).toEqual(["/v1/chat/completions"]);
});

describe("a model that OpenAI serves nowhere else is asked in it", () => {
  const message = { role: "user", content: "Hello" };
  test.each([
    ["chat completions", "/v1/chat/completions", { model: "o3-pro", messages: [message] }],
    ["the Responses API", "/v1/responses", { model: "o3-pro", input: [message] }],
    ["Anthropic's messages", "/v1/messages", { model: "o3-pro", max_tokens: 99, messages: [message] }],
    ["Gemini", "/v1beta/models/o3-pro:generateContent", { contents: [{ role: "user", parts: [{ text: "Hello" }] }] }],
  ])("by callers of %s", async (_name, path, body) => {
    await addChannel();
    const answer = await post(path, body);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("The weir holds the river.");
    expect(seen().path).toBe("/v1/responses");
    // What is translated is not to be kept: nobody could name it.
    if (path !== "/v1/responses") expect(seen().body.store).toBe(false);
  });

  test("with the effort in its name, by callers of chat completions", async () => {
    await addChannel();
    await post("/v1/chat/completions", { model: "gpt-5-codex-high", messages: [message] });
    expect(seen().body).toMatchObject({ model: "gpt-5-codex", reasoning: { effort: "high" } });
  });
});

test("OpenAI, xAI and OpenRouter serve it under their own addresses", () => {
  const parts = { path: "/v1/responses", query: "", model: "m", other: "", isStream: false };
  const urls = [CHANNEL_TYPE.openai, CHANNEL_TYPE.xai, CHANNEL_TYPE.openrouter].map((type) => {
    const row = rows.get(type);
    return row?.quirks.speaksResponses && row.url({ ...parts, baseUrl: row.baseUrl, options: defaultOptions() });
  });
  expect(urls).toEqual([
    "https://api.openai.com/v1/responses",
    "https://api.x.ai/v1/responses",
    "https://openrouter.ai/api/v1/responses",
  ]);
});
