// Who: a caller who opens sessions over WebSockets and sends the beginning of a large message in each, but never its end.
// What must hold: what is kept of unfinished messages is in the memory budget of bodies; a message has a time; a key has so
// many sessions. Whole messages, however many, are not counted.
import { describe, expect, test } from "vitest";
import { errorOf, openSession, setUpSessions } from "../relay/realtime-harness";

const KILOBYTE = 1_024;
const relay = setUpSessions([], {
  options: { RealtimeSessionsPerKey: 6 },
  gateway: {
    bodyBytesMax: KILOBYTE * KILOBYTE,
    bodyPace: { graceMs: 2_000, bytesPerSecond: 1_000_000_000, wholeMs: 300_000 },
  },
});
type Session = Awaited<ReturnType<typeof openSession>>;

const open = async (key: string): Promise<Session> => {
  const session = await openSession(relay.url, key);
  await session.next("session.created");
  return session;
};
/** A message without its end. */
const begin = ({ socket }: Session, kilobytes: number): void =>
  socket.send(Buffer.alloc(kilobytes * KILOBYTE, 0x20), { fin: false, binary: false });
const heldOf = async (session: Session) => {
  const failed = session.next("error").then(errorOf);
  return { ...(await failed), code: (await failed).code, closed: (await session.closed).code };
};

describe("messages that grow", () => {
  test("of all sessions of a caller take no more than its part of the budget; who ends gives it back", async () => {
    const { user, token } = await relay.addCaller();
    const sessions = await Promise.all(Array.from({ length: 4 }, () => open(token.key)));
    const [first, second, third, fourth] = sessions as [Session, Session, Session, Session];
    // Twice 0.9 MB each, of four.
    begin(first, 900);
    begin(second, 900);
    begin(third, 900);
    const refused = await Promise.race([first, second, third].map((one) => heldOf(one).then((end) => ({ one, end }))));
    expect(refused.end).toMatchObject({ code: "body_limit_exceeded", closed: 1_013 });
    const left = [first, second, third].filter((one) => one !== refused.one);
    await left[0]?.close();
    await expect.poll(async () => (await relay.logsOf(user)).length).toBe(2);
    begin(fourth, 100);
    fourth.socket.send(Buffer.from("{}"), { fin: true, binary: false });
    expect(errorOf(await fourth.next("error"))).toMatchObject({ type: "invalid_request_error" });
    expect(fourth.socket.readyState).toBe(fourth.socket.OPEN);
    await Promise.all([left[1]?.close(), fourth.close()]);
  });

  test("whole messages are not counted, however many they are", async () => {
    const { token } = await relay.addCaller({ balance: 1_000_000_000 });
    const session = await open(token.key);
    const audio = Buffer.alloc(375 * KILOBYTE).toString("base64");
    for (let sent = 0; sent < 12; sent++) session.send({ type: "input_audio_buffer.append", audio });
    session.respond();
    await session.next("response.done");
    await session.close();
  });

  test("have a time to arrive", async () => {
    const { token } = await relay.addCaller();
    const session = await open(token.key);
    begin(session, 100);
    expect(await heldOf(session)).toMatchObject({ code: "message_timeout", closed: 1_008 });
  });
});

test("a key has no more sessions at once than it may have, and another key is not meant", async () => {
  const { user, token } = await relay.addCaller();
  const sessions = await Promise.all(Array.from({ length: 6 }, () => open(token.key)));
  const seventh = await openSession(relay.url, token.key);
  expect(errorOf(await seventh.next("error"))).toMatchObject({ code: "too_many_sessions" });
  expect((await seventh.closed).code).toBe(1_013);
  const other = await open((await relay.addToken(user)).key);
  await sessions[0]?.close();
  await expect.poll(async () => (await open(token.key)).socket.readyState, { timeout: 5_000 }).toBe(1);
  for (const session of [...sessions.slice(1), other]) session.socket.terminate();
});
