import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { type FakeSpark, SPARK_KEY, startFakeSpark } from "@/lib/testing/fake-spark";
import { setUpRelay, until } from "../harness";

const MODEL = "SparkDesk-v3.5";
const SHARED = "generalv3.5";
const relay = setUpRelay({
  prices: `${MODEL},${SHARED},x1,SparkDesk-v4.0,fake-gpt`,
  // An upstream that says nothing would be waited for.
  options: { UnseenDrainSeconds: "0" },
});
let spark: FakeSpark;

beforeAll(async () => {
  spark = await startFakeSpark();
  const values = { type: CHANNEL_TYPE.spark, baseUrl: spark.url, key: SPARK_KEY };
  await relay.addChannel({ ...values, models: `${MODEL},x1` });
  await relay.addChannel({ ...values, models: "SparkDesk-v4.0", key: "appid|wrong|the-key" });
  await relay.addChannel({ ...values, models: SHARED, priority: 10 });
  const modelMapping = JSON.stringify({ [SHARED]: "fake-gpt" });
  await relay.addChannel({ models: SHARED, modelMapping, priority: 1 });
  await relay.inForce();
});
afterAll(() => spark.close());

async function caller() {
  const { user, token } = await relay.addCaller();
  return { user, key: token.key, openai: relay.clientFor(token.key) };
}

async function rowOf(user: number) {
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  return (await relay.logsOf(user))[0];
}

const asks = (content: string) => [{ role: "user" as const, content }];
const tools = [
  {
    type: "function" as const,
    function: { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
  },
];
const charged = { prompt: 14, completion: 5, quota: 24 };

describe("OpenAI's client", () => {
  test("reads a whole answer and a streamed one, is charged for what Spark reports, and no socket stays", async () => {
    const { user, openai } = await caller();
    const whole = await openai.chat.completions.create({
      model: MODEL,
      messages: [{ role: "system", content: "Be brief." }, ...asks("Hello")],
      max_tokens: 50,
    });
    expect(whole.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: "Hello from Bern." } });
    expect(whole.usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 5 });
    const stream = openai.chat.completions.stream({ model: MODEL, messages: asks("Hello") });
    const streamed = await stream.finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe("Hello from Bern.");
    await until(async () => (await relay.logsOf(user)).length === 2, 10_000);
    expect(await relay.logsOf(user)).toMatchObject([
      { ...charged, stream: false },
      { ...charged, stream: true },
    ]);
    const [first] = spark.requests.slice(-2);
    expect(first?.url).toMatch(/^\/v3\.5\/chat\?authorization=/);
    expect(first?.body).toMatchObject({
      header: { app_id: "appid" },
      parameter: { chat: { domain: "generalv3.5", max_tokens: 50 } },
    });
    await expect.poll(() => spark.open()).toBe(0);
  });

  test("is given a call of a tool, and goes on with its result", async () => {
    const { openai } = await caller();
    const called = await openai.chat.completions.create({ model: MODEL, messages: asks("Weather?"), tools });
    const [choice] = called.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    const [call] = choice?.message.tool_calls ?? [];
    expect(call).toMatchObject({ function: { name: "get_weather", arguments: '{"city":"Bern","unit":"c"}' } });
    const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "sunny" };
    const messages = [...asks("Weather?"), ...(choice ? [choice.message] : []), result];
    const answered = await openai.chat.completions.create({ model: MODEL, messages });
    expect(answered.choices[0]?.message.content).toBe("Hello from Bern.");
    const texts = spark.requests.at(-1)?.body.payload?.message?.text?.map(({ content }) => content);
    expect(texts?.at(-1)).toBe("Result of get_weather: sunny");
  });

  test("is told the thoughts of models that think", async () => {
    const { openai } = await caller();
    const told = await openai.chat.completions.create({
      model: "x1",
      messages: asks("thinking"),
      reasoning_effort: "low",
    });
    expect(told.choices[0]?.message).toMatchObject({
      content: "It is 391.",
      reasoning_content: "17 × 20 = 340, 17 × 3 = 51.",
    });
    expect(spark.requests.at(-1)).toMatchObject({
      url: expect.stringMatching(/^\/v1\/x1\?/),
      body: { parameter: { chat: { domain: "spark-x", thinking: { type: "enabled" } } } },
    });
  });

  test("is refused a picture with a reason, before anything is sent", async () => {
    const { key } = await caller();
    const seen = spark.requests.length;
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const body = JSON.stringify({ model: MODEL, messages: [{ role: "user", content: [image] }] });
    const { status, wire } = await relay.post(key, body);
    expect([status, wire.error.message]).toEqual([400, expect.stringContaining("take only text")]);
    expect(spark.requests.length).toBe(seen);
  });

  test("whose stream is cut is told, and charged for what it got", async () => {
    const { user, key } = await caller();
    const { text } = await relay.post(key, JSON.stringify({ model: MODEL, messages: asks("cut"), stream: true }));
    expect(text).toContain("Once upon");
    expect(text).toContain('"error"');
    expect(text).not.toContain("[DONE]");
    expect((await rowOf(user))?.completion).toBeGreaterThan(0);
  });

  test("who leaves takes the WebSocket along", async () => {
    const { key } = await caller();
    const abort = new AbortController();
    const asked = fetch(`${relay.url}/v1/chat/completions`, {
      ...{ method: "POST", signal: abort.signal, headers: { authorization: `Bearer ${key}` } },
      body: JSON.stringify({ model: MODEL, messages: asks("silent"), stream: true }),
    });
    await expect.poll(() => spark.open()).toBe(1);
    abort.abort();
    await expect(asked.then((response) => response.text())).rejects.toThrow();
    await expect.poll(() => spark.open()).toBe(0);
  });
});

