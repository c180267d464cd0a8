import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pollOpen } from "@/lib/jobs/poll-open-charges";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { setUpRelay, type TokenValues, type UserValues } from "../harness";

const MODEL = "gpt-4.1";
const OTHER = "gpt-4.1-mini";
const STRANGE = "gpt-strange-one";
const relay = setUpRelay({ prices: `${MODEL},${OTHER},${STRANGE}`, options: { RetryTimes: "3" } });
let storage: FakeStorage;
let user: number;
let openai: OpenAI;
let channel: number;

beforeAll(async () => {
  storage = await startFakeStorage();
});
afterAll(() => storage.close());

beforeEach(async () => {
  await relay.reset();
  await poll();
  storage.calls.length = 0;
  storage.faults.clear();
  ({ user, openai } = await newCaller());
  const setting = '{"speaks_responses":true}';
  channel = await relay.addChannel({ baseUrl: storage.url, setting, models: `${MODEL},${OTHER}`, key: "key-a" });
  await relay.inForce();
});

async function newCaller(values: UserValues = {}, ofToken: TokenValues = {}) {
  const { user, token } = await relay.addCaller(values, ofToken);
  return { user, openai: new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

async function poll(): Promise<string> {
  await relay.database.sql`update open_charges set next_poll_at = 0`;
  return pollOpen(relay.database.sql);
}

const url = "/v1/chat/completions";
const body = { model: MODEL, messages: [{ role: "user", content: "Hello" }], max_tokens: 100 };
const line = (id: string, more: object = {}, ofBody: object = {}) =>
  JSON.stringify({ custom_id: id, method: "POST", url, body: { ...body, ...ofBody }, ...more });
const upload = async (text: string, client = openai) =>
  client.files.create({ file: await toFile(Buffer.from(text), "in.jsonl"), purpose: "batch" });
const begin = (file: string, client = openai) =>
  client.batches.create({ input_file_id: file, endpoint: url, completion_window: "24h" });
const answered = (id: string, prompt: number, completion: number) =>
  JSON.stringify({
    custom_id: id,
    response: {
      status_code: 200,
      body: { object: "chat.completion", usage: { prompt_tokens: prompt, completion_tokens: completion } },
    },
    error: null,
  });
const failed = (id: string) => JSON.stringify({ custom_id: id, response: { status_code: 429, body: {} }, error: null });
const openOf = (id: number) => relay.database.sql<{ reserved: number }[]>`
  select reserved from open_charges where user_id = ${id}`;

describe("a batch", () => {
  test("is reserved when it begins, and charged at half the price for what was answered, once", async () => {
    const file = await upload(`${line("a")}\n${line("b")}\r\n\n${line("c")}`);
    const made = await begin(file.id);
    expect(made.status).toBe("validating");
    const [open] = await openOf(user);
    // Three answers of 100 tokens at two quota each, and the prompts; half of it.
    expect(open?.reserved).toBeGreaterThan(300);
    expect(open?.reserved).toBeLessThan(600);
    expect(await poll()).toBe("0 ended");
    expect((await openai.batches.retrieve(made.id)).id).toBe(made.id);
    const output = [answered("a", 10, 20), failed("b"), answered("c", 5, 7)].join("\n");
    storage.endBatch(made.id, { status: "completed", completed_at: 1_760_000_500 }, output, failed("b"));
    const done = await openai.batches.retrieve(made.id);
    expect(done.status).toBe("completed");
    // The answers are its owner's, who cannot delete them before they are paid.
    const answers = done.output_file_id ?? "";
    expect(await (await openai.files.content(answers)).text()).toBe(output);
    await expect(openai.files.delete(answers)).rejects.toMatchObject({ status: 409, code: "batch_not_finished" });
    await Promise.all([poll(), poll(), poll()]);
    // (10 + 5) + 2 × (20 + 7), at half the price.
    expect(await relay.logsOf(user)).toMatchObject([
      {
        type: 2,
        quota: 35,
        prompt: 15,
        completion: 27,
        channel,
        model: MODEL,
        other: { batch_ratio: 0.5, group_ratio: 0.5, batch_answered: 2 },
      },
    ]);
    expect(await relay.balanceOf(user)).toMatchObject({ quota: 1_000_000 - 35, used: 35 });
    expect(await openOf(user)).toEqual([]);
    await openai.files.delete(answers);
    expect((await openai.batches.list()).data.map(({ id, status }) => [id, status])).toEqual([[made.id, "completed"]]);
  });

  test("that is cancelled, or expires, costs what was answered, and one that failed nothing", async () => {
    const file = await upload(line("a"));
    const cancelled = await begin(file.id);
    expect((await openai.batches.cancel(cancelled.id)).status).toBe("cancelling");
    expect(await poll()).toBe("0 ended");
    storage.endBatch(cancelled.id, { status: "cancelled" }, answered("a", 4, 3));
    const wrong = await begin(file.id);
    storage.endBatch(wrong.id, { status: "failed", errors: { data: [] } }, null);
    expect(await poll()).toBe("2 ended");
    const rows = await relay.logsOf(user);
    expect(rows.map(({ quota }) => quota).sort()).toEqual([0, 5]);
  });

  test("has the price of the option", async () => {
    await relay.setOption("BatchPriceRatio", "2");
    await relay.inForce();
    const made = await begin((await upload(line("a"))).id);
    storage.endBatch(made.id, { status: "completed" }, answered("a", 10, 20));
    await poll();
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 100 }]);
  });

  test("whose answers cannot be fetched stays open, and costs nothing when they are gone", async () => {
    const made = await begin((await upload(line("a"))).id);
    storage.endBatch(made.id, { status: "completed" }, answered("a", 10, 20));
    for (const fault of [500, "cut", "half"] as const) {
      storage.faults.set("GET /v1/files", fault);
      expect(await poll()).toBe("0 ended");
    }
    storage.faults.clear();
    storage.account("key-a").files.clear();
    expect(await poll()).toBe("1 ended");
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 0, other: { outcome: "lost" } }]);
  });

  test("of another user, and with another user's file, is unknown", async () => {
    const file = await upload(line("a"));
    const made = await begin(file.id);
    const other = await newCaller();
    const asked = storage.calls.length;
    await expect(begin(file.id, other.openai)).rejects.toMatchObject({ status: 404 });
    await expect(other.openai.batches.retrieve(made.id)).rejects.toMatchObject({ status: 404 });
    await expect(other.openai.batches.cancel(made.id)).rejects.toMatchObject({ status: 404 });
    expect((await other.openai.batches.list()).data).toEqual([]);
    expect(storage.calls).toHaveLength(asked);
  });

  test("is refused when the balance does not pay for all of it, and nothing is kept reserved when its upstream refuses it", async () => {
    const poor = await newCaller({ balance: 100 });
    const file = await upload(line("a"), poor.openai);
    await expect(begin(file.id, poor.openai)).rejects.toMatchObject({ status: 429 });
    const own = await upload(line("a"));
    storage.faults.set("POST /v1/batches", 400);
    await expect(begin(own.id)).rejects.toMatchObject({ status: 400 });
    storage.faults.set("POST /v1/batches", 500);
    await expect(begin(own.id)).rejects.toMatchObject({ status: 500 });
    expect(await openOf(user)).toEqual([]);
    expect(await relay.balanceOf(user)).toMatchObject({ quota: 1_000_000 });
  });

  test("is not begun with a file of another kind, for another endpoint or with unknown fields", async () => {
    const notes = await openai.files.create({ file: await toFile(Buffer.from("x"), "x.txt"), purpose: "user_data" });
    await expect(begin(notes.id)).rejects.toMatchObject({ status: 400, param: "input_file_id" });
    const file = await upload(line("a"));
    const asked = { input_file_id: file.id, completion_window: "24h" } as const;
    await expect(openai.batches.create({ ...asked, endpoint: "/v1/embeddings" })).rejects.toMatchObject({
      status: 400,
    });
    const strange = openai.batches.create({ ...asked, endpoint: url, more: 1 } as never);
    await expect(strange).rejects.toMatchObject({ status: 400, param: "more" });
  });
});

