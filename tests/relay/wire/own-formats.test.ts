import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchChannelModels } from "@/lib/channel/upstream-commands";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { type OwnFormatUpstream, type ProviderName, startOwnFormatUpstream } from "@/lib/testing/fake-own-formats";
import { chatBody, setUpRelay, until } from "../harness";

const KINDS = ["text", "429", "500", "tools", "thinking", "midway", "cut", "no-usage", "key"];
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

type Case = {
  name: ProviderName;
  type: number;
  other?: string;
  prefix: string;
  /** Tokens that the answer with text reports. */
  prompt: number;
  completion: number;
  /** Models that the upstream lists. */
  listed: string[];
  /** What a request with a picture has of it. */
  picture: object;
};

const CASES: Case[] = [
  {
    name: "cohere",
    type: CHANNEL_TYPE.cohere,
    prefix: "command-a-reasoning-",
    // What is billed, not the 512 and 12 tokens that the model read and wrote.
    prompt: 17,
    completion: 9,
    listed: ["command-a-03-2025"],
    picture: { content: [{ type: "text" }, { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }] },
  },
  {
    name: "ollama",
    type: CHANNEL_TYPE.ollama,
    prefix: "qwen3-",
    prompt: 19,
    completion: 10,
    listed: ["qwen3:8b"],
    picture: { content: "What is it?", images: [PNG] },
  },
  {
    name: "workers-ai",
    type: CHANNEL_TYPE.cloudflare,
    other: "acc-1",
    prefix: "run/@cf/qwen/qwq-",
    prompt: 19,
    completion: 10,
    listed: ["@cf/qwen/qwq-32b", "@cf/baai/bge-m3"],
    picture: { content: [{ type: "text" }, { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } }] },
  },
];

const modelOf = ({ prefix }: Case, kind: string): string => `${prefix}${kind}`;
const relay = setUpRelay({ prices: CASES.flatMap((one) => KINDS.map((kind) => modelOf(one, kind))).join(",") });
const upstreams = new Map<ProviderName, OwnFormatUpstream>();
const channelIds = new Map<ProviderName, number>();

beforeAll(async () => {
  for (const one of CASES) {
    const upstream = await startOwnFormatUpstream(one.name);
    upstreams.set(one.name, upstream);
    const { type, other = "" } = one;
    const models = KINDS.filter((kind) => kind !== "key").map((kind) => modelOf(one, kind));
    const values = { type, other, baseUrl: upstream.url, priority: 5 };
    channelIds.set(one.name, await relay.addChannel({ ...values, models: models.join(",") }));
    await relay.addChannel({ ...values, models: modelOf(one, "key"), key: "bad-key" });
    // Asked next: an upstream of OpenAI's format.
    const mapping = Object.fromEntries(["500", "key"].map((kind) => [modelOf(one, kind), "fake-gpt"]));
    await relay.addChannel({
      models: Object.keys(mapping).join(","),
      modelMapping: JSON.stringify(mapping),
    });
  }
  await relay.inForce();
});
afterAll(async () => void (await Promise.all([...upstreams.values()].map((upstream) => upstream.close()))));

