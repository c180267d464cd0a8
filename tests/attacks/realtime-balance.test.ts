// Who: a caller with a small balance, in many sessions at a time, whose events and whose model's events each hold half a minute
// of sound; one who hangs up while the model works on what it was sent.
// What must hold: nothing passes that the balance does not pay for, so that it never falls below zero; what an upstream has
// begun is charged.
import { describe, expect, test } from "vitest";
import { TENTH } from "@/lib/testing/fake-realtime-session";
import { errorOf, MODEL, openSession, setUpSessions } from "../relay/realtime-harness";

const WHISPER = "whisper-heard";
const relay = setUpSessions([{ models: WHISPER }], {
  prices: MODEL,
  options: { AudioRatio: { [MODEL]: 20 }, ModelMeterPrices: { [WHISPER]: { second: 0.0002 } } },
});

/** Half a minute, which costs 300 × 20 heard and 600 × 40 spoken. */
const HALF_MINUTE = TENTH.repeat(300);

async function begin(balance: number, count = 1) {
  const { user, token } = await relay.addCaller({ balance });
  const sessions = await Promise.all(Array.from({ length: count }, () => openSession(relay.url, token.key)));
  for (const session of sessions) await Promise.race([session.next("session.created"), session.closed]);
  return { user, sessions };
}

/** The balance once all that ended is charged. */
async function balanceAfter(
  user: number,
  sessions: readonly { closed: Promise<unknown>; events: { type: string }[] }[],
): Promise<number> {
  await Promise.all(sessions.map(({ closed }) => closed));
  const begun = sessions.filter(({ events }) => events.some(({ type }) => type === "session.created")).length;
  const ended = async () =>
    (await relay.logsOf(user)).filter(({ other }) => "ended" in (other.realtime as object)).length;
  await expect.poll(ended, { timeout: 10_000 }).toBe(begun);
  return (await relay.balanceOf(user)).quota;
}

describe("sound in pieces of half a minute", () => {
  test.each([1, 8])(
    "that a model speaks passes only where the balance pays for the piece, in %i sessions at a time",
    async (count) => {
      const { user, sessions } = await begin(60_000, count);
      for (const session of sessions) session.respond({ deltas: "5", tenths: "300", pace: "5" });
      expect(await balanceAfter(user, sessions)).toBeGreaterThanOrEqual(0);
      const passed = sessions
        .flatMap(({ events }) => events)
        .filter(({ type }) => type === "response.output_audio.delta");
      const used = (await relay.balanceOf(user)).used;
      expect(used).toBeGreaterThanOrEqual(passed.length * 24_000);
      if (count === 1) expect(passed).toHaveLength(2);
      expect(sessions.map(({ events }) => errorOf(events.at(-1)).code)).toContain("insufficient_quota");
    },
  );

  test.each([1, 8])(
    "that a caller sends passes only where the balance pays for what it may lead to, in %i sessions at a time",
    async (count) => {
      const { user, sessions } = await begin(20_000, count);
      const before = relay.fake.sessions.length;
      for (const session of sessions) {
        for (let piece = 0; piece < 10; piece++) {
          session.send({ type: "input_audio_buffer.append", audio: HALF_MINUTE });
          session.send({ type: "input_audio_buffer.commit" });
        }
        session.respond();
      }
      expect(await balanceAfter(user, sessions)).toBeGreaterThanOrEqual(0);
      if (count > 1) return;
      const heard = relay.fake.sessions.slice(before - count).flatMap(({ received }) => received);
      expect(heard.filter((event) => event.length > HALF_MINUTE.length).length).toBeLessThanOrEqual(3);
    },
  );

  test("of one turn count in full when the turn ends", async () => {
    const { user, sessions } = await begin(20_000);
    const [session] = sessions;
    for (let piece = 0; piece < 10; piece++) session?.send({ type: "input_audio_buffer.append", audio: HALF_MINUTE });
    session?.send({ type: "input_audio_buffer.commit" });
    session?.respond();
    expect(await balanceAfter(user, sessions)).toBeGreaterThanOrEqual(0);
    const received = relay.fake.sessions.at(-1)?.received.map((event) => event.toString("latin1", 0, 60)) ?? [];
    expect(received.filter((event) => event.includes("commit"))).toEqual([]);
  });

  test("are transcribed only where the balance pays for that too", async () => {
    const { user, sessions } = await begin(13_000);
    const [session] = sessions;
    session?.send({ type: "session.update", session: { audio: { input: { transcription: { model: WHISPER } } } } });
    await session?.next("session.updated");
    // Half a minute costs 6,000 to be heard and 3,000 to be transcribed.
    for (let piece = 0; piece < 4; piece++) {
      session?.send({ type: "input_audio_buffer.append", audio: HALF_MINUTE });
      session?.send({ type: "input_audio_buffer.commit" });
    }
    expect(await balanceAfter(user, sessions)).toBeGreaterThanOrEqual(0);
    expect((await relay.balanceOf(user)).used).toBe(3_000);
  });
});

test("a caller who hangs up while the model works on what it has heard pays for that", async () => {
  const { user, sessions } = await begin(1_000_000);
  const [session] = sessions;
  session?.send({ type: "input_audio_buffer.append", audio: HALF_MINUTE });
  session?.send({ type: "input_audio_buffer.commit" });
  session?.respond({ deltas: "0", end: "hang" });
  await session?.next("response.created");
  session?.socket.terminate();
  await balanceAfter(user, sessions);
  const { used } = await relay.balanceOf(user);
  expect(used).toBeGreaterThanOrEqual(6_000);
  const [row] = await relay.database.sql`
    select cost, unknown_costs as unknown from usage_logs where user_id = ${user} and quota > 0`;
  expect(row).toEqual({ cost: null, unknown: 1 });
});