describe("a batch that its upstream has begun", () => {
  test("is charged although its caller left before the answer", async () => {
    const file = await upload(line("a"));
    storage.faults.set("POST /v1/batches", "slow");
    const asked = storage.calls.length;
    const leaving = new AbortController();
    const asking = openai.batches.create(
      { input_file_id: file.id, endpoint: url, completion_window: "24h" },
      { signal: leaving.signal },
    );
    await expect.poll(() => storage.calls.length).toBe(asked + 1);
    leaving.abort();
    await expect(asking).rejects.toThrow();
    await expect.poll(() => openOf(user), { timeout: 5_000 }).toHaveLength(1);
    expect((await openai.batches.list()).data).toHaveLength(1);
  });

  test("is the one that was checked, although the file is named twice", async () => {
    const [cheap, dear] = [await upload(line("a")), await upload(line("b", {}, { max_tokens: 30_000 }))];
    const body = `{"input_file_id":"${dear.id}","input_file_id":"${cheap.id}","endpoint":"${url}","completion_window":"24h"}`;
    const headers = { authorization: `Bearer ${openai.apiKey}`, "content-type": "application/json" };
    const { status } = await fetch(`${relay.url}/v1/batches`, { method: "POST", headers, body });
    expect(status).toBe(200);
    expect(storage.calls.at(-1)?.body.toString()).not.toContain(dear.id);
  });

  test("gives its reservation back when its answers cannot be read until the end of its time", async () => {
    const made = await begin((await upload(line("a"))).id);
    storage.endBatch(made.id, { status: "completed" }, answered("a", 10, 20));
    storage.faults.set("GET /v1/files", 403);
    expect(await poll()).toBe("0 ended");
    await relay.database.sql`update open_charges set ends_before = 1`;
    expect(await poll()).toBe("1 ended");
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 0, other: { outcome: "lost" } }]);
  });
});