const tools = [
  {
    type: "function" as const,
    function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
  {
    type: "function" as const,
    function: { name: "get_time", parameters: { type: "object", properties: { zone: { type: "string" } } } },
  },
];

async function rowOf(user: number) {
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  return (await relay.logsOf(user))[0];
}

describe.each(CASES.map((one) => [one.name, one] as const))("an upstream of %s", (name, one) => {
  type Sent = { messages: { role: string }[] };
  const sent = (): Sent => (upstreams.get(name)?.bodies.at(-1) ?? { messages: [] }) as Sent;

  async function askClaude(kind: string, more: object = {}) {
    const { user, token } = await relay.addCaller();
    const messages = [{ role: "user", content: "Say hello from Bern." }];
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": token.key, "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: modelOf(one, kind), max_tokens: 500, messages, ...more }),
    });
    return { user, status: response.status, text: await response.text() };
  }

  test("answers OpenAI's client whole and streamed, charged for what it reports", async () => {
    const { user, token } = await relay.addCaller();
    const openai = relay.clientFor(token.key);
    const request = { model: modelOf(one, "text"), messages: [{ role: "user" as const, content: "Say hello." }] };
    const whole = await openai.chat.completions.create(request);
    const streamed = await openai.chat.completions.stream(request).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Grüße aus Bern! 🌊" } });
    }
    await until(async () => (await relay.logsOf(user)).length === 2, 10_000);
    const { prompt, completion } = one;
    for (const row of await relay.logsOf(user)) {
      expect(row).toMatchObject({ type: 2, prompt, completion, quota: prompt + 2 * completion });
    }
  });

  test("answers a caller of Anthropic's format whole and streamed", async () => {
    const whole = await askClaude("text");
    expect(JSON.parse(whole.text)).toMatchObject({
      content: [{ type: "text", text: "Grüße aus Bern! 🌊" }],
      stop_reason: "end_turn",
    });
    const streamed = await askClaude("text", { stream: true });
    expect(streamed.text).toContain('"type":"message_stop"');
    expect(await rowOf(streamed.user)).toMatchObject({ prompt: one.prompt, completion: one.completion, stream: true });
  });

  test("calls two tools, and answers when it has their results", async () => {
    const { token } = await relay.addCaller();
    const openai = relay.clientFor(token.key);
    const asked = { role: "user" as const, content: "Weather and time in Bern?" };
    const base = { model: modelOf(one, "tools"), tools };
    const first = await openai.chat.completions.stream({ ...base, messages: [asked] }).finalChatCompletion();
    const message = first.choices[0]?.message;
    const calls = message?.tool_calls ?? [];
    expect(first.choices[0]?.finish_reason).toBe("tool_calls");
    expect(calls.map((call) => (call.type === "function" ? call.function.name : ""))).toEqual([
      "get_weather",
      "get_time",
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    if (!message) throw new Error("no message");
    const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "21 degrees" }));
    const second = await openai.chat.completions.create({ ...base, messages: [asked, message, ...results] });
    expect(second.choices[0]?.message.content).toBe("Grüße aus Bern! 🌊");
    expect(sent().messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  });

  test("gets pictures in its own form, also in results of tools", async () => {
    const source = { type: "base64", media_type: "image/png", data: PNG };
    const content = [
      { type: "text", text: "What is it?" },
      { type: "image", source },
    ];
    expect((await askClaude("text", { messages: [{ role: "user", content }] })).status).toBe(200);
    expect(sent().messages.at(-1)).toMatchObject(one.picture);
    const messages = [
      { role: "user", content: "Show me." },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "show", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [{ type: "image", source }] }] },
    ];
    const declared = [{ name: "show", input_schema: { type: "object", properties: {} } }];
    expect((await askClaude("text", { messages, tools: declared })).status).toBe(200);
    expect(JSON.stringify(sent())).toContain(PNG);
  });

  test("thoughts reach the caller", async () => {
    const { text } = await askClaude("thinking", { thinking: { type: "enabled", budget_tokens: 300 } });
    const { content } = JSON.parse(text) as { content: { type: string; thinking?: string }[] };
    expect(content[0]).toMatchObject({ type: "thinking", thinking: expect.stringContaining("17 × 23") });
  });

  test("an answer without usage is charged as counted here, and marked", async () => {
    const { user } = await askClaude("no-usage");
    expect((await rowOf(user))?.other).toMatchObject({ estimated: true });
  });

  test("a failure before content, or a key that is refused, is followed by another channel", async () => {
    for (const kind of ["500", "key"]) {
      const { status, text } = await askClaude(kind);
      expect([kind, status]).toEqual([kind, 200]);
      expect(text).toContain("The river");
    }
  });

  test("the limit of the upstream reaches the caller as one", async () => {
    expect((await askClaude("429")).status).toBe(429);
  });

  test.each(["midway", "cut"])(
    "a stream that ends early (%s) is an error for the caller, and has no end",
    async (kind) => {
      const { text } = await askClaude(kind, { stream: true });
      expect(text).toContain("Once upon");
      expect(text).toContain('"type":"error"');
      expect(text).not.toContain("message_stop");
    },
  );

  test("the channel's test and its list of models speak to the same upstream (B138)", async () => {
    const { sql, db } = relay.database;
    const id = channelIds.get(name) ?? 0;
    const rows = await listChannelRows(sql);
    const row = rows.find((given) => given.id === id);
    if (!row) throw new Error("no channel");
    const channel = { ...readChannel(row), trust: "operator" as const };
    expect(await testChannel(channel, modelOf(one, "text"), defaultOptions())).toMatchObject({
      success: true,
      status: 200,
    });
    const failed = await testChannel(channel, modelOf(one, "500"), defaultOptions());
    expect([failed.success, failed.message]).toEqual([false, "status 500 it is"]);
    const ctx = { db, sql, actor: { type: "job" as const, name: "test" }, clientIp: "192.0.2.1" };
    expect(await fetchChannelModels(ctx, id)).toEqual(one.listed);
  });
});

test("what a format has no words for is refused with a reason, before anything is sent", async () => {
  const { token } = await relay.addCaller();
  const [cohere] = CASES;
  if (!cohere) throw new Error("no case");
  const before = upstreams.get("cohere")?.bodies.length;
  const format = { response_format: { type: "json_object" }, tools };
  const { status, wire } = await relay.post(token.key, chatBody(modelOf(cohere, "text"), format));
  expect([status, wire.error.param]).toEqual([400, "response_format"]);
  expect(upstreams.get("cohere")?.bodies.length).toBe(before);
});
