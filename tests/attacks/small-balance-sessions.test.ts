// Who: a caller with half a dollar, who talks to a model that may think for more than that before it says a word.
// What must hold: the session works all the same. Its responses are limited to what the balance pays for, the balance never falls
// below 0, and who has enough gets responses without a limit.
import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpRelay } from "../relay/harness";
import { errorOf, openSession } from "../relay/realtime-harness";
import { startDearestSessions } from "./dearest-session";

const MODEL = "gpt-realtime-2";
/** As its maker charges for it: 24 dollars for a million tokens that are written, so that 32,000 are 0.77. */
const WRITTEN = 12;
const HALF_A_DOLLAR = 250_000;

const relay = setUpRelay({
  prices: MODEL,
  options: {
    ModelRatio: { [MODEL]: 2 },
    CompletionRatio: { [MODEL]: 6 },
    AudioRatio: { [MODEL]: 8 },
    CacheRatio: { [MODEL]: 0.1 },
    SensitiveWords: "forbiddenword",
  },
  channels: [],
});
let upstream: Awaited<ReturnType<typeof startDearestSessions>>;

beforeAll(async () => {
  upstream = await startDearestSessions();
  await relay.addChannel({ type: 1, baseUrl: upstream.url, models: MODEL });
  await relay.inForce();
});
afterAll(() => upstream.close());

async function begin(balance: number) {
  const { user, token } = await relay.addCaller({ balance });
  const session = await openSession(relay.url, token.key, `model=${MODEL}`);
  await session.next("session.created");
  return { user, session };
}

/** Tokens that each response wrote. */
const written = (events: readonly { type: string; [key: string]: unknown }[]) =>
  events
    .filter(({ type }) => type === "response.done")
    .map(({ response }) => (response as { usage: { output_tokens: number } }).usage.output_tokens);

test("each response is limited to what the balance pays for, until it pays for none (B317)", async () => {
  const { user, session } = await begin(HALF_A_DOLLAR);
  for (let count = 1; count < 20; count++) {
    session.send({ type: "response.create" });
    await Promise.race([session.next("response.done", count).catch(() => {}), session.closed]);
    if (session.socket.readyState !== session.socket.OPEN) break;
  }
  expect((await session.closed).code).toBe(1_008);
  expect(errorOf(session.events.at(-1))).toMatchObject({ code: "insufficient_quota" });
  const counts = written(session.events);
  expect(counts.slice(0, 4)).toEqual([4_096, 4_096, 4_096, 4_096]);
  // The last charge is booked after the session has ended.
  await expect.poll(async () => (await relay.balanceOf(user)).quota).toBeLessThan(2 * 4_096 * WRITTEN);
  expect((await relay.balanceOf(user)).quota).toBeGreaterThanOrEqual(0);
});

test("the limit is smaller still where the balance is (B317)", async () => {
  const { session } = await begin(40_000);
  session.send({ type: "response.create" });
  await session.next("response.done");
  expect(written(session.events)).toEqual([1_024]);
  await session.close();
});

test("turns that the upstream answers by itself are limited before they end (B317)", async () => {
  const { user, session } = await begin(HALF_A_DOLLAR);
  session.send({
    type: "session.update",
    session: { type: "realtime", audio: { input: { turn_detection: { type: "server_vad" } } } },
  });
  await session.next("session.updated");
  for (let turn = 1; turn <= 2; turn++) {
    session.send({ type: "input_audio_buffer.append", audio: Buffer.alloc(48_000, 7).toString("base64") });
    await session.next("input_audio_buffer.speech_started", turn);
    if (turn === 1) await session.next("session.updated", 2);
    session.send({ type: "input_audio_buffer.commit" });
    await session.next("response.done", turn);
  }
  expect(written(session.events)).toEqual([4_096, 4_096]);
  await session.close();
  await expect.poll(async () => (await relay.balanceOf(user)).used).toBeGreaterThan(2 * 4_096 * WRITTEN);
  expect((await relay.balanceOf(user)).quota).toBeGreaterThanOrEqual(0);
});

test("who has enough is not limited, and a limit of the caller's own is kept (B317)", async () => {
  const { session } = await begin(2_000_000);
  session.send({ type: "response.create" });
  await session.next("response.done");
  session.send({ type: "response.create", response: { max_output_tokens: 77 } });
  await session.next("response.done", 2);
  expect(written(session.events)).toEqual([32_000, 77]);
  await session.close();
});

test("a response that is refused here is not charged to who leaves (B317)", async () => {
  const { user, session } = await begin(2_000_000);
  session.send({ type: "response.create", response: { instructions: "forbiddenword" } });
  expect(errorOf(await session.next("error"))).toMatchObject({ code: "sensitive_words_detected" });
  session.send({ type: "input_audio_buffer.clear" });
  session.socket.terminate();
  await expect.poll(async () => (await relay.logsOf(user)).length, { timeout: 5_000 }).toBe(1);
  expect(await relay.balanceOf(user)).toMatchObject({ quota: 2_000_000, used: 0 });
});
