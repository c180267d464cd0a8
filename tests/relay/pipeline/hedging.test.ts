// A second channel is asked when the first one is slower than usual; one of them answers, and the caller pays once.
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Asked,
  chunk,
  type Fault,
  type FaultUpstream,
  failing,
  GOOD_QUOTA,
  good,
  ROLE,
  STREAM_END,
  STREAM_HEAD,
  startFaultUpstream,
  words,
} from "../fault-upstream";
import { chatBody, setUpRelay, until as untilWithin } from "../harness";

/** The machine may be busy; counting tokens loads a table first. */
const until = (condition: () => boolean | Promise<boolean>) => untilWithin(condition, 10_000);

/** Requests that wait for the test. */
let held: Asked[] = [];
/** How the two upstreams behave now. */
let first: Fault = good;
let second: Fault = good;
const hold: Fault = (asked) => void held.push(asked);
const slowly: Fault = (asked) => void setTimeout(() => asked.socket.writable && good(asked), 900);

const options = { HedgeSlowRequests: "true", HedgeMaxShare: "100", HedgeLeastSeconds: "0.05", RetryTimes: "2" };
const relay = setUpRelay({ prices: "m", options: { ...options, UnseenDrainSeconds: "0" } });
let upstream: FaultUpstream;
let [channelA, channelB, user] = [0, 0, 0];
let key: string;

/** The gateway's sides of the callers' connections. */
const responses: ServerResponse[] = [];

beforeAll(async () => {
  relay.gateway.server.on("request", (_request, response) => responses.push(response));
  upstream = await startFaultUpstream({ a: (asked) => first(asked), b: (asked) => second(asked) });
});
afterAll(() => upstream.close());
beforeEach(async () => {
  await relay.reset();
  held = [];
  [first, second] = [good, good];
  await newCaller();
  const channel = { models: "m", baseUrl: upstream.url };
  channelA = await relay.addChannel({ ...channel, modelMapping: '{"m":"a"}', priority: 10 });
  channelB = await relay.addChannel({ ...channel, modelMapping: '{"m":"b"}' });
  await relay.inForce();
  upstream.forget();
});

const KINDS = [
  ["a stream", true],
  ["a whole answer", false],
] as const;

const open = (stream: boolean, signal: AbortSignal | null = null) =>
  fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: chatBody("m", { stream }),
  });

const set = (name: string, value: string) => relay.setOption(name, value).then(() => relay.inForce());

const ask = (stream: boolean, headers = {}) => relay.post(key, chatBody("m", { stream }), headers);

/** So that the process knows how long the first channel usually takes. */
async function learn(stream: boolean): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.all(Array.from({ length: 5 }, () => ask(stream)));
  await newCaller();
  upstream.forget();
}

async function newCaller(): Promise<void> {
  const caller = await relay.addCaller({ balance: 10_000_000 });
  user = caller.user;
  key = caller.token.key;
}

/** Asks, and waits until both channels have got the request. */
async function askBoth(stream: boolean) {
  [first, second] = [hold, hold];
  const asking = ask(stream);
  await until(() => held.length === 2);
  const [a, b] = held as [Asked, Asked];
  return { asking, a, b };
}

type Row = Awaited<ReturnType<typeof relay.logsOf>>[number];
async function onlyRow(): Promise<Row> {
  await until(async () => (await relay.logsOf(user)).length > 0);
  const rows = await relay.logsOf(user);
  expect(rows).toHaveLength(1);
  return rows[0] as Row;
}
const costs = () =>
  relay.database.sql`
    select cost, unbilled_cost as unbilled, unknown_costs as unknown from usage_logs where user_id = ${user}`.then(
    ([row]) => row,
  );
const closed = (asked: Asked | undefined) => until(() => asked?.socket.destroyed === true);

