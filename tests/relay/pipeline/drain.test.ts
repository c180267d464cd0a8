// The upstream of a caller who left is read to its end, within bounds, because only the end says what it bills.
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Asked,
  chunk,
  event,
  type FaultUpstream,
  ROLE,
  STREAM_END,
  STREAM_HEAD,
  startFaultUpstream,
  words,
} from "../fault-upstream";
import { chatBody, setUpRelay, until } from "../harness";

/** The gateway's sides of the callers' connections. */
const responses: ServerResponse[] = [];
const watchCallers = (server: Server): void =>
  void server.on("request", (_request, response) => void responses.push(response));
const allHaveLeft = () => until(() => responses.every(({ closed }) => closed), 10_000);

/** Requests whose answers have begun; the tests write the rest. */
let begun: Asked[] = [];

const begin = (asked: Asked): void => {
  asked.socket.write(`${STREAM_HEAD}${chunk(`${ROLE}${words("All is")}`)}`);
  begun.push(asked);
};
const END = `${chunk(STREAM_END)}0\r\n\r\n`;
const endWith = (usage: object): string => {
  const finish = event([{ index: 0, delta: {}, finish_reason: "stop" }]);
  return `${chunk(`${finish}${event([], { usage })}data: [DONE]\n\n`)}0\r\n\r\n`;
};
const END_UNREPORTED = `${chunk(`${event([{ index: 0, delta: {}, finish_reason: "stop" }])}data: [DONE]\n\n`)}0\r\n\r\n`;

const USUAL = { StreamDrainSeconds: "10", StreamDrainKilobytes: "1024", StreamDrainsMax: "32" };
const relay = setUpRelay({ prices: "m", options: { RetryTimes: "0", ...USUAL } });
let upstream: FaultUpstream;
let user: number;
let key: string;

beforeAll(async () => {
  upstream = await startFaultUpstream({ m: begin });
  watchCallers(relay.gateway.server);
});
afterAll(() => upstream.close());
beforeEach(async () => {
  begun = [];
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});

async function withOptions(options: Partial<typeof USUAL>, channel: object = {}): Promise<void> {
  await relay.reset();
  for (const [name, value] of Object.entries(options)) await relay.setOption(name, value);
  await relay.addChannel({ models: "m", baseUrl: upstream.url, ...channel });
  await relay.inForce();
}

type Request = { more?: object; headers?: Record<string, string>; of?: string; url?: string };

