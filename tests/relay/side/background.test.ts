import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channels } from "@/db/schema";
import { pollOpen } from "@/lib/jobs/poll-open-charges";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { completed } from "@/lib/testing/fake-storage-responses";
import { setUpRelay, type TokenValues, type UserValues } from "../harness";

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
  // What other tests have left open: its channels are gone.
  await poll();
  storage.calls.length = 0;
  storage.faults.clear();
  ({ user, openai } = await newCaller());
});

async function newCaller(values: UserValues = {}, ofToken: TokenValues = {}) {
  const { user, token } = await relay.addCaller(values, ofToken);
  return { user, token, openai: new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

async function addChannel(key: string, more: Record<string, unknown> = {}): Promise<number> {
  const setting = '{"speaks_responses":true}';
  const id = await relay.addChannel({ baseUrl: storage.url, setting, models: MODEL, key, ...more });
  await relay.inForce();
  return id;
}

type Background = OpenAI.Responses.ResponseCreateParamsNonStreaming;
const request: Background = { model: MODEL, input: "Hello", background: true, max_output_tokens: 1_000 };
const ask = (client = openai) => client.responses.create(request);
/** What the worker does, for everything that is open. */
async function poll(): Promise<string> {
  await relay.database.sql`update open_charges set next_poll_at = 0`;
  return pollOpen(relay.database.sql);
}
const openOf = (id: number) => relay.database.sql<{ reserved: number }[]>`
  select reserved from open_charges where user_id = ${id}`;
const reservedOf = async (id: number) =>
  (await relay.database.sql<{ reserved: number }[]>`select reserved from users where id = ${id}`)[0]?.reserved ?? 0;

describe("an answer in the background", () => {
  test("is reserved for until it ends, then charged once, by whoever sees its end first", async () => {
    const channel = await addChannel("key-a");
    const { id, status } = await ask();
    expect(status).toBe("queued");
    const [open] = await openOf(user);
    // The answer's bound at two quota a token, and the prompt.
    expect(open?.reserved).toBeGreaterThanOrEqual(2_000);
    expect(await reservedOf(user)).toBeGreaterThanOrEqual(open?.reserved ?? 0);
    expect(await relay.logsOf(user)).toEqual([]);
    expect(await poll()).toBe("0 ended");
    expect((await openai.responses.retrieve(id)).status).toBe("queued");
    storage.endResponse(id, completed(id, 30, 40));
    const [first] = await Promise.all([openai.responses.retrieve(id), poll(), openai.responses.retrieve(id), poll()]);
    expect(first.output_text).toBe("The weir holds the river.");
    expect(await relay.logsOf(user)).toMatchObject([
      { type: 2, quota: 110, prompt: 30, completion: 40, channel, model: MODEL },
    ]);
    expect(await relay.balanceOf(user)).toMatchObject({ quota: 1_000_000 - 110, used: 110 });
    expect(await openOf(user)).toEqual([]);
    expect(await poll()).toBe("0 ended");
    expect((await openai.responses.retrieve(id)).status).toBe("completed");
    expect(await relay.logsOf(user)).toHaveLength(1);
  });

  test("is charged by the worker when its caller never comes back", async () => {
    await addChannel("key-a");
    const { id } = await ask();
    storage.endResponse(id, completed(id, 3, 4));
    expect(await poll()).toBe("1 ended");
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 11 }]);
  });

  test("goes only to a channel whose upstream has it", async () => {
    await relay.addChannel({ models: MODEL, priority: 10 });
    await relay.inForce();
    await expect(ask()).rejects.toMatchObject({ status: 400, param: "background" });
    await addChannel("key-a");
    await ask();
    expect(storage.calls).toHaveLength(1);
    const stateless = openai.responses.create({ ...request, store: false });
    await expect(stateless).rejects.toMatchObject({ status: 400, param: "store" });
  });

  test.each([
    ["failed", {}, 0],
    ["cancelled", { usage: { input_tokens: 10, output_tokens: 5 } }, 20],
    ["incomplete", { usage: { input_tokens: 10, output_tokens: 1_000 } }, 2_010],
  ])("that is %s costs what it has used", async (status, values, quota) => {
    await addChannel("key-a");
    const { id } = await ask();
    storage.endResponse(id, { status, ...values });
    expect(await poll()).toBe("1 ended");
    expect(await relay.logsOf(user)).toMatchObject([{ type: 2, quota, other: { background: status } }]);
    expect(await relay.balanceOf(user)).toMatchObject({ quota: 1_000_000 - quota });
  });

  test("that is cancelled by its caller is charged with the cancellation", async () => {
    await addChannel("key-a");
    const { id } = await ask();
    await expect(openai.responses.delete(id)).rejects.toMatchObject({ status: 409, code: "response_not_finished" });
    expect((await openai.responses.cancel(id)).status).toBe("cancelled");
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 0, other: { background: "cancelled" } }]);
    await openai.responses.delete(id);
    expect(await openOf(user)).toEqual([]);
  });

  test("without usage is counted, and usage that cannot be true is not believed", async () => {
    await addChannel("key-a");
    const silent = await ask();
    storage.endResponse(silent.id, { ...completed(silent.id, 0, 0), usage: null });
    await poll();
    const greedy = await ask();
    storage.endResponse(greedy.id, completed(greedy.id, 5, 9_999_999));
    await poll();
    const [counted, bounded] = await relay.logsOf(user);
    expect(counted).toMatchObject({ completion: 9, other: { estimated: true } });
    expect(bounded).toMatchObject({
      prompt: 5,
      completion: 1_000,
      other: { usage_rejected: { completion_tokens: 9_999_999 } },
    });
  });

  test("holds a limited token too, and gives it back", async () => {
    await addChannel("key-a");
    const limited = await newCaller({}, { unlimitedQuota: false, remainQuota: 5_000, grantedQuota: 5_000 });
    const { id } = await ask(limited.openai);
    const { sql } = relay.database;
    const tokenOf = () => sql<{ left: number; reserved: number }[]>`
      select remain_quota as "left", reserved from tokens where id = ${limited.token.id}`;
    expect(await relay.differences()).toEqual([]);
    expect((await tokenOf())[0]?.reserved).toBeGreaterThanOrEqual(2_000);
    storage.endResponse(id, completed(id, 30, 40));
    await poll();
    expect((await tokenOf())[0]?.left).toBe(4_890);
  });

  test("is refused when the balance does not carry it beside those that run", async () => {
    await addChannel("key-a");
    const poor = await newCaller({ balance: 2_500 });
    const first = await ask(poor.openai);
    // What is left carries a shorter answer, and then none.
    const second = await ask(poor.openai);
    expect(JSON.parse(storage.calls.at(-1)?.body.toString() ?? "{}").max_output_tokens).toBeLessThan(300);
    await expect(ask(poor.openai)).rejects.toMatchObject({ status: 503, code: "quota_reserved" });
    for (const { id } of [first, second]) storage.endResponse(id, { status: "failed" });
    expect(await poll()).toBe("2 ended");
    expect((await ask(poor.openai)).status).toBe("queued");
  });

  test.each([
    ["its channel is deleted", async () => void (await relay.database.db.delete(channels)), "not in use"],
    ["its upstream has lost it", async () => storage.account("key-a").responses.clear(), "does not know it"],
    [
      "it never ends",
      async () => void (await relay.database.sql`update open_charges set ends_before = 1`),
      "did not finish it in time",
    ],
  ])("is given back when %s, with an unknown cost", async (_, happens, why) => {
    await addChannel("key-a");
    await ask();
    await happens();
    expect(await poll()).toBe("1 ended");
    const { sql } = relay.database;
    const [row] =
      await sql`select quota, content, cost, unknown_costs as unknown from usage_logs where user_id = ${user}`;
    expect(row).toMatchObject({ quota: 0, cost: null, unknown: 1, content: expect.stringContaining(why) });
    expect(await openOf(user)).toEqual([]);
  });

  test("stays open while its upstream fails", async () => {
    await addChannel("key-a");
    const { id } = await ask();
    storage.endResponse(id, completed(id, 3, 4));
    for (const fault of [500, 429, "cut"] as const) {
      storage.faults.set("GET", fault);
      expect(await poll()).toBe("0 ended");
    }
    storage.faults.clear();
    expect(await poll()).toBe("1 ended");
  });

  test("of which a gateway that died knew is charged all the same", async () => {
    await addChannel("key-a");
    const beside = await relay.startBeside();
    const { token } = await relay.addCaller();
    const other = beside.clientFor(token.key);
    const { id } = await ask(other);
    await beside.gateway.stop();
    storage.endResponse(id, completed(id, 3, 4));
    expect(await poll()).toBe("1 ended");
  });
});

