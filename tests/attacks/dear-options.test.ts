// A caller adds an option that makes the upstream charge more than the price says: a faster tier, a web search by the
// call, a chosen region, an hour in the cache, another model. It is refused with 400 before an upstream is asked, in the
// caller's dialect, or taken out; options without a cost still pass, and a dearer tier in a reply is noted in the log.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setUpRelay, until } from "../relay/harness";

const MODEL = "fake-gpt";
const relay = setUpRelay({ channels: [{}] });
let key: string;
let user: number;
let anthropic: Server;
let seen: Record<string, unknown>[] = [];

beforeAll(async () => {
  ({
    user,
    token: { key },
  } = await relay.addCaller({ balance: 100_000_000 }));
  anthropic = createServer((request, response) => {
    seen.push({ beta: request.headers["anthropic-beta"] });
    response.writeHead(200, { "content-type": "application/json" });
    const usage = { input_tokens: 5, output_tokens: 2, service_tier: "priority" };
    const answer = { id: "m", type: "message", role: "assistant", model: MODEL, stop_reason: "end_turn", usage };
    request
      .resume()
      .on("end", () => response.end(JSON.stringify({ ...answer, content: [{ type: "text", text: "hi" }] })));
  });
  await new Promise<void>((done) => anthropic.listen(0, "127.0.0.1", () => done()));
});
afterAll(() => new Promise((done) => anthropic.close(done)));

const messages = [{ role: "user", content: "hi" }];

async function ask(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${relay.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, "x-api-key": key, ...headers },
    body: JSON.stringify({ model: MODEL, messages, max_tokens: 10, ...body }),
  });
  return { status: response.status, text: await response.text() };
}

const marked = [
  { role: "user", content: [{ type: "text", text: "hi", cache_control: { type: "ephemeral", ttl: "1h" } }] },
];

describe("refused before an upstream is asked", () => {
  test.each([
    ["a faster tier", { service_tier: "priority" }],
    ["a tier that nobody knows", { service_tier: "turbo" }],
    ["a web search", { web_search_options: {} }],
    ["a live search", { search_parameters: { mode: "on" } }],
    ["a search by a flag", { enable_search: true }],
    ["a plugin", { plugins: [{ id: "web" }] }],
    ["another provider", { provider: { order: ["dear"] } }],
    ["a tool that runs at the upstream", { tools: [{ type: "web_search", web_search: { enable: true } }] }],
    ["a built-in function", { tools: [{ type: "function", function: { name: "$web_search" } }] }],
    ["pictures as an answer", { modalities: ["text", "image"] }],
    ["an hour in the cache", { messages: marked }],
  ])("chat completions: %s", async (_what, option) => {
    relay.upstream.forget();
    const { status, text } = await ask("/v1/chat/completions", option);
    expect([status, JSON.parse(text).error.type]).toEqual([400, "invalid_request_error"]);
    expect(relay.upstream.requests).toEqual([]);
  });

  test.each([
    ["a faster tier", { service_tier: "priority" }],
    ["fast mode", { speed: "fast" }],
    ["a chosen region", { inference_geo: "us" }],
    ["a container", { container: "container_1" }],
    ["a web search", { tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["running code there", { tools: [{ type: "code_execution_20250825", name: "code_execution" }] }],
    ["an hour in the cache, marked at any place", { messages: marked }],
    [
      "an hour in the cache for the tools",
      {
        tools: [{ name: "f", input_schema: {}, cache_control: { type: "ephemeral", ttl: "1h" } }],
      },
    ],
  ])("messages: %s", async (_what, option) => {
    relay.upstream.forget();
    const { status, text } = await ask("/v1/messages", option);
    expect([status, JSON.parse(text).type]).toEqual([400, "error"]);
    expect(relay.upstream.requests).toEqual([]);
  });
});

describe("a picture that another model writes is refused before an upstream is asked", () => {
  const pictures = [{ svg: { model: "gpt-5.6" } }, { output_format: "svg" }, { output_format: "SVG" }];

  test.each(pictures)("pictures: %j", async (option) => {
    relay.upstream.forget();
    const { status, text } = await ask("/v1/images/generations", { prompt: "a weir", ...option });
    expect([status, JSON.parse(text).error.param]).toEqual([400, "svg"]);
    expect(relay.upstream.requests).toEqual([]);
  });

  test.each(["/v1/images/edits", "/v1/images/variations"])("a form at %s", async (path) => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ model: MODEL, prompt: "a weir", output_format: "svg" }))
      form.append(name, value);
    form.append("image", new File(["A"], "a.png", { type: "image/png" }));
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${relay.url}${path}`, { method: "POST", headers, body: form });
    expect([response.status, (await response.json()).error.param]).toEqual([400, "svg"]);
  });
});

describe("what costs nothing more", () => {
  test.each([
    { service_tier: "auto" },
    { service_tier: null, web_search_options: null, plugins: [], enable_search: false },
    { tools: [{ type: "function", function: { name: "f", parameters: {} } }], seed: 7, unknown_option: { a: 1 } },
    { modalities: ["text"] },
  ])("passes: %j", async (option) => {
    relay.upstream.forget();
    expect((await ask("/v1/chat/completions", option)).status).toBe(200);
    expect(relay.upstream.requests[0]?.body).toMatchObject(option);
  });
});

const allow = async (names: string) => {
  await relay.setOption("AllowedRequestOptions", names);
  await relay.inForce();
};

test("what the operator allows is passed on as it came, and nothing else is", async () => {
  const tools = [{ type: "web_search", web_search: { enable: true } }];
  const option = { service_tier: "priority", provider: { order: ["dear"] }, tools, messages: marked };
  await allow("service_tier\nprovider\ntools\ncache_control");
  relay.upstream.forget();
  expect((await ask("/v1/chat/completions", option)).status).toBe(200);
  expect(relay.upstream.requests[0]?.body).toMatchObject(option);
  expect((await ask("/v1/chat/completions", { ...option, plugins: [{ id: "web" }] })).status).toBe(400);
  await allow("");
  expect((await ask("/v1/chat/completions", option)).status).toBe(400);
});

describe("an upstream of Anthropic's format", () => {
  test("gets no header that makes requests dearer; a dearer tier in its reply is noted in the log", async () => {
    const url = `http://127.0.0.1:${(anthropic.address() as AddressInfo).port}`;
    await relay.addChannel({ type: 14, baseUrl: url, models: MODEL, priority: 9 });
    await relay.inForce();
    seen = [];
    const beta = "context-1m-2025-08-07,interleaved-thinking-2025-05-14";
    expect((await ask("/v1/messages", {}, { "anthropic-beta": beta })).status).toBe(200);
    expect(seen).toEqual([{ beta: "interleaved-thinking-2025-05-14" }]);
    await until(async () => (await relay.logsOf(user)).at(-1)?.other.service_tier === "priority");
  });

  test("gets them where the operator allows them", async () => {
    const beta = "context-1m-2025-08-07";
    const headers = { "anthropic-beta": beta };
    expect((await ask("/v1/messages", { speed: "fast" }, headers)).status).toBe(400);
    await allow("speed\nanthropic-beta");
    seen = [];
    expect((await ask("/v1/messages", { speed: "fast" }, headers)).status).toBe(200);
    expect(seen).toEqual([{ beta }]);
    await allow("");
  });
});
