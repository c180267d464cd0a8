import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channelKeys, channels } from "@/db/schema";
import { seal, sha256Hex } from "@/lib/crypto";
import { sweepObjects } from "@/lib/relay/base/upstream-objects/commands";
import { type FakeResponses, startFakeResponses } from "@/lib/testing/fake-responses";
import { setUpRelay } from "../harness";

const MODEL = "gpt-4.1";
const relay = setUpRelay({ prices: `${MODEL},gpt-4.1-plain,fake-gpt`, options: { RetryTimes: "3" } });
let upstream: FakeResponses;
let user: number;
let openai: OpenAI;

beforeAll(async () => {
  upstream = await startFakeResponses();
});
afterAll(() => upstream.close());

beforeEach(async () => {
  await relay.reset();
  upstream.requests.length = 0;
  upstream.nextIds.length = 0;
  ({ user, openai } = await newCaller());
});

async function newCaller() {
  const { user, token } = await relay.addCaller();
  return { user, key: token.key, openai: new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

async function addChannel(key: string, more: Record<string, unknown> = {}): Promise<number> {
  const setting = '{"speaks_responses":true}';
  const models = `${MODEL},gpt-4.1-plain`;
  const id = await relay.addChannel({ baseUrl: upstream.url, setting, models, key, ...more });
  await relay.inForce();
  return id;
}

async function addKeys(channelId: number, keys: string[]): Promise<void> {
  await relay.database.db.delete(channelKeys);
  const rows = keys.map((key) => ({ channelId, keyCipher: seal(key), fingerprint: key }));
  await relay.database.db.insert(channelKeys).values(rows);
  await relay.database.sql`select pg_notify('weir', ${`channels:${channelId}`})`;
  await relay.inForce();
}

type ObjectRow = { kind: string; id: string; channel: number; key: string };
const objectsOf = (id: number) => relay.database.sql<ObjectRow[]>`
  select kind, object_id as id, channel_id as channel, key_hash as key from upstream_objects
  where user_id = ${id} order by created_at, kind desc`;

const ask = (more: Record<string, unknown> = {}, client = openai) =>
  client.responses.create({ model: MODEL, input: "Hello", ...more }) as Promise<OpenAI.Responses.Response>;
const askedKeys = () => upstream.requests.map(({ key }) => key);
const unknown = { status: 400, code: "previous_response_not_found", param: "previous_response_id" };

describe("an answer that its upstream stores", () => {
  test.each([false, true])("is in the books before its caller has the end of it, streamed %s", async (stream) => {
    const channel = await addChannel("key-a");
    const { response } = stream
      ? { response: await openai.responses.stream({ model: MODEL, input: "Hello" }).finalResponse() }
      : { response: await ask() };
    const account = { channel, key: sha256Hex("key-a") };
    expect(await objectsOf(user)).toEqual([
      { kind: "response", id: response.id, ...account },
      { kind: "item", id: response.output[0]?.id, ...account },
    ]);
  });

  test("goes on at the account that has it, wherever others are preferred by now", async () => {
    const channel = await addChannel("key-a");
    const first = await ask();
    await addChannel("key-b", { priority: 10, weight: 100 });
    for (let i = 0; i < 4; i++) expect((await ask({ previous_response_id: first.id })).id).not.toBe(first.id);
    expect(askedKeys()).toEqual(Array(5).fill("key-a"));
    const rows = await relay.logsOf(user);
    expect(rows.map((row) => row.channel)).toEqual(Array(5).fill(channel));
  });

  test("goes on with the key that made it, wherever it stands among the channel's keys", async () => {
    const channel = await addChannel("unused");
    await addKeys(channel, ["key-a", "key-b", "key-c"]);
    const first = await ask();
    await addKeys(channel, ["key-c", "key-new", "key-a"]);
    for (let i = 0; i < 3; i++) await ask({ previous_response_id: first.id });
    expect(new Set(askedKeys())).toEqual(new Set(["key-a"]));
  });

  test("can be named item by item", async () => {
    await addChannel("key-a");
    const first = await ask();
    await addChannel("key-b", { priority: 10 });
    const input = [
      { type: "item_reference", id: first.output[0]?.id },
      { role: "user", content: "And then?" },
    ];
    expect((await ask({ input })).status).toBe("completed");
    // The type may be left out.
    expect((await ask({ input: [{ id: first.output[0]?.id }, input[1]] })).status).toBe("completed");
    expect(new Set(askedKeys())).toEqual(new Set(["key-a"]));
    await expect(ask({ input: [{ type: "item_reference", id: "msg_other" }] })).rejects.toMatchObject({
      ...{ status: 400, param: "input", code: "item_not_found" },
    });
  });

  test("is not noted where it is not stored: the caller does not want it, or the upstream does not", async () => {
    await addChannel("key-a");
    await ask({ store: false });
    await ask({ model: "gpt-4.1-plain" });
    expect(await objectsOf(user)).toEqual([]);
  });

  test("of two with one id, the later one counts", async () => {
    const one = await addChannel("key-a");
    upstream.nextIds.push("resp_same", "resp_same");
    await ask();
    await relay.database.db.delete(channels);
    const two = await addChannel("key-b");
    await ask();
    expect(one).not.toBe(two);
    expect((await objectsOf(user)).map(({ channel }) => channel)).toEqual([two, two]);
  });

  test("is forgotten when the upstream has forgotten it, and the sweep removes it", async () => {
    await addChannel("key-a");
    const first = await ask();
    const { sql } = relay.database;
    await sql`update upstream_objects set expires_at = extract(epoch from now())::bigint - 1 where user_id = ${user}`;
    await expect(ask({ previous_response_id: first.id })).rejects.toMatchObject(unknown);
    expect(await sweepObjects(sql, 1)).toBe(2);
    expect(await objectsOf(user)).toEqual([]);
  });
});

describe("a stored answer is refused, and no upstream is asked", () => {
  let id: string;
  let asked: number;

  beforeEach(async () => {
    await addChannel("key-a");
    ({ id } = await ask());
    asked = upstream.requests.length;
  });
  const nobodyWasAsked = () => expect(upstream.requests.length).toBe(asked);

  test("to another user, as if nobody had made it", async () => {
    const other = await newCaller();
    const refused = ask({ previous_response_id: id }, other.openai);
    await expect(refused).rejects.toMatchObject({ ...unknown, type: "invalid_request_error" });
    const made = ask({ previous_response_id: "resp_nobody" }, other.openai);
    const [one, two] = await Promise.all([refused.catch(String), made.catch(String)]);
    const told = (error: unknown) => String(error).replace(/'resp_\w+'|\(request id.*/g, "…");
    expect(told(one)).toBe(told(two));
    nobodyWasAsked();
  });

  test.each([
    ["very long", "resp_".padEnd(10_240, "a")],
    ["with NUL", "resp_\0"],
    ["with half a character", "resp_\ud800"],
    ["of SQL", "resp_' or true --"],
    ["empty", ""],
    ["of a translated answer", "resp_weir_chatcmpl-1"],
  ])("for an id that is %s", async (_what, odd) => {
    const error = await ask({ previous_response_id: odd }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject(unknown);
    expect(String(error).length).toBeLessThan(400);
    nobodyWasAsked();
  });

  test("for an id that is no text", async () => {
    for (const odd of [1, true, ["resp_1"], { id: "resp_1" }]) {
      await expect(ask({ previous_response_id: odd })).rejects.toMatchObject({
        ...{ status: 400, param: "previous_response_id" },
      });
    }
    await expect(ask({ conversation: "conv_1" })).rejects.toMatchObject({ status: 400, param: "conversation" });
    nobodyWasAsked();
  });

  test("where its channel is switched off, deleted, without the model, or has another key", async () => {
    const { sql } = relay.database;
    await addChannel("key-b");
    const refusal = () => ask({ previous_response_id: id }).catch((thrown: unknown) => thrown);
    const [row] = await sql<{ id: number }[]>`select min(id) as id from channels`;
    const first = eq(channels.id, row?.id ?? 0);
    const change = async (values: Partial<typeof channels.$inferInsert>) => {
      await relay.database.db.update(channels).set(values).where(first);
      await relay.inForce();
    };
    await change({ status: 2 });
    expect(await refusal()).toMatchObject({ status: 503, code: "stored_object_unavailable" });
    await change({ status: 1, models: "gpt-4.1-plain" });
    expect(await refusal()).toMatchObject({ status: 400, code: "stored_object_unavailable" });
    await change({ models: MODEL, keyCipher: seal("key-c") });
    expect(await refusal()).toMatchObject({ status: 400, code: "stored_object_unavailable" });
    await change({ keyCipher: seal("key-a"), setting: "{}" });
    expect(await refusal()).toMatchObject({ status: 400, param: "previous_response_id" });
    await relay.database.db.delete(channels).where(first);
    await relay.inForce();
    expect(await refusal()).toMatchObject({ status: 400, code: "stored_object_unavailable" });
    nobodyWasAsked();
  });

  test("when hundreds ask at once with ids that nobody made, while others are served", async () => {
    const refusals: { status: number; code: string }[] = [];
    const lane = async () => {
      for (let i = 0; i < 3; i++) refusals.push(await ask({ previous_response_id: `resp_${i}` }).catch((e) => e));
    };
    const odd = Promise.all(Array.from({ length: 100 }, lane));
    const served = ask({ previous_response_id: id });
    await odd;
    expect(refusals.length).toBe(300);
    expect(new Set(refusals.map(({ status, code }) => `${status} ${code}`))).toEqual(
      new Set(["400 previous_response_not_found"]),
    );
    expect((await served).status).toBe("completed");
    expect((await relay.logsOf(user)).length).toBe(2);
  }, 30_000);
});

test("what an upstream made that failed is not asked of another one: the failure is told", async () => {
  await addChannel("key-a");
  const first = await ask();
  await addChannel("key-b");
  await relay.database.sql`delete from upstream_objects where user_id = ${user} and kind = 'item'`;
  upstream.requests.length = 0;
  // The account itself has forgotten it.
  await relay.database.sql`update upstream_objects set object_id = 'resp_gone' where object_id = ${first.id}`;
  await expect(ask({ previous_response_id: "resp_gone" })).rejects.toMatchObject({ status: 400 });
  expect(askedKeys()).toEqual(["key-a"]);
});

test("an answer that was translated says that nothing keeps it, and its id is told from those that are kept", async () => {
  await relay.addChannel({ models: "fake-gpt" });
  await relay.inForce();
  const answer = await ask({ model: "fake-gpt" });
  expect(answer).toMatchObject({ id: expect.stringMatching(/^resp_weir_/), store: false });
  expect(await objectsOf(user)).toEqual([]);
  const next = ask({ model: "fake-gpt", previous_response_id: answer.id });
  await expect(next).rejects.toMatchObject({ ...unknown, message: expect.stringContaining("translated") });
});