test.each([false, true])(
  "an answer in the background is charged although its caller left before it had an id (stream: %s)",
  async (stream) => {
    await addChannel("key-a");
    storage.faults.set("POST", "slow");
    const leaving = new AbortController();
    const asking = openai.responses.create({ ...request, stream } as Background, { signal: leaving.signal });
    await expect.poll(() => storage.calls.length).toBe(1);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    await expect.poll(() => openOf(user), { timeout: 5_000 }).toHaveLength(1);
  },
);

describe("an answer in the background that is streamed", () => {
  test("and ends is charged like any other stream", async () => {
    await addChannel("key-a");
    storage.faults.set("POST", "ends");
    const events = [];
    for await (const event of await openai.responses.create({ ...request, stream: true })) events.push(event);
    expect(events.at(-1)?.type).toBe("response.completed");
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 110, prompt: 30, completion: 40, stream: true }]);
    expect(await openOf(user)).toEqual([]);
    const [{ response } = {}] = events as { response?: { id: string } }[];
    expect((await openai.responses.retrieve(response?.id ?? "")).status).toBe("completed");
  });

  test("and breaks off goes on where it was, and is charged at its end", async () => {
    await addChannel("key-a");
    const events: { type: string; sequence_number: number; response?: { id: string } }[] = [];
    const read = async () => {
      for await (const event of await openai.responses.create({ ...request, stream: true }))
        events.push(event as never);
    };
    await expect(read()).rejects.toThrow();
    const id = events[0]?.response?.id ?? "";
    expect(await openOf(user)).toHaveLength(1);
    expect(await relay.logsOf(user)).toEqual([]);
    storage.endResponse(id, completed(id, 30, 40));
    const after = events.at(-1)?.sequence_number ?? 0;
    const rest: string[] = [];
    for await (const event of await openai.responses.retrieve(id, { stream: true, starting_after: after }))
      rest.push(event.type);
    expect(rest.at(-1)).toBe("response.completed");
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 110 }]);
  });

  test("and cancelled in the middle costs what its streams have passed on", async () => {
    await addChannel("key-a");
    storage.faults.set("POST /v1/responses", "hangs");
    storage.faults.set("GET /v1/responses", "hangs");
    const readSome = async (stream: AsyncIterable<{ type: string }>) => {
      for await (const event of stream) if (event.type === "response.output_text.delta") return event;
      return null;
    };
    const first = await openai.responses.create({ ...request, stream: true });
    const { item_id } = (await readSome(first)) as { item_id: string } & { type: string };
    const id = item_id.slice("msg_".length);
    first.controller.abort();
    await expect.poll(() => openOf(user), { timeout: 5_000 }).toHaveLength(1);
    const second = await openai.responses.retrieve(id, { stream: true });
    await readSome(second);
    storage.faults.clear();
    expect((await openai.responses.cancel(id)).status).toBe("cancelled");
    second.controller.abort();
    // By the end of the stream, or by the worker.
    await expect.poll(async () => (await poll()) && (await relay.logsOf(user)).length, { timeout: 5_000 }).toBe(1);
    // The 25 bytes of the text, which both have read.
    expect(await relay.logsOf(user)).toMatchObject([{ completion: 9, other: { estimated: true } }]);
  });

  test("goes on when its caller leaves", async () => {
    await addChannel("key-a");
    storage.faults.set("POST", "hangs");
    const stream = await openai.responses.create({ ...request, stream: true });
    let id = "";
    for await (const event of stream) {
      if (event.type === "response.created") id = event.response.id;
      if (event.type === "response.output_text.delta") break;
    }
    stream.controller.abort();
    storage.faults.clear();
    await expect.poll(() => openOf(user), { timeout: 10_000 }).toHaveLength(1);
    storage.endResponse(id, completed(id, 30, 40));
    expect(await poll()).toBe("1 ended");
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 110 }]);
  });
});
