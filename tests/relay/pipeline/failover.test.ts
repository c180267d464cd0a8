import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channels } from "@/db/schema";
import {
  chunk,
  type Fault,
  type FaultUpstream,
  failing,
  first,
  GOOD_QUOTA,
  good,
  ROLE,
  STREAM_HEAD,
  silent,
  startFaultUpstream,
  words,
} from "../fault-upstream";
import { chatBody, setUpRelay, until } from "../harness";

const afterSecond = (): string => new Date(Date.now() + 1_500).toUTCString();
const reset: Fault = ({ socket }) => socket.resetAndDestroy();
/** The headers at once, and no token. */
const stalled: Fault = ({ socket, isStream }) => void (isStream && socket.write(STREAM_HEAD));
const silentAfterWords: Fault = ({ socket }) => void socket.write(STREAM_HEAD + chunk(ROLE + words("Half an")));

const faults: Record<string, Fault> = {
  good,
  silent,
  stalled,
  reset,
  "silent-after-words": silentAfterWords,
  "reset-once": first(1, reset),
  limited: failing(429),
  "limited-once": first(1, failing(429)),
  "limited-once-1s": first(1, failing(429, { "retry-after": "1" })),
  "limited-once-date": (asked) => first(1, failing(429, { "retry-after": afterSecond() }))(asked),
  "limited-1s": failing(429, { "retry-after": "1" }),
  "limited-30s": failing(429, { "retry-after": "30" }),
  "busy-once-1s": first(1, failing(503, { "retry-after": "1" })),
  "busy-30s": failing(503, { "retry-after": "30" }),
  "too-long": failing(400, {}, { message: "too much", code: "context_length_exceeded" }),
  "not-allowed": failing(400, {}, { message: "that is not allowed here", code: "content_filter" }),
};
for (const status of [408, 500, 502, 503, 504, 524, 529]) {
  faults[`status-${status}`] = failing(status);
  faults[`status-${status}-once`] = first(1, failing(status));
}

/** Every test has a model of its own, so that nothing that is known of another test's channels concerns it. */
const models = Array.from({ length: 120 }, (_, i) => `m${i}`);
let taken = 0;

const relay = setUpRelay({
  prices: models.join(","),
  options: {
    UpstreamConnectSeconds: "0.4",
    UpstreamFirstByteSeconds: "0.4",
    UpstreamFirstByteWholeSeconds: "0.4",
    UpstreamFirstTokenSeconds: "0.4",
    UpstreamIdleSeconds: "0.4",
    UpstreamWholeSeconds: "1.2",
    StreamKeepAliveSeconds: "0",
    StreamContinuation: "false",
    // An upstream that says nothing would be waited for.
    UnseenDrainSeconds: "0",
  },
});
let upstream: FaultUpstream;
/** An address of its own: a request that is reset on a reused connection goes out again. */
let resetting: FaultUpstream;
let user: number;
let key: string;

beforeAll(async () => {
  upstream = await startFaultUpstream(faults);
  resetting = await startFaultUpstream({ reset });
});
afterAll(() => Promise.all([upstream.close(), resetting.close()]));
beforeEach(async () => {
  upstream.forget();
  resetting.forget();
  // Each change of a channel loads all of them anew.
  await relay.database.db.delete(channels);
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});

/** A new model with a channel for each fault, in the order in which they are to be asked. */
const postsOf = (fault: string): number => (fault === "reset" ? resetting : upstream).posts(fault);
const addresses: Record<string, () => string> = { refused: () => "http://127.0.0.1:1", reset: () => resetting.url };

const modelWith = (...behaviours: string[]) => modelWithSetting(behaviours);

async function modelWithSetting(
  behaviours: readonly string[],
  setting = "",
): Promise<{ model: string; channels: number[] }> {
  const model = models[taken++] ?? "";
  const ids: number[] = [];
  for (const [at, fault] of behaviours.entries()) {
    const mapped = fault === "refused" ? "good" : fault;
    const baseUrl = addresses[fault]?.() ?? upstream.url;
    const modelMapping = JSON.stringify({ [model]: mapped });
    ids.push(await relay.addChannel({ models: model, baseUrl, modelMapping, priority: 100 - at, setting }));
  }
  await relay.inForce();
  return { model, channels: ids };
}

