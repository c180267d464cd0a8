import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { readChunksFixture, readJsonFixture } from "@/lib/testing/dialect-fixtures";
import { encodeFrames } from "@/lib/testing/encode-frames";
import { zhipuV3Request } from "@/lib/testing/upstream-schemas/zhipu-v3";
import { setUpRelay, until } from "../harness";

const MODELS = ["chatglm_turbo", "chatglm_cut", "chatglm_busy", "chatglm_error", "chatglm_usage", "chatglm_key"];
const relay = setUpRelay({ prices: [...MODELS, "fake-gpt"].join(",") });
const seen: { url: string; body: { prompt?: { role: string; content: string }[] } }[] = [];
let zhipu: Server;
let channelId = 0;

/** As Zhipu does: the path names the model, and errors of a stream's request are JSON with status 200. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  const { url = "", headers } = request;
  const body = JSON.parse(text) as (typeof seen)[number]["body"];
  seen.push({ url, body });
  const sendJson = (json: unknown): void => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json));
  };
  const [, claims = ""] = (headers.authorization ?? "").split(".");
  const { api_key: id } = JSON.parse(Buffer.from(claims, "base64url").toString() || "{}") as { api_key?: string };
  if (id !== "id") return sendJson({ code: 1002, msg: "Authorization Token is invalid", success: false });
  const fault = zhipuV3Request.safeParse(body).error;
  if (fault) return sendJson({ code: 1210, msg: fault.message, success: false });
  const [, model = "", verb] = /^\/api\/paas\/v3\/model-api\/([^/]+)\/(sse-invoke|invoke)$/.exec(url) ?? [];
  if (model === "chatglm_busy") return sendJson({ code: 1302, msg: "High concurrency", success: false });
  if (verb === "invoke") return sendJson(readJsonFixture("zhipu-v3", "text.answer"));
  const name = model === "chatglm_cut" ? "cut" : model === "chatglm_error" ? "error" : "text";
  let bytes = encodeFrames("sse-fields", readChunksFixture("zhipu-v3", name)).bytes.toString();
  if (model === "chatglm_usage") bytes = bytes.replace('"prompt_tokens":14', '"prompt_tokens":0');
  response.writeHead(200, { "content-type": "text/event-stream;charset=UTF-8" }).write(bytes);
  if (name === "cut") setTimeout(() => response.destroy(), 30);
  else response.end();
}

beforeAll(async () => {
  zhipu = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => zhipu.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(zhipu.address() as AddressInfo).port}`;
  const values = { type: CHANNEL_TYPE.zhipuV3, baseUrl, priority: 10 };
  const working = MODELS.filter((model) => model !== "chatglm_key").join(",");
  channelId = await relay.addChannel({ ...values, models: working, key: "id.secret" });
  await relay.addChannel({ ...values, models: "chatglm_key", key: "other.secret" });
  const modelMapping = JSON.stringify({ chatglm_busy: "fake-gpt", chatglm_error: "fake-gpt" });
  await relay.addChannel({ models: "chatglm_busy,chatglm_error", modelMapping });
  await relay.inForce();
});
afterAll(() => {
  zhipu.close();
  zhipu.closeAllConnections();
});

const asks = (content: string) => [{ role: "user" as const, content }];

async function caller() {
  const { user, token } = await relay.addCaller();
  return { user, key: token.key, openai: relay.clientFor(token.key) };
}

describe("Zhipu's v3", () => {
  test("whole and streamed for OpenAI's client, with blanks and line breaks, charged for what it reports", async () => {
    const { user, openai } = await caller();
    const messages = [{ role: "system" as const, content: "Be brief." }, ...asks("Hello")];
    const whole = await openai.chat.completions.create({ model: "chatglm_turbo", messages, temperature: 0, top_p: 1 });
    expect(whole.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Hello from\nBern." } });
    const stream = openai.chat.completions.stream({ model: "chatglm_turbo", messages });
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe("Hello from\nBern.");
    await until(async () => (await relay.logsOf(user)).length === 2, 10_000);
    const charged = { prompt: 14, completion: 5, quota: 24 };
    expect(await relay.logsOf(user)).toMatchObject([charged, charged]);
    const [first, second] = seen.slice(-2);
    // Whole answers are streamed as well, because nothing else could stop one.
    expect(first?.url).toMatch(/chatglm_turbo\/sse-invoke$/);
    expect(second).toMatchObject({ url: expect.stringMatching(/\/sse-invoke$/), body: { incremental: true } });
    expect(first?.body).toMatchObject({ temperature: 0.01, top_p: 0.99 });
    expect(first?.body.prompt?.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      ...["system: Be brief.", "user: Okay", "user: Hello"],
    ]);
  });

  test("for a caller of Google's format", async () => {
    const { key } = await caller();
    const response = await fetch(`${relay.url}/v1beta/models/chatglm_turbo:streamGenerateContent?alt=sse`, {
      ...{ method: "POST", headers: { "x-goog-api-key": key } },
      body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Hello" }] }] }),
    });
    const text = await response.text();
    expect(text).toContain('"finishReason":"STOP"');
    expect(text).toContain(" from");
  });

  test("a prompt of no tokens is not believed", async () => {
    const { user, key } = await caller();
    await relay.post(key, JSON.stringify({ model: "chatglm_usage", messages: asks("Hello"), stream: true }));
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    expect((await relay.logsOf(user))[0]?.prompt).toBeGreaterThan(0);
  });

  test.each([
    ["chatglm_busy", false],
    ["chatglm_busy", true],
    ["chatglm_error", true],
  ])("an error with status 200 (%s, streamed: %s) leads to the next channel", async (model, stream) => {
    const { key } = await caller();
    const { status, text } = await relay.post(key, JSON.stringify({ model, messages: asks("Hello"), stream }));
    expect([status, text]).toEqual([200, expect.stringContaining("river")]);
  });

  test("a stream that is cut is told as cut", async () => {
    const { key } = await caller();
    const { text } = await relay.post(
      key,
      JSON.stringify({ model: "chatglm_cut", messages: asks("Hello"), stream: true }),
    );
    expect(text).toContain("Once upon");
    expect(text).not.toContain("[DONE]");
  });

  test("a wrong key is 502 for the caller, although Zhipu says 200, and 401 for the channel test", async () => {
    const { key } = await caller();
    const { status, wire } = await relay.post(key, JSON.stringify({ model: "chatglm_key", messages: asks("Hello") }));
    expect([status, wire.error.message]).toEqual([502, expect.stringContaining("Token is invalid")]);
    const channels = (await listChannelRows(relay.database.sql)).map(readChannel);
    const [good, bad] = [channelId, channelId + 1].map((id) => channels.find((channel) => channel.id === id));
    if (!good || !bad) throw new Error("the channels are missing");
    expect(await testChannel(good, "chatglm_turbo", defaultOptions())).toMatchObject({
      success: true,
      usage: { completionTokens: 5 },
    });
    expect(await testChannel(bad, "chatglm_key", defaultOptions())).toMatchObject({
      ...{ success: false },
      message: "Authorization Token is invalid",
    });
  });

  test("tools are refused with a reason", async () => {
    const { key } = await caller();
    const tools = [{ type: "function", function: { name: "f" } }];
    const { status, wire } = await relay.post(
      key,
      JSON.stringify({ model: "chatglm_turbo", messages: asks("Hello"), tools }),
    );
    expect([status, wire.error.message]).toEqual([400, expect.stringContaining("cannot call tools")]);
  });
});
