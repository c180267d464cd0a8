import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runChannelTest } from "@/lib/channel/test-commands";
import type { ServiceContext } from "@/lib/context";
import type { FakeFormatUpstream } from "@/lib/testing/fake-format-upstream";
import { type Relay, type RelaySetUp, until } from "./harness";

export type FormatCase<Upstream extends FakeFormatUpstream> = {
  start: () => Promise<Upstream>;
  type: number;
  /** What the models' names begin with. */
  prefix: string;
  key: string;
  badKey: string;
  /** How many tools an answer calls. */
  calls: number;
};

const SCENARIOS = ["text", "thinking", "calls", "unmetered", "limited", "broken", "error", "cut", "refused"];
const TEXT = "Grüße aus Bern! 🌊";
const tools = ["get_weather", "get_time"].map((name) => ({
  type: "function" as const,
  function: { name, description: name, parameters: { type: "object", properties: { city: { type: "string" } } } },
}));

/** The gateway that `testFormat` needs. */
export function formatSetUp(prefix: string): RelaySetUp {
  const prices = SCENARIOS.map((scenario) => `${prefix}-${scenario}`).join(",");
  return { prices, options: { AutomaticDisableChannelEnabled: true, RetryTimes: 1 } };
}

/** What must work with every upstream of a wire format of its own, through a running gateway. */
export function testFormat<Upstream extends FakeFormatUpstream>(relay: Relay, format: FormatCase<Upstream>) {
  const modelOf = (scenario: string): string => `${format.prefix}-${scenario}`;
  const fake = {} as Upstream;
  let channel = 0;
  let refused = 0;

  beforeAll(async () => {
    Object.assign(fake, await format.start());
    const values = { type: format.type, baseUrl: fake.url };
    const models = SCENARIOS.filter((name) => name !== "refused").map(modelOf);
    channel = await relay.addChannel({ ...values, priority: 10, key: format.key, models: models.join(",") });
    refused = await relay.addChannel({ ...values, priority: 10, key: format.badKey, models: modelOf("refused") });
    const next = ["limited", "broken", "refused"].map(modelOf);
    const modelMapping = JSON.stringify(Object.fromEntries(next.map((name) => [name, "fake-gpt"])));
    await relay.addChannel({ models: next.join(","), modelMapping, priority: 0 });
    await relay.inForce();
  });
  afterAll(() => fake.close());

  async function caller() {
    const { user, token } = await relay.addCaller();
    return { user, key: token.key, openai: relay.clientFor(token.key) };
  }

  async function logOf(user: number) {
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    const [row] = await relay.logsOf(user);
    return row;
  }

  const say = (content: string) => [{ role: "user" as const, content }];

  test.each([false, true])("OpenAI's client reads the answer and is charged for it (stream: %s)", async (isStream) => {
    const { user, openai } = await caller();
    const asked = { model: modelOf("text"), messages: say("hi") };
    const completion = isStream
      ? await openai.chat.completions
          .stream({ ...asked, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await openai.chat.completions.create(asked);
    expect(completion.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: TEXT } });
    expect(completion.usage).toMatchObject({ prompt_tokens: 19, completion_tokens: 10 });
    expect(await logOf(user)).toMatchObject({ prompt: 19, completion: 10, quota: 39, stream: isStream, channel });
  });

  test.each([false, true])("Anthropic's callers read it in their own format (stream: %s)", async (stream) => {
    const { user, key } = await caller();
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: modelOf("text"), max_tokens: 50, stream, system: "Be kind", messages: say("hi") }),
    });
    const text = await response.text();
    const said = [...text.matchAll(/"text(?:_delta)?","text":"([^"]*)"/g)].map(([, part]) => part).join("");
    expect([response.status, said]).toEqual([200, TEXT]);
    if (stream) expect(text).toContain("event: message_stop");
    expect(await logOf(user)).toMatchObject({ prompt: 19, completion: 10, quota: 39 });
  });

  test.each([false, true])("tools are called, and their results taken back (stream: %s)", async (isStream) => {
    const { openai } = await caller();
    const asked = { model: modelOf("calls"), messages: say("Weather and time?"), tools };
    const completion = isStream
      ? await openai.chat.completions.stream(asked).finalChatCompletion()
      : await openai.chat.completions.create(asked);
    const [choice] = completion.choices;
    if (!choice) throw new Error("no choice");
    const calls = choice.message.tool_calls ?? [];
    expect([choice.finish_reason, calls.length]).toEqual(["tool_calls", format.calls]);
    const results = calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "sunny" }));
    const message = { role: "assistant" as const, content: choice.message.content, tool_calls: calls };
    const messages = [...asked.messages, message, ...results, ...say("And tomorrow?")];
    const told = await openai.chat.completions.create({ ...asked, messages });
    expect(told.choices[0]?.message.content).toBe(TEXT);
  });

  test("thoughts are told", async () => {
    const { openai } = await caller();
    const { choices } = await openai.chat.completions.create({ model: modelOf("thinking"), messages: say("17 × 23?") });
    expect(choices[0]?.message).toHaveProperty("reasoning_content", expect.stringMatching(/./));
  });

  test.each([false, true])("without usage it is estimated, never zero (stream: %s)", async (stream) => {
    const { user, openai } = await caller();
    const asked = { model: modelOf("unmetered"), messages: say("hi") };
    if (stream) await openai.chat.completions.stream(asked).finalChatCompletion();
    else await openai.chat.completions.create(asked);
    const row = await logOf(user);
    expect([row?.prompt, row?.completion].every((count) => (count ?? 0) > 0)).toBe(true);
  });

  test.each(["limited", "broken"])(
    "before the first word a failure (%s) goes to the next channel",
    async (scenario) => {
      for (const stream of [true, false]) {
        const { key, user } = await caller();
        const body = JSON.stringify({ model: modelOf(scenario), messages: say("hi"), stream });
        expect((await relay.post(key, body)).status).toBe(200);
        expect((await logOf(user))?.channel).not.toBe(channel);
      }
      expect(await stateOf(channel)).toBe(1);
    },
  );

  test.each(["cut", "error"])(
    "in mid-stream a failure (%s) is told, and nothing ends as if whole",
    async (scenario) => {
      const { key } = await caller();
      const body = JSON.stringify({ model: modelOf(scenario), messages: say("hi"), stream: true });
      const { status, text } = await relay.post(key, body);
      expect(status).toBe(200);
      expect(text).toContain('"content":"Once upon"');
      expect(text).toContain('"error":{');
      expect(text).not.toContain("[DONE]");
    },
  );

  async function stateOf(id: number): Promise<number> {
    const rows = await relay.database.sql<{ status: number }[]>`select status from channels where id = ${id}`;
    return rows[0]?.status ?? 0;
  }

  test("a wrong key switches its channel off, and the next one answers", async () => {
    const { key } = await caller();
    const answer = await relay.post(key, JSON.stringify({ model: modelOf("refused"), messages: say("hi") }));
    expect(answer.status).toBe(200);
    await until(async () => (await stateOf(refused)) === 3, 10_000);
  });

  describe("a test of the channel", () => {
    test("works, and says what is wrong with a key", async () => {
      const { db, sql } = relay.database;
      await relay.addUser({ role: 100, username: "root" });
      const ctx: ServiceContext = { db, sql, actor: { type: "job", name: "test" }, clientIp: "192.0.2.1" };
      expect(await runChannelTest(ctx, channel, { model: modelOf("text") })).toMatchObject({
        success: true,
        status: 200,
      });
      const values = { type: format.type, baseUrl: fake.url, models: modelOf("text"), status: 2 };
      const bad = await relay.addChannel({ ...values, key: format.badKey });
      expect(await runChannelTest(ctx, bad)).toMatchObject({ success: false, message: expect.stringMatching(/./) });
    });
  });

  test("the provider was never sent what it does not accept", () => {
    expect(fake.seen.length).toBeGreaterThan(10);
    expect(fake.seen.map(({ fault }) => fault).filter((fault) => fault !== "")).toEqual([]);
  });

  return { fake, caller, modelOf };
}
