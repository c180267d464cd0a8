import Anthropic from "@anthropic-ai/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { FAKE_AWS_KEY, type FakeBedrock, startFakeBedrock } from "@/lib/testing/fake-bedrock";
import { setUpRelay, until } from "../harness";

const KINDS = ["text", "parallel-tools", "thinking-signature", "usage-cache", "error", "cut", "429", "500"];
const MODELS = ["fake.", "claude-"].flatMap((prefix) => KINDS.map((kind) => prefix + kind));
const relay = setUpRelay({
  prices: MODELS.join(","),
  options: { AutomaticDisableChannelEnabled: true, RetryTimes: 1 },
});
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TOOL = { name: "get_weather", parameters: { type: "object", properties: { city: { type: "string" } } } };
let bedrock: FakeBedrock;
let channel: number;
let user: number;
let key: string;

beforeAll(async () => {
  bedrock = await startFakeBedrock();
});
afterAll(() => bedrock.close());
beforeEach(async () => {
  await relay.reset();
  bedrock.requests.length = 0;
  const made = await relay.addCaller();
  user = made.user;
  key = made.token.key;
  channel = await relay.addChannel({ ...values, baseUrl: bedrock.url, priority: 10 });
  await relay.inForce();
});

const values = { type: CHANNEL_TYPE.bedrock, models: MODELS.join(","), key: FAKE_AWS_KEY };
const openai = () => relay.clientFor(key);
const anthropic = () => new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });

async function logOf() {
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  return (await relay.logsOf(user)).at(-1);
}

