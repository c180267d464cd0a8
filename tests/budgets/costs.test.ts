// Who: whoever adds a feature that costs every answer a little, which no measurement of time on a shared machine would show.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { startFakeCollector } from "@/lib/testing/fake-collector";
import { COLUMNS, type Costs, judge, MEASURED, print, type Table } from "./budgets";
import type { Fault } from "./counted-gateway";
import { type Counting, type Shape, startCounting } from "./counting-harness";

const ANSWERS = 60;
const STREAMS = 20;
/** So many that a promise for each of them is seen beside what runs by the clock. */
const FLUSHED = 240;
const [FEW, MANY] = [10, 50];

const entry = setUpBundle(["gateway"]);
let plain: Counting;
/** With everything on that costs an answer something. */
let everything: Counting;
let collector: Awaited<ReturnType<typeof startFakeCollector>>;

beforeAll(async () => {
  collector = await startFakeCollector();
  [plain, everything] = await Promise.all([
    startCounting(entry("gateway")),
    startCounting(entry("gateway"), {
      options: {
        CaptureEnabled: "true",
        HedgeSlowRequests: "true",
        ModelRequestRateLimitEnabled: "true",
        ModelRequestRateLimitCount: "1000000",
        ModelRequestRateLimitSuccessCount: "1000000",
      },
      channels: 2,
      user: { budgetDay: 1_000_000_000, budgetMonth: 1_000_000_000 },
      token: {
        captureUntil: -1,
        rateLimitCount: 1_000_000,
        tokensPerMinute: 1_000_000_000,
        concurrencyLimit: 100,
        budgetDay: 1_000_000_000,
      },
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
      // Of the requests of a second only so many are captured.
      stepMs: 60,
    }),
  ]);
}, 60_000);
afterAll(async () => {
  await Promise.all([plain?.stop(), everything?.stop()]);
  await collector?.close();
});

const messages = [{ role: "user", content: "y".repeat(800) }];
const question = { model: "counted", max_tokens: 300, messages };
const chat = { path: "/v1/chat/completions", status: 200 };
const streaming = { stream: true, stream_options: { include_usage: true } };
const whole: Shape = { ...chat, body: question };
const shapes: Record<string, Shape> = {
  whole,
  translated: { path: "/v1/messages", status: 200, body: question },
  "key refused": { ...chat, status: 401, key: "sk-nobody", body: question },
  "upstream refuses": { ...chat, status: 400, body: { ...question, model: "refused-400" } },
};
const stream: Shape = { ...chat, body: { ...question, ...streaming } };
const streams: Record<string, Shape> = {
  stream,
  "translated stream": { path: "/v1/messages", status: 200, body: { ...question, stream: true } },
};

/** Every request of its own kind is met for the first time before it is counted. */
async function warm(counting: Counting, shape: Shape, times: number): Promise<void> {
  await counting.ask(shape, times);
  await counting.booked();
}

/** What a stream costs beside its chunks, and a chunk. */
async function costOfStream(counting: Counting, shape: Shape, times = STREAMS): Promise<[stream: Costs, chunk: Costs]> {
  await warm(counting, { ...shape, chunks: MANY }, times);
  const few = await counting.costOf({ ...shape, chunks: FEW }, times);
  const many = await counting.costOf({ ...shape, chunks: MANY }, times);
  const chunk = eachOf((column) => (many[column] - few[column]) / (MANY - FEW));
  return [eachOf((column) => few[column] - FEW * chunk[column]), chunk];
}

function eachOf(value: (column: keyof Costs) => number): Costs {
  return Object.fromEntries(COLUMNS.map((column) => [column, value(column)])) as Costs;
}

/** What runs beside only adds to a count, so the least of several is nearest to the answer's own. */
async function least(tries: number, count: () => Promise<Table>, isEnough: (table: Table) => boolean): Promise<Table> {
  const table = await count();
  for (let more = 1; more < tries && !isEnough(table); more++) {
    for (const [row, again] of Object.entries(await count())) {
      const known = table[row];
      if (known) for (const column of COLUMNS) known[column] = Math.min(known[column], again[column]);
    }
  }
  return table;
}

const isWithin = (table: Table): boolean => judge(table, MEASURED).length === 0;

test("no answer and no chunk costs more promises, timers, bytes, writes or statements than its budget", async () => {
  const found: Table = {};
  for (const [name, shape] of Object.entries(shapes)) {
    await warm(plain, shape, ANSWERS);
    Object.assign(found, await least(3, async () => ({ [name]: await plain.costOf(shape, ANSWERS) }), isWithin));
  }
  for (const [name, shape] of Object.entries(streams)) {
    const count = async () => {
      const [answer, chunk] = await costOfStream(plain, shape);
      return { [name]: answer, [`${name}, chunk`]: chunk };
    };
    Object.assign(found, await least(3, count, isWithin));
  }
  const limited = { ...whole, key: plain.limitedKey };
  await plain.ask(limited, 1);
  const refused = { ...limited, status: 429 };
  await warm(plain, refused, ANSWERS);
  Object.assign(
    found,
    await least(3, async () => ({ "limit refuses": await plain.costOf(refused, ANSWERS) }), isWithin),
  );
  Object.assign(
    found,
    await least(3, async () => ({ "flush of 240": await plain.costOfFlush(whole, FLUSHED) }), isWithin),
  );
  console.log(`counted now, for tests/budgets/budgets.ts:\n${print(found)}`);
  expect(judge(found, MEASURED)).toEqual([]);
}, 240_000);

test("nor with every feature on", async () => {
  const headers = () => ({
    "idempotency-key": randomUUID(),
    traceparent: `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`,
  });
  await warm(everything, { ...whole, headers }, ANSWERS);
  const count = async () => ({ everything: await everything.costOf({ ...whole, headers }, ANSWERS) });
  const table = await least(3, count, isWithin);
  const countStream = async () => {
    const [answer, chunk] = await costOfStream(everything, { ...stream, headers }, STREAMS / 2);
    return { "everything, stream": answer, "everything, stream, chunk": chunk };
  };
  Object.assign(table, await least(3, countStream, isWithin));
  console.log(`counted now, for tests/budgets/budgets.ts:\n${print(table)}`);
  expect(judge(table, MEASURED)).toEqual([]);
}, 240_000);

/** Each breaks one budget. */
const faults: Record<Exclude<Fault, "none">, keyof Costs> = { promise: "promises", timer: "timers", bytes: "bytes" };

test("a needless promise, a timer or 2 KB more in an answer breaks its budget", async () => {
  await warm(plain, whole, ANSWERS);
  const table = await least(
    3,
    async () => ({ whole: await plain.costOf(whole, ANSWERS) }),
    () => false,
  );
  for (const [fault, column] of Object.entries(faults) as [Fault, keyof Costs][]) {
    const count = async () => ({ whole: await plain.costOf(whole, ANSWERS, fault) });
    const broken = judge(await least(3, count, (found) => judge(found, table).length === 1), table);
    expect(broken, fault).toEqual([expect.stringMatching(new RegExp(`^whole: [\\d.]+ ${column}, budget `))]);
  }
}, 120_000);