describe.each(KINDS)("%s", (_name, stream) => {
  beforeEach(() => learn(stream));

  test("a slow channel: another one answers soon; the slow one is cancelled, noted with its cost, and nothing is charged for it", async () => {
    first = hold;
    const begun = performance.now();
    const { status, text } = await ask(stream);
    expect(performance.now() - begun).toBeLessThan(1_500);
    expect([status, text.split("All is well.").length]).toEqual([200, 2]);
    await closed(held[0]);
    expect([upstream.posts("a"), upstream.posts("b")]).toEqual([1, 1]);
    const row = await onlyRow();
    expect(row).toMatchObject({ type: 2, quota: GOOD_QUOTA, channel: channelB });
    expect(row.other.admin_info).toMatchObject({
      use_channel: [String(channelA), String(channelB)],
      attempts: [
        { channel: channelA, outcome: "hedged", cost: null },
        { channel: channelB, outcome: "ok", cost: GOOD_QUOTA },
      ],
    });
    expect(await costs()).toEqual({ cost: GOOD_QUOTA, unbilled: 0, unknown: 1 });
    expect((await relay.balanceOf(user)).used).toBe(GOOD_QUOTA);
  });

  test("the first channel is faster after all: its answer counts, the second one is cancelled", async () => {
    const { asking, a, b } = await askBoth(stream);
    good(a);
    expect((await asking).text).toContain("All is well.");
    await closed(b);
    const row = await onlyRow();
    expect(row).toMatchObject({ quota: GOOD_QUOTA, channel: channelA });
    expect(row.other.admin_info).toMatchObject({
      use_channel: [String(channelB), String(channelA)],
      attempts: [
        { channel: channelB, outcome: "hedged" },
        { channel: channelA, outcome: "ok" },
      ],
    });
  });

  test.each([
    ["the second one fails: the first one", 1],
    ["the first one fails: the second one", 0],
  ])("%s goes on alone", async (_name, failed) => {
    const { asking, a, b } = await askBoth(stream);
    const [bad, well] = failed === 0 ? [a, b] : [b, a];
    failing(503, { connection: "close" })(bad);
    bad.socket.end();
    await closed(bad);
    good(well);
    expect((await asking).text).toContain("All is well.");
    const ids = failed === 0 ? [channelA, channelB] : [channelB, channelA];
    const row = await onlyRow();
    expect(row).toMatchObject({ quota: GOOD_QUOTA, channel: ids[1] });
    expect(row.other.admin_info).toMatchObject({
      attempts: [
        { channel: ids[0], outcome: "failed", cause: "overload", cost: 0 },
        { channel: ids[1], outcome: "ok" },
      ],
    });
    expect([upstream.posts("a"), upstream.posts("b")]).toEqual([1, 1]);
  });

  test("both fail: the attempts that are left go on by the plan, and nothing is charged", async () => {
    const { asking, a, b } = await askBoth(stream);
    [first, second] = [failing(500), failing(500)];
    for (const asked of [a, b]) failing(500)(asked);
    expect((await asking).status).toBe(500);
    const row = await onlyRow();
    expect(row).toMatchObject({ type: 5, quota: 0 });
    // RetryTimes 2: three in all.
    expect(upstream.posts("a") + upstream.posts("b")).toBe(3);
    expect((row.other.admin_info as { attempts: object[] }).attempts).toHaveLength(3);
  });

  test("a request that is refused for itself is refused, however the other channel fails", async () => {
    const { asking, a, b } = await askBoth(stream);
    failing(400, {}, { code: "content_filter", message: "not allowed" })(b);
    failing(500)(a);
    expect((await asking).status).toBe(400);
    expect([upstream.posts("a"), upstream.posts("b")]).toEqual([1, 1]);
  });

  test("the caller leaves: both are aborted, and the prompt is charged once", async () => {
    [first, second] = [hold, hold];
    const leaving = new AbortController();
    const asking = open(stream, leaving.signal).catch(() => null);
    await until(() => held.length === 2);
    leaving.abort();
    await asking;
    await Promise.all(held.map(closed));
    const row = await onlyRow();
    expect(row).toMatchObject({ type: 2, completion: 0, channel: channelA, other: { outcome: "gone" } });
    expect(row.quota).toBe(row.prompt);
    expect(row.quota).toBeGreaterThan(0);
    expect(row.other.admin_info).toMatchObject({
      attempts: [
        { channel: channelB, outcome: "hedged" },
        { channel: channelA, outcome: "gone" },
      ],
    });
  });

  test("a repeat with an Idempotency-Key gets the answer that was delivered", async () => {
    first = hold;
    const headers = { "idempotency-key": `hedged-${stream}` };
    const answer = await ask(stream, headers);
    const repeat = await ask(stream, headers);
    expect(repeat.text).toBe(answer.text);
    expect([upstream.posts("a"), upstream.posts("b")]).toEqual([1, 1]);
    await onlyRow();
  });

  test("without another channel that is well, has room and is within the retries, the first one is waited for", async () => {
    first = slowly;
    await set("RetryTimes", "0");
    expect((await ask(stream)).text).toContain("All is well.");
    expect([upstream.posts("a"), upstream.posts("b")]).toEqual([1, 0]);
    expect((await onlyRow()).other.admin_info).not.toHaveProperty("attempts");
  });
});