/** A new model with one channel that has limits of its own. */
async function modelWithLimits(fault: string, limits: object): Promise<string> {
  const model = models[taken++] ?? "";
  const modelMapping = JSON.stringify({ [model]: fault });
  const setting = JSON.stringify({ time_limits: limits });
  await relay.addChannel({ models: model, baseUrl: upstream.url, modelMapping, setting });
  await relay.inForce();
  return model;
}

type LoggedAttempt = { channel: number; outcome: string; cause?: string; status?: number; ms: number };

async function logged() {
  await until(async () => (await relay.logsOf(user)).length === 1, 5_000);
  const [row] = await relay.logsOf(user);
  if (!row) throw new Error("nothing was logged");
  const info = row.other.admin_info as { attempts?: LoggedAttempt[] };
  return { ...row, attempts: info.attempts ?? [] };
}

describe.each([false, true])("with a second channel of the same model (streamed: %s)", (stream) => {
  test.each(["status-500-once", "status-502-once", "limited-once-1s", "limited-once-date", "busy-once-1s"])(
    "%s: the first one answers when it is asked again, and the second of lower priority is not asked",
    async (fault) => {
      const { model, channels } = await modelWith(fault, "good");
      expect((await relay.post(key, chatBody(model, { stream }))).status).toBe(200);
      expect([upstream.posts(fault), upstream.posts("good")]).toEqual([2, 0]);
      const [at = 0, again = 0] = upstream.times(fault);
      if (fault.endsWith("1s")) expect(again - at).toBeGreaterThan(980);
      const row = await logged();
      expect(row).toMatchObject({ type: 2, quota: GOOD_QUOTA, channel: channels[0] });
      expect(row.attempts).toMatchObject([{ channel: channels[0] }, { channel: channels[0], outcome: "ok" }]);
    },
  );

  test.each(["status-500", "status-502"])(
    "%s for ever: the second one answers, after two attempts at the first",
    async (fault) => {
      const { model, channels } = await modelWith(fault, "good");
      expect((await relay.post(key, chatBody(model, { stream }))).status).toBe(200);
      expect([upstream.posts(fault), upstream.posts("good")]).toEqual([2, 1]);
      expect(await logged()).toMatchObject({ type: 2, quota: GOOD_QUOTA, channel: channels[1] });
    },
  );

  test("a crowd that is limited: few come back to the first channel when it said, the others go to the second", async () => {
    // A crowd takes longer than the limits of this file on a machine that has other work.
    const patient = { first_byte: 30, first_byte_whole: 30, first_token: 30, idle: 30, whole: 60, connect: 30 };
    const { model } = await modelWithSetting(["limited-1s", "good"], JSON.stringify({ time_limits: patient }));
    const crowd = await Promise.all(Array.from({ length: 20 }, () => relay.post(key, chatBody(model, { stream }))));
    expect(crowd.every(({ status }) => status === 200)).toBe(true);
    // Each may have met the limit. Those who came back are the probes, one for each rest of a second.
    const times = upstream.times("limited-1s");
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
    expect(times.length).toBeGreaterThan(1);
    expect(times.length).toBeLessThanOrEqual(20 + seconds + 1);
    expect(upstream.posts("good")).toBe(20);
  });

  test.each([
    ["status-503", "overload"],
    ["status-529", "overload"],
    ["status-504", "timeout_upstream"],
    ["status-524", "timeout_upstream"],
    ["status-408", "timeout_upstream"],
    ["limited", "limit"],
    ["limited-30s", "limit"],
    ["busy-30s", "overload"],
    ["reset", "reset"],
    ["refused", "connect"],
    ["silent", "timeout_first_byte"],
    ["stalled", stream ? "timeout_first_token" : "timeout_first_byte"],
  ])("%s: the second one answers, after one attempt at the first", async (fault, cause) => {
    const { model, channels } = await modelWith(fault, "good");
    const answer = await relay.post(key, chatBody(model, { stream }));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("All is well.");
    if (fault !== "refused") expect(postsOf(fault)).toBe(1);
    expect(upstream.posts("good")).toBe(1);
    const row = await logged();
    expect(row).toMatchObject({ type: 2, quota: GOOD_QUOTA, channel: channels[1] });
    expect(row.attempts).toMatchObject([
      { channel: channels[0], cause },
      { channel: channels[1], outcome: "ok" },
    ]);
  });

  test("content that is not allowed: no other channel is asked, and the caller learns the reason", async () => {
    const { model } = await modelWith("not-allowed", "good");
    const { status, wire } = await relay.post(key, chatBody(model, { stream }));
    expect([status, wire.error.message]).toEqual([400, expect.stringContaining("that is not allowed here")]);
    expect([upstream.posts("not-allowed"), upstream.posts("good")]).toEqual([1, 0]);
    expect(await logged()).toMatchObject({ type: 5, quota: 0, attempts: [{ cause: "request" }] });
  });

  test("too long for the model: never sent to the same model again, but to another one", async () => {
    const same = await modelWith("too-long", "too-long");
    const { status, wire } = await relay.post(key, chatBody(same.model, { stream }));
    expect([status, wire.error.code, upstream.posts("too-long")]).toEqual([400, "context_length_exceeded", 1]);
    const other = await modelWith("too-long", "too-long", "good");
    expect((await relay.post(key, chatBody(other.model, { stream }))).status).toBe(200);
    expect([upstream.posts("too-long"), upstream.posts("good")]).toEqual([2, 1]);
  });

  test("too long for the model: a mapping makes no other model of a body that passes through", async () => {
    const model = models[taken++] ?? "";
    faults[model] = failing(400, {}, { message: "too much", code: "context_length_exceeded" });
    const setting = JSON.stringify({ pass_through_body_enabled: true });
    for (const name of ["one", "another"]) {
      const modelMapping = JSON.stringify({ [model]: name });
      await relay.addChannel({ models: model, baseUrl: upstream.url, modelMapping, setting });
    }
    await relay.inForce();
    const { status, wire } = await relay.post(key, chatBody(model, { stream }));
    expect([status, wire.error.code, upstream.posts(model)]).toEqual([400, "context_length_exceeded", 1]);
  });
});