describe("a caller of Anthropic's format", () => {
  test("reads a stream with a call", async () => {
    const { key } = await caller();
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({
        ...{ model: MODEL, max_tokens: 50, stream: true, messages: asks("Weather?") },
        tools: [{ name: "get_weather", input_schema: { type: "object", properties: {} } }],
      }),
    });
    const text = await response.text();
    expect(text).toContain('"type":"tool_use"');
    expect(text).toContain('"stop_reason":"tool_use"');
    expect(text).toContain("event: message_stop");
  });
});

describe("an error of Spark", () => {
  test("about the content is not taken to the next channel", async () => {
    const { key } = await caller();
    const { status, wire } = await relay.post(key, JSON.stringify({ model: SHARED, messages: asks("forbidden") }));
    expect([status, wire.error.message]).toEqual([400, expect.stringContaining("audit")]);
  });

  test.each(["busy", "limited"])("before the answer (%s) leads to the next channel", async (word) => {
    const { openai } = await caller();
    const answered = await openai.chat.completions.create({ model: SHARED, messages: asks(word) });
    expect(answered.choices[0]?.message.content).toContain("The river runs");
  });

  test("in mid-stream is no end of the answer", async () => {
    const { key } = await caller();
    const { text } = await relay.post(key, JSON.stringify({ model: MODEL, messages: asks("midway"), stream: true }));
    expect(text).toContain("Once upon");
    expect(text).not.toContain("[DONE]");
  });

  test("for a wrong key is 502, in Spark's own words and without the key", async () => {
    const { key } = await caller();
    const { status, text } = await relay.post(
      key,
      JSON.stringify({ model: "SparkDesk-v4.0", messages: asks("Hello") }),
    );
    expect([status, text]).toEqual([502, expect.stringContaining("HMAC signature cannot be verified")]);
    expect(text).not.toContain("wrong");
  });
});

test("the channel test asks over a WebSocket too, and says what is wrong", async () => {
  const channels = new Map((await listChannelRows(relay.database.sql)).map((row) => [row.models, readChannel(row)]));
  const good = channels.get(`${MODEL},x1`);
  const bad = channels.get("SparkDesk-v4.0");
  if (!good || !bad) throw new Error("the channels are missing");
  expect(await testChannel(good, MODEL, defaultOptions())).toMatchObject({
    success: true,
    status: 200,
    usage: { completionTokens: 5 },
  });
  expect(await testChannel(bad, "SparkDesk-v4.0", defaultOptions())).toMatchObject({
    ...{ success: false, status: 401 },
    message: expect.stringContaining("HMAC signature"),
  });
  expect(await testChannel({ ...good, baseUrl: "ws://127.0.0.1:1" }, MODEL, defaultOptions())).toMatchObject({
    ...{ success: false },
    message: "the upstream could not be reached (ECONNREFUSED)",
  });
  await expect.poll(() => spark.open()).toBe(0);
});