const breaksOff: Fault = ({ socket }) => {
  socket.write(`${STREAM_HEAD}${chunk(`${ROLE}${words("All is")}`)}`);
  setTimeout(() => socket.destroy(), 50);
};

test("a second channel that was the last attempt and fails: the first one is waited for, though a third one is there", async () => {
  await relay.addChannel({ models: "m", baseUrl: upstream.url, modelMapping: '{"m":"b"}', priority: -1 });
  await relay.setOption("RetryTimes", "1");
  await set("UpstreamFirstTokenSeconds", "0.5");
  await learn(true);
  first = ({ socket }) => {
    socket.write(STREAM_HEAD);
    setTimeout(() => socket.write(`${chunk(`${ROLE}${words("At last.")}${STREAM_END}`)}0\r\n\r\n`), 2_500);
  };
  second = failing(500);
  expect((await ask(true)).text).toContain("At last.");
  expect([upstream.posts("a"), upstream.posts("b")]).toEqual([1, 1]);
});

test("a stream that is cut after another channel was cancelled is cut where streams are not continued, with both in the log", async () => {
  await set("StreamContinuation", "false");
  await learn(true);
  [first, second] = [hold, breaksOff];
  const { text } = await ask(true);
  expect(text).toContain("All is");
  expect(text).not.toContain("[DONE]");
  await closed(held[0]);
  const row = await onlyRow();
  expect(row).toMatchObject({ channel: channelB, other: { outcome: "cut" } });
  expect(row.other.admin_info).toMatchObject({
    attempts: [
      { channel: channelA, outcome: "hedged" },
      { channel: channelB, outcome: "cut" },
    ],
  });
});

test("a stream that is cut after another channel was cancelled is continued by that one", async () => {
  await learn(true);
  let asked = 0;
  first = (call) => (asked++ === 0 ? hold(call) : good(call));
  second = breaksOff;
  const { text } = await ask(true);
  expect(text).toContain("[DONE]");
  expect(text).not.toContain("error");
  await closed(held[0]);
  const row = await onlyRow();
  expect(row).toMatchObject({ channel: channelA, other: { continued: true } });
  expect(row.other.admin_info).toMatchObject({
    attempts: [
      { channel: channelA, outcome: "hedged" },
      { channel: channelB, outcome: "cut" },
      { channel: channelA, outcome: "ok", continues: "repeat" },
    ],
  });
});

test("words of both at the same time: the caller gets those of one", async () => {
  await learn(true);
  const { asking, a, b } = await askBoth(true);
  a.socket.write(`${STREAM_HEAD}${chunk(`${ROLE}${words("one")}${STREAM_END}`)}0\r\n\r\n`);
  b.socket.write(`${STREAM_HEAD}${chunk(`${ROLE}${words("two")}${STREAM_END}`)}0\r\n\r\n`);
  const { text } = await asking;
  expect(text.match(/"content":"(one|two)"/g)).toHaveLength(1);
  expect(text.match(/\[DONE\]/g)).toHaveLength(1);
  expect(await onlyRow()).toMatchObject({ quota: GOOD_QUOTA });
});

test("places at both channels are given back", async () => {
  await relay.database.sql`update channels set concurrency_limit = 1`;
  await relay.inForce();
  for (let i = 0; i < 20; i++) await ask(true);
  upstream.forget();
  first = hold;
  for (let i = 0; i < 3; i++) expect((await ask(true)).status).toBe(200);
  expect([upstream.posts("a"), upstream.posts("b")]).toEqual([3, 3]);
});

