import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channels } from "@/db/schema";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { completed } from "@/lib/testing/fake-storage-responses";
import { setUpRelay } from "../harness";

const MODEL = "gpt-4.1";
const relay = setUpRelay({ prices: MODEL, options: { RetryTimes: "3" } });
let storage: FakeStorage;
let user: number;
let openai: OpenAI;

beforeAll(async () => {
  storage = await startFakeStorage();
});
afterAll(() => storage.close());

beforeEach(async () => {
  await relay.reset();
  storage.calls.length = 0;
  storage.faults.clear();
  ({ user, openai } = await newCaller());
});

async function newCaller() {
  const { user, token } = await relay.addCaller();
  return { user, key: token.key, openai: new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

async function addChannel(key: string, more: Record<string, unknown> = {}): Promise<number> {
  const setting = '{"speaks_responses":true}';
  const id = await relay.addChannel({ baseUrl: storage.url, setting, models: MODEL, key, ...more });
  await relay.inForce();
  return id;
}

const ask = () => openai.responses.create({ model: MODEL, input: "Hello" });
const askedKeys = () => storage.calls.map(({ key }) => key);
const unknown = { status: 404, message: expect.stringMatching(/Response with id '.*' not found\./) };

describe("a stored answer", () => {
  test("is read, listed by its input and deleted at the account that made it, for nothing", async () => {
    await addChannel("key-a");
    const made = await ask();
    await addChannel("key-b", { priority: 10 });
    const before = await relay.balanceOf(user);
    expect(await openai.responses.retrieve(made.id)).toMatchObject({
      id: made.id,
      output_text: "The weir holds the river.",
    });
    const items = await openai.responses.inputItems.list(made.id, { limit: 5, order: "asc" });
    expect(items.data[0]?.id).toBe(`msg_in_${made.id}`);
    expect(storage.calls.at(-1)?.url.search).toBe("?limit=5&order=asc");
    await openai.responses.delete(made.id);
    expect(askedKeys()).toEqual(Array(4).fill("key-a"));
    expect(await relay.balanceOf(user)).toEqual(before);
    await expect(openai.responses.retrieve(made.id)).rejects.toMatchObject(unknown);
    // It was forgotten here too: nobody was asked.
    expect(storage.calls).toHaveLength(4);
  });

  test("of another user, or of nobody, is unknown, and no upstream is asked", async () => {
    await addChannel("key-a");
    const made = await ask();
    const other = await newCaller();
    for (const id of [made.id, "resp_nobody", "resp_weir_1", "a%00b", "x".repeat(600)]) {
      await expect(other.openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
      await expect(other.openai.responses.delete(id)).rejects.toMatchObject({ status: 404 });
      await expect(other.openai.responses.cancel(id)).rejects.toMatchObject({ status: 404 });
    }
    expect(storage.calls).toHaveLength(1);
    expect(await openai.responses.retrieve(made.id)).toMatchObject({ id: made.id });
  });

  test("needs a key that is allowed", async () => {
    await addChannel("key-a");
    const { id } = await ask();
    const reply = await fetch(`${relay.url}/v1/responses/${id}`, { headers: { authorization: "Bearer sk-wrong" } });
    expect(reply.status).toBe(401);
    expect(storage.calls).toHaveLength(1);
  });

  test("is not looked for elsewhere when its channel is switched off, has another key or is gone", async () => {
    const channel = await addChannel("key-a");
    const { id } = await ask();
    await addChannel("key-b");
    const { sql, db } = relay.database;
    await sql`update channels set status = 2 where id = ${channel}`;
    await relay.inForce();
    const gone = { code: "stored_object_unavailable" };
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 503, ...gone });
    await db.delete(channels);
    await addChannel("key-b");
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 404, ...gone });
    expect(storage.calls).toHaveLength(1);
  });

  test("fails as its upstream does, without its key", async () => {
    await addChannel("key-a-very-secret");
    const { id } = await ask();
    storage.faults.set("GET", "quote");
    const reply = await openai.responses.retrieve(id).catch((error: Error) => error);
    expect(reply).toMatchObject({ status: 400, message: expect.not.stringContaining("very-secret") });
    storage.faults.set("GET", 500);
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 500 });
    storage.faults.set("GET", 429);
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 429 });
    storage.faults.set("GET", "half");
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 502 });
    storage.faults.set("GET", "silent");
    await relay.setOption("UpstreamFirstByteWholeSeconds", "1");
    await relay.setOption("UpstreamAloneSeconds", "1");
    await relay.inForce();
    await expect(openai.responses.retrieve(id)).rejects.toMatchObject({ status: 504 });
    storage.faults.clear();
    expect((await openai.responses.retrieve(id)).id).toBe(id);
  });
});

describe("a stored answer that is streamed again", () => {
  async function made(): Promise<string> {
    await addChannel("key-a");
    const { id } = await ask();
    storage.endResponse(id, { ...completed(id, 5, 6), background: true });
    return id;
  }

  test("begins behind the event that its caller names", async () => {
    const id = await made();
    const events = [];
    for await (const event of await openai.responses.retrieve(id, { stream: true, starting_after: 4 }))
      events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual([5, 6, 7, 8]);
    expect(events.at(-1)?.type).toBe("response.completed");
    const nothing = [];
    for await (const event of await openai.responses.retrieve(id, { stream: true, starting_after: 99 }))
      nothing.push(event);
    expect(nothing).toEqual([]);
  });

  test("never ends like a whole one when it breaks off", async () => {
    const id = await made();
    storage.faults.set("GET", "cut");
    const read = async () => {
      for await (const event of await openai.responses.retrieve(id, { stream: true })) void event;
    };
    await expect(read()).rejects.toThrow(/closed the connection/);
  });
});