describe.each(["fake.", "claude-"])("Bedrock with models like %stext", (prefix) => {
  const say = (content: unknown) => [{ role: "user" as const, content: content as string }];

  test.each([false, true])(
    "answers OpenAI's client, and the usage is charged to the unit (stream: %s)",
    async (isStream) => {
      const model = `${prefix}text`;
      const request = { model, messages: say("Say hello"), max_tokens: 100 };
      const answer = isStream
        ? await openai()
            .chat.completions.stream({ ...request, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await openai().chat.completions.create(request);
      expect(answer.choices[0]).toMatchObject({
        finish_reason: "stop",
        message: { content: expect.stringContaining("Bern") },
      });
      const { prompt_tokens: prompt = 0, completion_tokens: completion = 0 } = answer.usage ?? {};
      expect(prompt + completion).toBeGreaterThan(0);
      expect(await logOf()).toMatchObject({ type: 2, prompt, completion, quota: prompt + 2 * completion, channel });
      expect(bedrock.requests).toMatchObject([{ status: 200 }]);
      expect(bedrock.requests[0]?.url).toMatch(isStream ? /stream$/ : /(?:invoke|converse)$/);
    },
  );

  test.each([false, true])(
    "answers Anthropic's client with thinking that can be sent back (stream: %s)",
    async (isStream) => {
      const request = { model: `${prefix}thinking-signature`, messages: say("17 × 23?"), max_tokens: 4_000 };
      const messages = anthropic().messages;
      const answer = isStream ? await messages.stream(request).finalMessage() : await messages.create(request);
      const [thought] = answer.content;
      expect(thought).toMatchObject({ type: "thinking", signature: expect.stringMatching(/.+/) });
      expect(answer.stop_reason).toMatch(/^(?:end_turn|tool_use)$/);
      const results = answer.content.flatMap((block) =>
        block.type === "tool_use" ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "sunny" }] : [],
      );
      const next = results.length > 0 ? [{ role: "user" as const, content: results }] : say("And?");
      const turns = [...say("17 × 23?"), { role: "assistant" as const, content: answer.content }, ...next];
      await anthropic().messages.create({ ...request, model: `${prefix}text`, messages: turns });
      const sent = JSON.stringify(bedrock.requests[1]?.body);
      const { signature = "" } = thought as { signature?: string };
      expect(sent).toContain(JSON.stringify(signature.replace(/^bedrock:/, "")));
    },
  );

  test.each([false, true])(
    "calls tools side by side and gets their results with a picture (stream: %s)",
    async (isStream) => {
      const model = `${prefix}parallel-tools`;
      const tools = [{ type: "function" as const, function: TOOL }];
      const request = { model, messages: say("Weather?"), tools, max_tokens: 100 };
      const answer = isStream
        ? await openai().chat.completions.stream(request).finalChatCompletion()
        : await openai().chat.completions.create(request);
      const calls = answer.choices[0]?.message.tool_calls ?? [];
      expect(answer.choices[0]?.finish_reason).toBe("tool_calls");
      expect(calls.map((call) => call.type === "function" && JSON.parse(call.function.arguments))).toEqual([
        { city: "Bern", unit: "c" },
        { zone: "Europe/Zurich" },
      ]);
      const picture = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${PNG}` } };
      const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "sunny" }));
      const messages = [
        ...say("Weather?"),
        { role: "assistant" as const, tool_calls: calls },
        ...results,
        ...say([picture]),
      ];
      await openai().chat.completions.create({ ...request, model: `${prefix}text`, messages });
      expect(bedrock.requests.map(({ status }) => status)).toEqual([200, 200]);
      expect(JSON.stringify(bedrock.requests[1]?.body)).toContain(PNG);
    },
  );

  test("charges what was read from the cache and written to it as such", async () => {
    await openai().chat.completions.create({ model: `${prefix}usage-cache`, messages: say("Hi") });
    const { prompt, other } = (await logOf()) ?? { prompt: 0, other: {} };
    expect(prompt).toBeGreaterThan(1_000);
    expect(other).toMatchObject({ cache_tokens: expect.any(Number) });
  });

  test.each(["429", "500", "error"])(
    "that fails with %s before any content leaves the request to the next channel",
    async (kind) => {
      const model = prefix + kind;
      await relay.addChannel({ models: model, modelMapping: { [model]: "fake-gpt" } } as never);
      await relay.inForce();
      const { choices } = await openai().chat.completions.create({ model, messages: say("Hi") });
      expect(choices[0]?.message.content).not.toBe("");
      expect(bedrock.requests).toHaveLength(1);
    },
  );

  test.each(["cut", "error"])(
    "whose stream ends with %s is no whole answer, and what came is charged",
    async (kind) => {
      const stream = anthropic().messages.stream({ model: prefix + kind, messages: say("Tell"), max_tokens: 100 });
      await expect(stream.finalMessage()).rejects.toThrow();
      expect(stream.receivedMessages).toEqual([]);
      expect((await logOf())?.quota).toBeGreaterThan(0);
    },
  );

  test("with a key that AWS does not know is switched off, and the next channel answers", async () => {
    await relay.reset();
    const bad = await relay.addChannel({
      ...values,
      key: "AKIDOTHER|secret|us-east-1",
      baseUrl: bedrock.url,
      priority: 10,
    });
    await relay.addChannel({ ...values, baseUrl: bedrock.url });
    await relay.inForce();
    const { choices } = await openai().chat.completions.create({ model: `${prefix}text`, messages: say("Hi") });
    expect(choices[0]?.message.content).toContain("Bern");
    const status = async () =>
      (await relay.database.sql<{ status: number }[]>`select status from channels where id = ${bad}`)[0]?.status;
    await until(async () => (await status()) === 3);
    expect(bedrock.requests.map(({ status: given }) => given)).toEqual([403, 200]);
  });

  test("passes its channel test", async () => {
    const tested = relay.gateway.snapshot().channels.get(channel);
    if (!tested) throw new Error("no channel");
    const options = defaultOptions();
    expect(await testChannel(tested, `${prefix}text`, options)).toMatchObject({
      success: true,
      usage: expect.anything(),
    });
    expect(await testChannel(tested, `${prefix}500`, options)).toMatchObject({ success: false, message: "it broke" });
  });
});

test("the model's id and the host follow from the region of the key", async () => {
  await openai().chat.completions.create({ model: "claude-text", messages: [{ role: "user", content: "Hi" }] });
  expect(bedrock.requests[0]?.url).toBe("/model/us.anthropic.claude-text/invoke");
  expect(bedrock.requests[0]?.body).toMatchObject({ anthropic_version: "bedrock-2023-05-31", max_tokens: 8_192 });
  expect(bedrock.requests[0]?.body).not.toHaveProperty("model");
});