test("a channel without room is not asked beside another", async () => {
  await relay.database.sql`update channels set requests_per_minute = 1 where id = ${channelB}`;
  await relay.inForce();
  await learn(true);
  const { asking, a } = await askBoth(true);
  good(a);
  expect((await asking).text).toContain("All is well.");
  first = slowly;
  expect((await ask(true)).text).toContain("All is well.");
  expect([upstream.posts("a"), upstream.posts("b")]).toEqual([2, 1]);
});

test("a channel that answers every third request too late: every caller has its answer soon", async () => {
  await learn(true);
  first = (asked) => (asked.before % 3 === 0 ? hold(asked) : good(asked));
  const begun = performance.now();
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(true)));
  // The limit of the first byte is 15 s.
  expect(performance.now() - begun).toBeLessThan(3_000);
  expect(answers.every(({ text }) => text.includes("All is well."))).toBe(true);
  expect(upstream.posts("a")).toBe(12);
  expect(upstream.posts("b")).toBeGreaterThanOrEqual(4);
});

test("a connection that was closed meanwhile: the request is sent again, and hedged all the same", async () => {
  await learn(true);
  first = (asked) => (asked.before === 0 ? void asked.socket.destroy() : hold(asked));
  expect((await ask(true)).text).toContain("All is well.");
  await closed(held[0]);
  expect([upstream.posts("a"), upstream.posts("b")]).toEqual([2, 1]);
  expect((await onlyRow()).other.admin_info).toMatchObject({
    attempts: [{ outcome: "failed", cause: "reset" }, { outcome: "hedged" }, { outcome: "ok" }],
  });
});

test("while two channels are waited for, the caller gets the comments of one", async () => {
  await learn(true);
  await set("StreamKeepAliveSeconds", "0.3");
  [first, second] = [hold, hold];
  const begun = performance.now();
  const { body } = await open(true);
  let text = "";
  const comments = () => text.split(": waiting\n\n").length - 1;
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes).toString();
    if (comments() >= 2 && held.length === 2) good(held[1] as Asked);
  }
  expect(comments()).toBeLessThanOrEqual((performance.now() - begun) / 300);
  expect(text).toMatch(/^(: waiting\n\n)+data: /);
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
});

test("the caller leaves after the first words: the channel that wrote them is drained, and its usage is charged", async () => {
  await learn(true);
  [first, second] = [hold, hold];
  const leaving = new AbortController();
  const answering = open(true, leaving.signal);
  await until(() => held.length === 2);
  const [a, b] = held as [Asked, Asked];
  b.socket.write(`${STREAM_HEAD}${chunk(`${ROLE}${words("All is")}`)}`);
  await (await answering).body?.getReader().read();
  leaving.abort();
  await Promise.all([closed(a), until(() => responses.every((response) => response.closed))]);
  b.socket.write(`${chunk(STREAM_END)}0\r\n\r\n`);
  expect(await onlyRow()).toMatchObject({
    quota: GOOD_QUOTA,
    channel: channelB,
    other: { outcome: "gone", drained: { whole: true } },
  });
});

test("of a burst to a slow channel, only the given share asks a second one", async () => {
  await set("HedgeMaxShare", "5");
  await learn(true);
  first = hold;
  const asking = Promise.all(Array.from({ length: 60 }, () => ask(true)));
  await until(() => held.length === 60 && upstream.posts("b") > 0);
  first = slowly;
  for (const asked of held) slowly(asked);
  expect((await asking).every(({ text }) => text.includes("All is well."))).toBe(true);
  // Ten may have been saved by the requests before, and three are the share of these.
  expect(upstream.posts("b")).toBeLessThanOrEqual(10 + 3);
});

test.each(KINDS)("switched off, as it is at first: %s is asked for once, however slow", async (_name, stream) => {
  await set("HedgeSlowRequests", "false");
  await learn(stream);
  first = slowly;
  expect((await ask(stream)).text).toContain("All is well.");
  expect([upstream.posts("a"), upstream.posts("b")]).toEqual([1, 0]);
});
