import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay, type TokenValues, type UserValues } from "../harness";

type Seen = { url: string; headers: IncomingMessage["headers"]; text: string };
type Reply = { status: number; text: string };

const relay = setUpRelay({
  prices: "claude-own,claude-mapped,claude-two,claude-limited,gemini-own,fake-gpt",
  channels: [{ models: "fake-gpt" }],
});
const seen: Seen[] = [];
let replies: Reply[] = [];
let upstream: Server;

/** Answers with the replies in turn, the last one again and again. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  seen.push({ url: request.url ?? "", headers: request.headers, text });
  const reply = (replies.length > 1 ? replies.shift() : replies[0]) ?? { status: 404, text: "{}" };
  response.writeHead(reply.status, { "content-type": "application/json" });
  response.end(reply.text);
}

beforeAll(async () => {
  upstream = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const claude = { type: CHANNEL_TYPE.anthropic, baseUrl, key: "claude-key" };
  const modelMapping = JSON.stringify({ "claude-mapped": "claude-real" });
  await relay.addChannel({ ...claude, models: "claude-own,claude-mapped,claude-two", modelMapping });
  await relay.addChannel({ ...claude, models: "claude-two" });
  await relay.addChannel({ ...claude, models: "claude-limited", requestsPerMinute: 5 });
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models: "gemini-own", key: "google-key" });
  await relay.inForce();
});
afterEach(() => {
  seen.length = 0;
  replies = [];
});
afterAll(() => {
  upstream.close();
  upstream.closeAllConnections();
});

const ANTHROPIC = "/v1/messages/count_tokens";
const google = (model: string) => `/v1beta/models/${model}:countTokens`;
const messages = [{ role: "user", content: "hello world" }];
const contents = [{ role: "user", parts: [{ text: "hello world" }] }];

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: JSON.parse(text) as Record<string, unknown>,
  };
}

async function countAs(path: string, body: unknown, token: TokenValues = {}, owner: UserValues = {}) {
  const caller = await relay.addCaller(owner, token);
  const name = path === ANTHROPIC ? "x-api-key" : "x-goog-api-key";
  const result = await post(path, body, { [name]: caller.token.key });
  expect(await relay.logsOf(caller.user)).toEqual([]);
  expect((await relay.balanceOf(caller.user)).used).toBe(0);
  return result;
}

describe("a count is asked of an upstream of the caller's dialect (issue 13)", () => {
  test("Anthropic's: the answer's bytes pass, and nothing is charged or logged", async () => {
    replies = [{ status: 200, text: '{ "input_tokens" : 14 }\n' }];
    const body = `{ "model": "claude-own",  "messages": ${JSON.stringify(messages)} }`;
    const { status, text, headers } = await countAs(ANTHROPIC, body);
    expect([status, text, headers.get("x-weir-estimated")]).toEqual([200, '{ "input_tokens" : 14 }\n', null]);
    expect(seen).toMatchObject([
      { url: "/v1/messages/count_tokens", text: body, headers: { "x-api-key": "claude-key" } },
    ]);
    expect(seen[0]?.headers["anthropic-version"]).toBeDefined();
  });

  test("with Anthropic's client", async () => {
    replies = [{ status: 200, text: '{"input_tokens":14}' }];
    const { token } = await relay.addCaller();
    const client = new Anthropic({ apiKey: token.key, baseURL: relay.url, maxRetries: 0 });
    const question = [{ role: "user" as const, content: "hello world" }];
    expect(await client.messages.countTokens({ model: "claude-own", messages: question })).toEqual({
      input_tokens: 14,
    });
    expect(await client.messages.countTokens({ model: "fake-gpt", messages: question })).toEqual({
      input_tokens: expect.any(Number),
    });
  });

  test("the model's name is mapped, and two of them in one body are not passed on", async () => {
    replies = [{ status: 200, text: '{"input_tokens":14}' }];
    await countAs(ANTHROPIC, { model: "claude-mapped", messages });
    await countAs(ANTHROPIC, `{"model":"claude-secret","model":"claude-own","messages":${JSON.stringify(messages)}}`);
    expect(seen.map(({ text }) => JSON.parse(text) as object)).toMatchObject([
      { model: "claude-real", messages },
      { model: "claude-own" },
    ]);
    expect(seen[1]?.text).not.toContain("claude-secret");
  });

  test("Google's, of contents and of a whole request", async () => {
    replies = [{ status: 200, text: '{"totalTokens":7,"promptTokensDetails":[{"modality":"TEXT","tokenCount":7}]}' }];
    for (const body of [{ contents }, { generateContentRequest: { model: "models/gemini-own", contents } }]) {
      const { status, text } = await countAs(google("gemini-own"), body);
      expect([status, text]).toEqual([200, replies[0]?.text]);
    }
    expect(seen[0]).toMatchObject({
      url: "/v1beta/models/gemini-own:countTokens",
      headers: { "x-goog-api-key": "google-key" },
    });
  });

  test("another channel is asked when one fails", async () => {
    replies = [
      { status: 500, text: "{}" },
      { status: 200, text: '{"input_tokens":9}' },
    ];
    expect((await countAs(ANTHROPIC, { model: "claude-two", messages })).json).toEqual({ input_tokens: 9 });
    expect(seen).toHaveLength(2);
  });
});

describe("else it is estimated here, and marked", () => {
  test.each([
    ["fails", { status: 500, text: "{}" }],
    ["limits", { status: 429, text: "{}" }],
    ["refuses the key", { status: 401, text: "{}" }],
    ["does not count", { status: 404, text: "{}" }],
    ["answers something else", { status: 200, text: '{"hello":1}' }],
    ["answers nothing", { status: 200, text: "" }],
    ["answers no JSON", { status: 200, text: "<html>" }],
  ])("where the upstream %s, and conversations do not notice", async (_, reply) => {
    replies = [reply];
    const { status, json, headers } = await countAs(ANTHROPIC, { model: "claude-own", messages });
    expect([status, json, headers.get("x-weir-estimated")]).toEqual([200, { input_tokens: 5 }, "true"]);
    const circuits = await relay.database.sql`select 1 from channel_circuits`;
    const off = await relay.database.sql`select 1 from channels where status <> 1`;
    expect([circuits.length, off.length]).toEqual([0, 0]);
  });

  test("where the model's channels speak another dialect, or have limits of their own", async () => {
    for (const model of ["fake-gpt", "gemini-own", "claude-limited"]) {
      expect((await countAs(ANTHROPIC, { model, messages })).json).toEqual({ input_tokens: 5 });
    }
    const { json } = await countAs(google("fake-gpt"), { contents });
    expect(json).toEqual({ totalTokens: 5, promptTokensDetails: [{ modality: "TEXT", tokenCount: 5 }] });
    const picture = [{ inlineData: { mimeType: "image/png", data: "aGVsbG8=" } }];
    const withPicture = await countAs(google("fake-gpt"), {
      contents: [...contents, { role: "user", parts: picture }],
    });
    expect(withPicture.json).toEqual({ totalTokens: expect.any(Number) });
    expect(withPicture.json.totalTokens).toBeGreaterThan(200);
    expect(seen).toEqual([]);
  });
});

describe("it is bounded as other requests are", () => {
  test("errors have the dialect's own shape: no key, unknown model, invalid body, too deep", async () => {
    const anthropic = { type: "error", error: { type: expect.any(String) } };
    const googles = { error: { status: expect.any(String), code: expect.any(Number) } };
    expect(await post(ANTHROPIC, {})).toMatchObject({ status: 401, json: anthropic });
    expect(await post(google("gemini-own"), {})).toMatchObject({ status: 401, json: googles });
    expect(await countAs(ANTHROPIC, { model: "nothing", messages })).toMatchObject({ status: 404, json: anthropic });
    expect(await countAs(google("nothing"), { contents })).toMatchObject({ status: 404, json: googles });
    const limited = { modelLimitsEnabled: true, modelLimits: "fake-gpt" };
    expect(await countAs(ANTHROPIC, { model: "claude-own", messages }, limited)).toMatchObject({ status: 403 });
    for (const body of ["{", "[]", { model: "claude-own" }, { model: 5, messages }]) {
      expect(await countAs(ANTHROPIC, body)).toMatchObject({ status: 400, json: anthropic });
    }
    expect(await countAs(google("gemini-own"), {})).toMatchObject({ status: 400, json: googles });
    const deep = `{"model":"claude-own","messages":${"[".repeat(200)}${"]".repeat(200)}}`;
    expect(await countAs(ANTHROPIC, deep)).toMatchObject({ status: 400, json: anthropic });
    expect(seen).toEqual([]);
  });

  test("a flood meets the token's request limit", async () => {
    replies = [{ status: 200, text: '{"input_tokens":1}' }];
    const { token } = await relay.addCaller({}, { rateLimitCount: 3, rateLimitSeconds: 3_600 });
    const asked = Array.from({ length: 8 }, () =>
      post(ANTHROPIC, { model: "claude-own", messages }, { "x-api-key": token.key }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429]);
    expect(seen).toHaveLength(3);
  });

  test("a caller who leaves ends the upstream's work and is no error", async () => {
    replies = [{ status: 200, text: '{"input_tokens":1}' }];
    const { token } = await relay.addCaller();
    const aborting = new AbortController();
    const asked = fetch(relay.url + ANTHROPIC, {
      method: "POST",
      headers: { "x-api-key": token.key },
      body: JSON.stringify({ model: "claude-own", messages }),
      signal: aborting.signal,
    });
    aborting.abort();
    await expect(asked).rejects.toThrow();
    expect((await post(ANTHROPIC, { model: "claude-own", messages }, { "x-api-key": token.key })).status).toBe(200);
  });
});