describe.each([false, true])("with one channel (streamed: %s)", (stream) => {
  test.each(["status-500-once", "status-502-once", "status-503-once", "status-529-once", "reset-once", "limited-once"])(
    "%s: it is asked once more",
    async (fault) => {
      const { model } = await modelWith(fault);
      expect((await relay.post(key, chatBody(model, { stream }))).status).toBe(200);
      expect(upstream.posts(fault)).toBe(2);
      expect(await logged()).toMatchObject({ quota: GOOD_QUOTA, attempts: [{}, { outcome: "ok" }] });
    },
  );

  test.each([
    ["status-500", 500, 2],
    ["status-529", 503, 2],
    ["reset", 502, 2],
    ["status-504", 504, 1],
    ["status-408", 408, 1],
  ])("%s for ever: the caller gets %i after %i attempts, and pays nothing", async (fault, status, posts) => {
    const { model } = await modelWith(fault);
    expect((await relay.post(key, chatBody(model, { stream }))).status).toBe(status);
    expect(postsOf(fault)).toBe(posts);
    expect(await logged()).toMatchObject({ type: 5, quota: 0 });
  });

  test.each(["limited-once-1s", "limited-once-date", "busy-once-1s"])(
    "%s: it is asked again when it said, not before",
    async (fault) => {
      const { model } = await modelWith(fault);
      expect((await relay.post(key, chatBody(model, { stream }))).status).toBe(200);
      const [at = 0, again = 0] = upstream.times(fault);
      expect(again - at).toBeGreaterThan(fault === "limited-once-date" ? 400 : 980);
      expect(upstream.posts(fault)).toBe(2);
    },
  );

  test.each([
    ["limited-30s", 429],
    ["busy-30s", 503],
  ])("%s: longer than a request may wait, so the caller learns when to come back", async (fault, status) => {
    const { model } = await modelWith(fault);
    const answer = await relay.post(key, chatBody(model, { stream }));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([status, "30"]);
    expect(upstream.posts(fault)).toBe(1);
  });

  test("limited for ever: never more than two attempts within 1.5 s", async () => {
    const { model } = await modelWith("limited");
    expect((await relay.post(key, chatBody(model, { stream }))).status).toBe(429);
    const times = upstream.times("limited");
    expect(times.length).toBeGreaterThan(1);
    // These are the times at which they arrived: one may be on its way for longer than another.
    for (const [at, time] of times.entries()) expect(time - (times[at - 2] ?? -9_999)).toBeGreaterThan(1_450);
  });

  test("silent: it is not asked again, the caller gets 504 and pays nothing", async () => {
    const { model } = await modelWith("silent");
    const { status } = await relay.post(key, chatBody(model, { stream }));
    expect([status, upstream.posts("silent")]).toEqual([504, 1]);
    const cause = stream ? "timeout_first_byte" : "timeout_whole";
    expect(await logged()).toMatchObject({ type: 5, quota: 0, attempts: [{ outcome: "timeout", cause }] });
    await until(() => upstream.open() === 0 || upstream.closed() > 0);
  });
});

