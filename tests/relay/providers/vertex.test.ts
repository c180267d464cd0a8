import { generateKeyPairSync } from "node:crypto";
import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { type FakeTokenServer, startFakeTokenServer } from "@/lib/testing/fake-token-server";
import { type FakeVertex, startFakeVertex } from "@/lib/testing/fake-vertex";
import { setUpRelay, until } from "../harness";

// The stand-in for Google's token endpoint is at this address.
vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");

const MAKERS = ["claude", "gemini", "llama"];
const MODELS = MAKERS.flatMap((maker) => ["text", "parallel-tools", "cut", "429"].map((kind) => `${maker}-${kind}`));
const relay = setUpRelay({ prices: [...MODELS, "claude-text-thinking"].join(","), options: { RetryTimes: 1 } });
let vertex: FakeVertex;
let tokens: FakeTokenServer;
let channel: number;
let user: number;
let key: string;

beforeAll(async () => {
  tokens = await startFakeTokenServer();
  vertex = await startFakeVertex((token) => token.startsWith("access-token-number-"));
});
afterAll(async () => {
  await vertex.close();
  await tokens.close();
});

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const accountKey = () =>
  JSON.stringify({
    type: "service_account",
    project_id: "my-project",
    client_email: "relay@my-project.iam.gserviceaccount.com",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
    token_uri: `${tokens.url}/token`,
  });

beforeEach(async () => {
  await relay.reset();
  vertex.requests.length = 0;
  const made = await relay.addCaller();
  user = made.user;
  key = made.token.key;
  const models = [...MODELS, "claude-text-thinking"].join(",");
  const type = CHANNEL_TYPE.vertex;
  channel = await relay.addChannel({
    type,
    models,
    key: accountKey(),
    baseUrl: vertex.url,
    other: "us-east5",
    priority: 10,
  });
  await relay.inForce();
});

const openai = () => relay.clientFor(key);
const anthropic = () => new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });
const say = (content: string) => [{ role: "user" as const, content }];

async function logOf() {
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  return (await relay.logsOf(user)).at(-1);
}

describe.each(MAKERS)("Vertex AI with models of %s", (maker) => {
  test.each([false, true])("answers OpenAI's client and charges the usage (stream: %s)", async (isStream) => {
    const request = { model: `${maker}-text`, messages: say("Say hello") };
    const { completions } = openai().chat;
    const answer = isStream
      ? await completions.stream({ ...request, stream_options: { include_usage: true } }).finalChatCompletion()
      : await completions.create(request);
    expect(answer.choices[0]).toMatchObject({
      finish_reason: "stop",
      message: { content: expect.stringMatching(/.{5}/) },
    });
    const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = answer.usage ?? {};
    expect(prompt).toBeGreaterThan(0);
    expect(await logOf()).toMatchObject({ prompt, completion, quota: prompt + 2 * completion, channel });
  });

  test.each([false, true])("calls tools side by side for Anthropic's client (stream: %s)", async (isStream) => {
    const tools = [{ name: "get_weather", input_schema: { type: "object" as const } }];
    const request = { model: `${maker}-parallel-tools`, messages: say("Weather?"), max_tokens: 100, tools };
    const { messages } = anthropic();
    const answer = isStream ? await messages.stream(request).finalMessage() : await messages.create(request);
    const calls = answer.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    expect(calls.map(({ name }) => name)).toEqual(["get_weather", "get_time"]);
    const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "sunny" }));
    const turns = [
      ...say("Weather?"),
      { role: "assistant" as const, content: answer.content },
      { role: "user" as const, content: results },
    ];
    await messages.create({ ...request, model: `${maker}-text`, messages: turns });
    expect(vertex.requests.map(({ status }) => status)).toEqual([200, 200]);
  });

  test("leaves a request to the next channel where Google refuses it, and reads why in a list of one error", async () => {
    const model = `${maker}-429`;
    await relay.addChannel({ models: model, modelMapping: { [model]: "fake-gpt" } } as never);
    await relay.inForce();
    expect((await openai().chat.completions.create({ model, messages: say("Hi") })).choices).toHaveLength(1);
    const { other } = (await logOf()) ?? { other: {} };
    expect(JSON.stringify(other)).toContain("Resource has been exhausted");
  });

  test("does not end a stream that was cut like a whole one", async () => {
    const stream = openai().chat.completions.stream({ model: `${maker}-cut`, messages: say("Tell") });
    await expect(stream.finalChatCompletion()).rejects.toThrow();
    expect((await logOf())?.quota).toBeGreaterThan(0);
  });

  test("passes its channel test", async () => {
    const tested = relay.gateway.snapshot().channels.get(channel);
    if (!tested) throw new Error("no channel");
    expect(await testChannel(tested, `${maker}-text`, defaultOptions())).toMatchObject({
      success: true,
      usage: expect.anything(),
    });
  });
});

test("Claude's body has the version in place of the model, also where Anthropic's client is passed through", async () => {
  await anthropic().messages.create({ model: "claude-text", messages: say("Hi"), max_tokens: 50 });
  const { url = "", body = {} } = vertex.requests[0] ?? {};
  expect(url).toBe("/v1/projects/my-project/locations/us-east5/publishers/anthropic/models/claude-text:rawPredict");
  expect(body).toEqual({ messages: say("Hi"), max_tokens: 50, anthropic_version: "vertex-2023-10-16" });
});

test("a name that ends in -thinking asks Claude to think", async () => {
  await anthropic().messages.create({ model: "claude-text-thinking", messages: say("Hi"), max_tokens: 4_000 });
  expect(vertex.requests[0]).toMatchObject({
    url: expect.stringContaining("/claude-text:"),
    body: { thinking: { type: "enabled", budget_tokens: 3_200 }, max_tokens: 4_000 },
  });
});
