// A caller asks for a search of the web: it is refused unless the operator allows it, reaches an upstream of another format
// in its own words, is never left out silently, and the searches that the upstream reports are in the log.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FixtureUpstream, startFixtureUpstream } from "@/lib/testing/fixture-upstream";
import { setUpRelay, until } from "../harness";
import { UPSTREAMS } from "../wire/matrix/upstreams";

const FORMATS = ["openai-chat", "openai-responses", "anthropic-messages", "gemini-generate-content", "cohere"];
const modelOf = (format: string): string => `${UPSTREAMS[format]?.model ?? ""}${format}.search`;
const relay = setUpRelay({ prices: FORMATS.map(modelOf).join(","), options: { AllowedRequestOptions: "tools" } });
let upstream: FixtureUpstream;

beforeAll(async () => {
  upstream = await startFixtureUpstream();
  for (const format of FORMATS) {
    const { model: _, isWebSocket: __, ...values } = UPSTREAMS[format] ?? { type: 1 };
    await relay.addChannel({ ...values, baseUrl: `${upstream.url}/f/${format}/citations`, models: modelOf(format) });
  }
  await relay.inForce();
});
afterAll(() => upstream.close());

const url = "https://weir.example/bern";

async function ask(path: string, body: object) {
  const {
    user,
    token: { key },
  } = await relay.addCaller({ balance: 1_000_000_000 });
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { user, status: response.status, text: await response.text() };
}

const messages = [{ role: "user", content: "Where is Bern?" }];
const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }];
const claude = (format: string, more: object = {}) =>
  ask("/v1/messages", { model: modelOf(format), max_tokens: 50_000, messages, tools, ...more });

test.each([
  ["openai-responses", false],
  ["openai-responses", true],
  ["gemini-generate-content", false],
  ["gemini-generate-content", true],
  ["anthropic-messages", false],
  ["anthropic-messages", true],
])(
  "a caller of Anthropic's format gets what %s found (streamed: %s), and the log says how much",
  async (format, stream) => {
    upstream.received.length = 0;
    const { user, status, text } = await claude(format, { stream });
    expect([status, upstream.received.map(({ fault }) => fault)]).toEqual([200, [""]]);
    for (const part of [url, "web_search_tool_result", "web_search_result_location"]) expect(text).toContain(part);
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    const counted = (await relay.logsOf(user))[0]?.other;
    expect(counted).toMatchObject({ web_search: true, web_search_call_count: 1 });
  },
);

test("a caller of OpenAI's format gets what Claude found", async () => {
  const input = { model: modelOf("anthropic-messages"), input: "Where is Bern?", tools: [{ type: "web_search" }] };
  const { status, text } = await ask("/v1/responses", input);
  expect(status).toBe(200);
  expect(text).toContain('"web_search_call"');
  expect(text).toContain('"url_citation"');
});

test("an upstream that cannot be asked for a search is not asked at all", async () => {
  upstream.received.length = 0;
  const { status, text } = await claude("cohere");
  expect(status).toBe(400);
  expect(text).toContain("search of the web");
  expect(upstream.received).toEqual([]);
});

test("without the operator's word no search is asked for anywhere", async () => {
  await relay.setOption("AllowedRequestOptions", "");
  await relay.inForce();
  upstream.received.length = 0;
  const body = { messages, max_tokens: 9 };
  for (const format of FORMATS) {
    const model = modelOf(format);
    expect((await claude(format)).status).toBe(400);
    expect((await ask("/v1/chat/completions", { ...body, model, web_search_options: {} })).status).toBe(400);
    const google = [{ type: "function", function: { name: "googleSearch" } }];
    expect((await ask("/v1/chat/completions", { ...body, model, tools: google })).status).toBe(400);
    expect((await ask("/v1/responses", { model, input: "?", tools: [{ type: "web_search" }] })).status).toBe(400);
    const contents = [{ role: "user", parts: [{ text: "?" }] }];
    const path = `/v1beta/models/${model}:generateContent`;
    expect((await ask(path, { contents, tools: [{ google_search: {} }] })).status).toBe(400);
  }
  expect(upstream.received).toEqual([]);
});