test("a channel's own limit goes before that of the options", async () => {
  const model = await modelWithLimits("stalled", { whole: 0.3 });
  const begun = performance.now();
  expect((await relay.post(key, chatBody(model, { stream: true }))).status).toBe(504);
  expect(performance.now() - begun).toBeLessThan(1_100);
});

test("a stream that falls silent is cut: an error, no clean end, charged as delivered", async () => {
  const { model } = await modelWith("silent-after-words", "good");
  const { status, text } = await relay.post(key, chatBody(model, { stream: true }));
  expect([status, upstream.posts("good")]).toEqual([200, 0]);
  expect(text).toContain("Half an");
  expect(text).toContain("stream_response_error");
  expect(text).not.toContain("[DONE]");
  const row = await logged();
  expect(row).toMatchObject({ type: 2, other: { outcome: "cut" }, attempts: [{ outcome: "cut", cause: "idle" }] });
  expect(row.completion).toBeGreaterThan(0);
});

describe("a channel that the caller names", () => {
  test.each([
    ["limited-once-1s", 200, 2],
    ["status-500", 500, 2],
    ["silent", 504, 1],
  ])("%s: %i after %i attempts, and no other channel is asked", async (fault, status, posts) => {
    const { model, channels } = await modelWith(fault, "good");
    const admin = await relay.addCaller({ role: 10 });
    const { status: got } = await relay.post(`${admin.token.key}-${channels[0]}`, chatBody(model, { stream: true }));
    expect([got, upstream.posts(fault), upstream.posts("good")]).toEqual([status, posts, 0]);
  });
});

/** Sends a chat request and leaves when it is so. */
async function leaveWhen(isTime: () => boolean, body: string): Promise<void> {
  const leaving = new AbortController();
  const sent = fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    signal: leaving.signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body,
  });
  await until(isTime, 5_000);
  leaving.abort();
  await expect(sent).rejects.toThrow(/abort/);
}

describe.each([false, true])("a caller who leaves without an answer (streamed: %s)", (stream) => {
  test("after a wait longer than the limit pays nothing", async () => {
    const { model } = await modelWith("silent", "silent");
    // The second one is asked when the limit of the first is over.
    await leaveWhen(() => upstream.posts("silent") === 2, chatBody(model, { stream }));
    expect(await logged()).toMatchObject({ type: 2, quota: 0, other: { outcome: "gone" } });
  });

  test("at once pays the prompt that the upstream got", async () => {
    const model = await modelWithLimits("silent", { first_byte: 60, first_byte_whole: 60, whole: 60 });
    await leaveWhen(() => upstream.posts("silent") === 1, chatBody(model, { stream }));
    const row = await logged();
    expect([row.quota, row.other.outcome]).toEqual([row.prompt, "gone"]);
    expect(row.quota).toBeGreaterThan(0);
  });
});