/** Asks for a stream, waits for its first words, and leaves. */
async function beginAndLeave({ more = {}, headers = {}, of = key, url = relay.url }: Request = {}): Promise<void> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    signal: leaving.signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${of}`, ...headers },
    body: chatBody("m", { stream: true, ...more }),
  });
  await response.body?.getReader().read();
  leaving.abort();
}

/** Returns the upstream's side of it when the gateway knows that the caller has left. */
async function askAndLeave(request: Request = {}): Promise<Asked> {
  const before = begun.length;
  await beginAndLeave(request);
  await allHaveLeft();
  const asked = begun[before];
  if (!asked) throw new Error("the upstream was not asked");
  return asked;
}

const isLogged = (id = user) => until(async () => (await relay.logsOf(id)).length === 1, 10_000);
const logged = async () => {
  await isLogged();
  return (await relay.logsOf(user))[0];
};
const costs = () =>
  relay.database.sql<{ cost: number; unbilled: number; unknown: number }[]>`
    select cost, unbilled_cost as unbilled, unknown_costs as unknown from usage_logs where user_id = ${user}`.then(
    ([row]) => row,
  );

describe("within the bounds", () => {
  beforeEach(() => withOptions({}));

  test("the caller pays what the upstream reports at the end, and that is what the stream cost", async () => {
    const { socket } = await askAndLeave();
    socket.write(END);
    expect(await logged()).toMatchObject({
      type: 2,
      quota: 38,
      prompt: 12,
      completion: 13,
      other: { outcome: "gone", drained: { whole: true, completion_tokens: 13 } },
    });
    expect((await relay.logsOf(user))[0]?.other).not.toHaveProperty("estimated");
    expect(await costs()).toEqual({ cost: 38, unbilled: 0, unknown: 0 });
  });

  test("an upstream that reports nothing: the caller pays what was delivered", async () => {
    const { socket } = await askAndLeave();
    socket.write(`${chunk(words(" well that ends well"))}${END_UNREPORTED}`);
    const row = await logged();
    // "All is" are two tokens; what came later is not charged.
    expect(row).toMatchObject({ completion: 2, other: { outcome: "gone", estimated: true } });
    const { cost, unbilled } = (await costs()) ?? { cost: 0, unbilled: 0 };
    expect(unbilled).toBeGreaterThan(0);
    expect(cost).toBe(Number(row?.quota) + unbilled);
  });

  test("an upstream that reports what cannot be true: the caller pays no more than was reserved when it left", async () => {
    const { socket } = await askAndLeave({ more: { max_tokens: 20 } });
    socket.write(endWith({ prompt_tokens: 12, completion_tokens: 90_000 }));
    const row = await logged();
    expect(row).toMatchObject({ prompt: 12, completion: 20, other: { outcome: "gone", estimated: true } });
    expect(row?.other.usage_rejected).toMatchObject({ completion_tokens: 90_000 });
    expect(await costs()).toEqual({ cost: 12 + 2 * 90_000, unbilled: 2 * (90_000 - 20), unknown: 0 });
  });

  test.each([
    [
      "reports an error",
      (socket: Socket) => socket.write(chunk(`data: ${JSON.stringify({ error: { message: "no" } })}\n\n`)),
    ],
    ["breaks off", (socket: Socket) => socket.destroy()],
  ])("an upstream that %s: the caller pays what was delivered, and nobody knows what it cost", async (_name, fail) => {
    const { socket } = await askAndLeave();
    fail(socket);
    expect(await logged()).toMatchObject({ completion: 2, other: { outcome: "gone", drained: { whole: false } } });
    expect(await costs()).toEqual({ cost: null, unbilled: 0, unknown: 1 });
  });

  test("no more of the answer is charged than the request allowed; the rest is noted as paid and not billed", async () => {
    const { socket } = await askAndLeave({ more: { max_tokens: 20 } });
    socket.write(endWith({ prompt_tokens: 12, completion_tokens: 60 }));
    expect(await logged()).toMatchObject({ prompt: 12, completion: 20, quota: 52 });
    expect(await costs()).toEqual({ cost: 132, unbilled: 80, unknown: 0 });
  });

  test("the reservation and the Idempotency-Key are held until the stream is settled", async () => {
    const { socket } = await askAndLeave({ headers: { "idempotency-key": "left" } });
    const again = () => relay.post(key, chatBody("m", { stream: true }), { "idempotency-key": "left" });
    expect((await again()).wire.error.code).toBe("idempotency_request_running");
    const reserved = await relay.database.sql<{ reserved: number }[]>`select reserved from users where id = ${user}`;
    expect(reserved[0]?.reserved).toBeGreaterThan(0);
    socket.write(END);
    await isLogged();
    await until(async () => (await again()).wire.error?.code === "idempotency_answer_not_kept");
  });

  test("a balance that pays for no more ends the drain", async () => {
    const poor = await relay.addCaller({ balance: 400 });
    user = poor.user;
    const { socket } = await askAndLeave({ of: poor.token.key });
    socket.write(chunk(words("word ".repeat(20_000))));
    expect(await logged()).toMatchObject({ completion: 2, other: { drained: { whole: false } } });
    await until(() => socket.destroyed);
  });
});

describe("beyond the bounds the upstream is aborted, and the caller pays what was delivered", () => {
  test("of time", async () => {
    await withOptions({ StreamDrainSeconds: "0.1" });
    const { socket } = await askAndLeave();
    expect(await logged()).toMatchObject({ completion: 2, other: { estimated: true, drained: { whole: false } } });
    await until(() => socket.destroyed);
  });

  test("of bytes", async () => {
    await withOptions({ StreamDrainKilobytes: "4" });
    const { socket } = await askAndLeave();
    socket.write(chunk(words("x".repeat(5_000))));
    expect(await logged()).toMatchObject({ completion: 2, other: { drained: { whole: false } } });
    await until(() => socket.destroyed);
  });

  test("of streams at once: of 60 callers who leave, 4 are drained", async () => {
    await withOptions({ StreamDrainsMax: "4" });
    // What 60 streams of a model that may think unseen reserve at the same time: the whole bound of each.
    const rich = await relay.addCaller({ balance: 100_000_000 });
    [user, key] = [rich.user, rich.token.key];
    await Promise.all(Array.from({ length: 60 }, () => beginAndLeave()));
    await allHaveLeft();
    const open = () => begun.filter(({ socket }) => !socket.destroyed);
    await until(() => open().length === 4, 10_000);
    expect(begun).toHaveLength(60);
    for (const { socket } of open()) socket.write(END);
    await until(async () => (await relay.logsOf(user)).length === 60, 10_000);
    const drained = async () => (await relay.logsOf(user)).filter(({ other }) => "drained" in other);
    expect(await drained()).toMatchObject(Array.from({ length: 4 }, () => ({ quota: 38 })));
    // Their places are free again.
    const { socket } = await askAndLeave();
    socket.write(END);
    await until(async () => (await drained()).length === 5, 10_000);
  });

  test.each(["StreamDrainSeconds", "StreamDrainKilobytes", "StreamDrainsMax"])("%s 0: at once", async (name) => {
    await withOptions({ [name]: "0" });
    const { socket } = await askAndLeave();
    await until(() => socket.destroyed);
    const row = await logged();
    expect(row).toMatchObject({ completion: 2, other: { outcome: "gone", estimated: true } });
    expect(row?.other).not.toHaveProperty("drained");
  });
});

test("the caller's place is free at once, the channel's when the upstream has ended", async () => {
  await withOptions({}, { concurrencyLimit: 2 });
  const { key: limited } = await relay.addToken(user, { concurrencyLimit: 1 });
  const first = await askAndLeave({ of: limited });
  const second = await askAndLeave({ of: limited });
  const full = await relay.post(key, chatBody("m", { stream: true }));
  expect([full.status, full.wire.error.code]).toEqual([429, "channels_at_limit"]);
  for (const { socket } of [first, second]) socket.write(END);
  await until(async () => (await relay.logsOf(user)).length === 2, 10_000);
  const { socket } = await askAndLeave({ of: limited });
  socket.write(END);
  await until(async () => (await relay.logsOf(user)).length === 3, 10_000);
});

test("a process that stops waits for its drains a second, and begins no other", async () => {
  await withOptions({ StreamDrainSeconds: "60" });
  const other = await relay.startBeside();
  watchCallers(other.gateway.server);
  await askAndLeave({ url: other.url });
  const startedAt = performance.now();
  await other.gateway.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(await logged()).toMatchObject({ completion: 2, other: { outcome: "gone", drained: { whole: false } } });
});