test("a batch needs a budget that carries it", async () => {
  const limited = await newCaller({}, { budgetDay: 50 });
  const file = await upload(line("a"), limited.openai);
  await expect(begin(file.id, limited.openai)).rejects.toMatchObject({ status: 429, code: "budget_exceeded" });
  expect(await openOf(limited.user)).toEqual([]);
});

test("a request without a limit, of a model that nothing is known of, is refused in a file", async () => {
  await relay.addChannel({ baseUrl: storage.url, setting: '{"speaks_responses":true}', models: STRANGE, key: "key-b" });
  await relay.inForce();
  await expect(upload(line("a", {}, { model: STRANGE, max_tokens: undefined }))).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/line 1.*max_tokens/),
  });
  expect((await upload(line("a", {}, { model: STRANGE }))).id).toMatch(/^file-/);
});

test("answers as long as asked for are charged whole, although the model is said to write less", async () => {
  const made = await begin((await upload(line("a", {}, { max_tokens: 50_000 }))).id);
  storage.endBatch(made.id, { status: "completed" }, answered("a", 10, 40_000));
  await poll();
  expect(await relay.logsOf(user)).toMatchObject([{ completion: 40_000 }]);
});

describe("a file of requests is refused with the number of the line", () => {
  test.each([
    ["no JSON", () => `${line("a")}\n{`, /line 2/],
    ["no requests", () => "\n\n", /no requests/],
    ["an id twice", () => `${line("a")}\n${line("a")}`, /line 2.*custom_id/],
    ["no id", () => line(""), /line 1.*custom_id/],
    ["another method", () => line("a", { method: "GET" }), /method/],
    ["a path that is not served", () => line("a", { url: "/v1/images/generations" }), /url/],
    ["two models", () => `${line("a")}\n${line("b", {}, { model: OTHER })}`, /line 2.*same url and model/],
    ["an unknown model", () => line("a", {}, { model: "unknown" }), /line 1/],
    ["a stream", () => line("a", {}, { stream: true }), /stream/],
    ["no messages", () => line("a", {}, { messages: [] }), /line 1/],
    ["another model beside", () => line("a", {}, { models: [OTHER] }), /line 1/],
    ["a dear option", () => line("a", {}, { service_tier: "priority" }), /line 1/],
    [
      "a sound",
      () => line("a", {}, { modalities: ["text", "audio"], audio: { voice: "alloy", format: "wav" } }),
      /sound/,
    ],
    ["another end of a line", () => line("a").replace('"method"', '\r"method"'), /carriage return/],
    ["the model twice", () => line("a").replace('"model":', '"model":"gpt-4.1-mini","model":'), /twice/],
  ])("%s", async (_, text, message) => {
    await expect(upload(text())).rejects.toMatchObject({ status: 400, message: expect.stringMatching(message) });
    expect(storage.calls).toEqual([]);
  });

  test("a model that the key may not use, or that is not priced by tokens", async () => {
    const limited = await newCaller({}, { modelLimitsEnabled: true, modelLimits: OTHER });
    await expect(upload(line("a"), limited.openai)).rejects.toMatchObject({ status: 400, message: /may not use/ });
    await relay.setOption("ModelPrice", { [MODEL]: 0.1 });
    await relay.inForce();
    await expect(upload(line("a"))).rejects.toMatchObject({ status: 400, message: /not priced by tokens/ });
  });
});
