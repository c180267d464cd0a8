import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Fault, type FaultUpstream, good, head, STREAM_HEAD, startFaultUpstream } from "../fault-upstream";
import { chatBody, setUpRelay, until } from "../harness";

/** This fault for the second request, which goes out on the connection of the first. */
const onReuse =
  (fault: Fault): Fault =>
  (asked) =>
    (asked.before === 1 ? fault : good)(asked);

const WHOLE_HEAD = head(200, { "content-type": "application/json", "content-length": 500 });
const later = (ms: number, then: () => void): void => void setTimeout(then, ms).unref();

const faults: Record<string, Fault> = {
  "after-headers": onReuse(({ socket, isStream }) => socket.end(isStream ? STREAM_HEAD : WHOLE_HEAD)),
  "mid-body": onReuse(({ socket, isStream }) =>
    socket.end(isStream ? `${STREAM_HEAD}10\r\ndata: {` : `${WHOLE_HEAD}{"id`),
  ),
  "after-work": onReuse(({ socket }) => later(1_700, () => socket.end())),
  closed: onReuse(({ socket }) => socket.end()),
  reset: onReuse(({ socket }) => socket.resetAndDestroy()),
  dead: (asked) => (asked.before === 0 ? good(asked) : asked.socket.end()),
  fresh: ({ socket }) => socket.resetAndDestroy(),
};

const relay = setUpRelay({ prices: Object.keys(faults).join(","), options: { RetryTimes: "0" } });
let upstream: FaultUpstream;
let user: number;
let key: string;

beforeAll(async () => {
  upstream = await startFaultUpstream(faults);
  await relay.addChannel({ models: Object.keys(faults).join(","), baseUrl: upstream.url });
  await relay.inForce();
});
afterAll(() => upstream.close());
beforeEach(async () => {
  upstream.forget();
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});

/** Asks twice, the second time on the connection of the first; returns the second answer. */
async function askOnReused(model: string, stream: boolean) {
  expect((await relay.post(key, chatBody(model, { stream }))).status).toBe(200);
  await until(async () => (await relay.logsOf(user)).length === 1);
  const answer = await relay.post(key, chatBody(model, { stream }));
  await until(async () => (await relay.logsOf(user)).length === 2);
  return answer;
}

const attemptsOf = async () => (await relay.logsOf(user)).at(-1)?.other.admin_info;

describe.each([false, true])("a reused connection (streamed: %s)", (stream) => {
  test.each(["after-headers", "mid-body"])("closed %s: the request is not sent again", async (model) => {
    const { status } = await askOnReused(model, stream);
    expect([status, upstream.posts(model)]).toEqual([502, 2]);
  });

  test("closed after more than a second of work: the request is not sent again", async () => {
    const { status } = await askOnReused("after-work", stream);
    expect([status, upstream.posts("after-work")]).toEqual([502, 2]);
  });

  test.each(["closed", "reset"])(
    "%s at once: sent again on a new connection, and both are in the log",
    async (model) => {
      const { status } = await askOnReused(model, stream);
      expect([status, upstream.posts(model)]).toEqual([200, 3]);
      expect(await attemptsOf()).toMatchObject({
        attempts: [
          { outcome: "failed", cause: "reset", message: expect.stringContaining("idle connection") },
          { outcome: "ok", status: 200 },
        ],
      });
    },
  );

  test("closed at once, and the new one too: sent again once", async () => {
    const { status } = await askOnReused("dead", stream);
    expect([status, upstream.posts("dead")]).toEqual([502, 3]);
    expect(await attemptsOf()).toMatchObject({ attempts: [{ cause: "reset" }, { cause: "reset" }] });
  });

  test("a new connection that is reset is no stale one", async () => {
    const { status } = await relay.post(key, chatBody("fresh", { stream }));
    expect([status, upstream.posts("fresh")]).toEqual([502, 1]);
  });
});
