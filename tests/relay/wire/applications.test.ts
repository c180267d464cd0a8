import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { APPLICATION_KEY, type FakeApplication, startFakeApplication } from "@/lib/testing/fake-application";
import { setUpRelay, until } from "../harness";
import { APPLICATIONS } from "./applications";

const PICTURE = "data:image/png;base64,aW1hZ2U=";
const MODEL = "application";
const relay = setUpRelay({
  prices: `${MODEL},fake-gpt`,
  options: { RetryTimes: 2, AutomaticDisableChannelEnabled: true },
});

describe.each(APPLICATIONS.map((one) => [one.format, one] as const))("an application of %s", (_format, application) => {
  const { type, other, usage, text, upload } = application;
  let fake: FakeApplication;
  let user: number;
  let key: string;

  beforeAll(async () => {
    fake = await startFakeApplication(application);
  });
  afterAll(() => fake.close());
  beforeEach(async () => {
    await relay.reset();
    fake.bodies.length = 0;
    fake.files.clear();
    fake.uploading = 0;
    const made = await relay.addCaller();
    user = made.user;
    key = made.token.key;
  });

  async function channel(does: string, more: { key?: string; priority?: number } = {}): Promise<number> {
    const values = { type, other, baseUrl: `${fake.url}/${does}`, models: MODEL, key: APPLICATION_KEY, ...more };
    const id = await relay.addChannel(values);
    await relay.inForce();
    return id;
  }

  async function rowOf() {
    await until(async () => (await relay.logsOf(user)).some((row) => row.type === 2), 10_000);
    return (await relay.logsOf(user)).find((row) => row.type === 2);
  }

  const messages = [{ role: "user" as const, content: "Say hello from Bern." }];
  const chat = (more: object = {}) => relay.post(key, JSON.stringify({ model: MODEL, messages, ...more }));

  test("answers OpenAI's client whole, and the caller is charged for what it reports", async () => {
    await channel("text");
    const whole = await relay.clientFor(key).chat.completions.create({ model: MODEL, messages });
    expect(whole.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: text } });
    const row = await rowOf();
    expect(row).toMatchObject({ type: 2, stream: false });
    if (usage) {
      const { prompt, completion } = usage;
      expect(row).toMatchObject({ ...usage, quota: prompt + 2 * completion });
    } else expect(row?.quota).toBeGreaterThan(0);
  });

  test("answers OpenAI's client in a stream", async () => {
    await channel("text");
    const stream = relay.clientFor(key).chat.completions.stream({ model: MODEL, messages });
    const told = await stream.finalChatCompletion();
    expect(told.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: text } });
    expect(await rowOf()).toMatchObject({ stream: true, ...usage });
  });

  test.each([true, false])("answers callers of Anthropic's format (streamed: %s)", async (stream) => {
    await channel("text");
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({ model: MODEL, max_tokens: 100, system: "Be terse.", messages, stream }),
    });
    const body = await response.text();
    expect(body).toContain(stream ? "message_stop" : '"stop_reason":"end_turn"');
    expect(JSON.stringify(fake.bodies[0])).toContain("Be terse.");
    expect(JSON.stringify(fake.bodies[0])).toContain("Say hello from Bern.");
  });

  test("gets the whole conversation", async () => {
    await channel("text");
    const turns = [
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Hello, Ada." },
      { role: "user", content: "What is my name?" },
    ];
    expect((await chat({ messages: turns })).status).toBe(200);
    for (const { content } of turns) expect(JSON.stringify(fake.bodies[0])).toContain(content);
  });

  test.each(["429", "500", "error"])("fails over where it fails before it says anything (%s)", async (does) => {
    await channel(does, { priority: 10 });
    const other = await channel("text");
    const { status } = await chat();
    expect(status).toBe(200);
    expect(await rowOf()).toMatchObject({ channel: other });
  });

  test("is never taken for whole where it breaks off", async () => {
    await channel("cut");
    const { text: streamed } = await chat({ stream: true });
    expect(streamed).toContain("Once upon");
    expect(streamed).not.toContain('finish_reason":"stop');
    expect(streamed).toContain('"error"');
    expect((await chat()).status).toBeGreaterThanOrEqual(500);
  });

  test("that refuses its key is left for another one and switched off, and its key is told to nobody", async () => {
    const id = await channel("text", { key: "app-another-secret-key", priority: 10 });
    const good = await channel("text");
    expect((await chat()).status).toBe(200);
    expect(await rowOf()).toMatchObject({ channel: good });
    const stored = async () => await relay.database.sql`select status, other_info from channels where id = ${id}`;
    await until(async () => (await stored())[0]?.status === 3, 10_000);
    const logs = await relay.database.sql`select other::text as text, content from usage_logs`;
    expect(JSON.stringify([await stored(), logs])).not.toContain("app-another-secret-key");
  });

  test.each([
    [{ tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] }, "tools"],
    [{ stop: ["END"] }, "stop"],
    [{ n: 2 }, "n"],
  ])("refuses with 400 what it has no words for: %j", async (more, param) => {
    await channel("text");
    const { status, wire } = await chat(more);
    expect([status, wire.error.param]).toEqual([400, param]);
    expect(fake.bodies).toEqual([]);
  });

  test("is tested like any channel", async () => {
    const id = await channel("text");
    const wrong = await channel("text", { key: "app-another-secret-key" });
    const rows = await listChannelRows(relay.database.sql);
    const found = (wanted: number) => rows.filter((row) => row.id === wanted).map(readChannel);
    const [tested, refused] = [found(id)[0], found(wrong)[0]];
    if (!tested || !refused) throw new Error("no channel");
    expect(await testChannel(tested, MODEL, defaultOptions())).toMatchObject({ success: true, status: 200 });
    expect(await testChannel(refused, MODEL, defaultOptions())).toMatchObject({
      success: false,
      message: "The token [redacted] is not valid",
    });
  });

  describe.runIf(upload)("pictures", () => {
    const withPicture = (...urls: string[]) => [
      { role: "user", content: [{ type: "text", text: "What is it?" }, ...urls.map(part)] },
    ];
    const part = (url: string) => ({ type: "image_url", image_url: { url } });

    test("are uploaded, each once, and named in the request; one at an address is only named", async () => {
      await channel("text");
      const address = "https://weir.example/a.png";
      expect((await chat({ messages: withPicture(PICTURE, PICTURE, address) })).status).toBe(200);
      expect([...fake.files.values()]).toEqual([expect.objectContaining({ type: "image/png", text: "image" })]);
      const [id = ""] = fake.files.keys();
      const sent = JSON.stringify(fake.bodies[0]);
      expect(sent.split(id)).toHaveLength(3);
      expect(sent).toContain(address);
      expect(sent).not.toContain("base64");
    });

    test("that a channel does not take are tried at the next one", async () => {
      await channel("no-upload", { priority: 10 });
      const other = await channel("text");
      expect((await chat({ messages: withPicture(PICTURE) })).status).toBe(200);
      expect(await rowOf()).toMatchObject({ channel: other });
      const { wire } = await chat({ messages: withPicture(PICTURE) });
      expect(wire.error).toBeUndefined();
    });

    test("are no longer uploaded when the caller leaves", async () => {
      await channel("silent-upload");
      const leave = new AbortController();
      const { left } = fake;
      const asking = fetch(`${relay.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: MODEL, messages: withPicture(PICTURE) }),
        signal: leave.signal,
      }).catch(() => null);
      await until(async () => fake.uploading > 0);
      leave.abort();
      await asking;
      await until(async () => fake.left > left);
      expect(fake.bodies).toEqual([]);
    });

    test("of a large number are refused", async () => {
      await channel("text");
      const urls = Array.from(
        { length: 17 },
        (_, at) => `data:image/png;base64,${Buffer.from(`p${at}`).toString("base64")}`,
      );
      expect((await chat({ messages: withPicture(...urls) })).status).toBe(400);
      expect(fake.files.size).toBe(0);
    });

    test("with a key that is refused: another channel answers", async () => {
      await channel("text", { key: "app-another-secret-key", priority: 10 });
      const other = await channel("text");
      expect((await chat({ messages: withPicture(PICTURE) })).status).toBe(200);
      expect(await rowOf()).toMatchObject({ channel: other });
    });
  });
});
