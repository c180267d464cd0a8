import { beforeEach, describe, expect, test } from "vitest";
import { chatBody, setUpRelay, until } from "../harness";

const relay = setUpRelay({
  prices: "fake-hang,fake-bad-json,fake-gpt,m",
  options: { RetryTimes: "2", UnseenDrainSeconds: "0" },
});
let user: number;
let key: string;

beforeEach(async () => {
  await relay.reset();
  const caller = await relay.addCaller({ balance: 1_000 });
  user = caller.user;
  key = caller.token.key;
});

const asked = () => relay.upstream.requests.map((request) => request.body.model);

/** Sends a chat request; returns a function that disconnects. */
function callAndLeave(body: string): () => Promise<void> {
  const leaving = new AbortController();
  const answered = fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    signal: leaving.signal,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body,
  });
  return async () => {
    leaving.abort();
    await expect(answered).rejects.toThrow("aborted");
  };
}

describe.each([false, true])("an upstream that never answers (streamed: %s)", (stream) => {
  test("when the caller leaves, its connection is closed, no other channel is asked, and only the prompt is paid", async () => {
    const channel = await relay.addChannel({ models: "fake-hang", priority: 10 });
    await relay.addChannel({ models: "fake-hang" });
    await relay.inForce();
    const leave = callAndLeave(chatBody("fake-hang", { stream, max_tokens: 400 }));
    await until(() => asked().length === 1);
    expect(relay.upstream.aborts()).toBe(0);
    await leave();
    await until(() => relay.upstream.aborts() === 1);
    await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
    const [row] = await relay.logsOf(user);
    expect(row).toMatchObject({ type: 2, channel, completion: 0, stream, other: { outcome: "gone", estimated: true } });
    // The prompt alone, at one unit per token: "Say hello" plus the overhead of a message and of the reply's start.
    expect(row?.prompt).toBeGreaterThan(1);
    expect(row?.prompt).toBeLessThan(20);
    expect(row?.quota).toBe(row?.prompt);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000 - Number(row?.quota), used: row?.quota });
    expect(asked()).toEqual(["fake-hang"]);
  });

  test("what was reserved for it is held while it hangs, and free again once the caller left", async () => {
    await relay.addChannel({ models: "fake-hang,fake-gpt" });
    await relay.inForce();
    const costly = { max_tokens: 1_000 };
    const leave = callAndLeave(chatBody("fake-hang", { stream, ...costly }));
    await until(() => asked().length === 1);
    const refused = await relay.post(key, chatBody("fake-gpt", costly));
    expect([refused.status, refused.wire.error.code]).toEqual([503, "quota_reserved"]);
    await leave();
    await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
    expect((await relay.post(key, chatBody("fake-gpt", costly))).status).toBe(200);
    expect(asked()).toEqual(["fake-hang", "fake-gpt"]);
  });
});

describe.each([false, true])("an upstream that answers 200 with something that is no JSON (streamed: %s)", (stream) => {
  test("the next channel is asked, and its answer alone is charged", async () => {
    const bad = await relay.addChannel({ models: "m", priority: 10, modelMapping: '{"m":"fake-bad-json"}' });
    const good = await relay.addChannel({ models: "m", modelMapping: '{"m":"fake-gpt"}' });
    await relay.inForce();
    const answer = await relay.post(key, chatBody("m", { stream, max_tokens: 50 }));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("weir");
    expect(answer.text).not.toContain("this is not JSON");
    expect(asked()).toEqual(["fake-bad-json", "fake-gpt"]);
    expect(await relay.logsOf(user)).toMatchObject([
      { type: 2, quota: 38, channel: good, other: { admin_info: { use_channel: [String(bad), String(good)] } } },
    ]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000 - 38, used: 38 });
  });

  test("without another channel the caller gets an error that says so, and nothing is charged", async () => {
    const channel = await relay.addChannel({ models: "fake-bad-json" });
    await relay.inForce();
    const answer = await relay.post(key, chatBody("fake-bad-json", { stream, max_tokens: 50 }));
    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.wire.error).toMatchObject({ code: "unmarshal_response_body_failed" });
    expect(answer.wire.error.message).toContain("the upstream's response is not JSON");
    expect(answer.text).not.toContain("this is not JSON");
    // The client gets an error before it is logged.
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    expect(await relay.logsOf(user)).toMatchObject([{ type: 5, quota: 0, channel, stream }]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000, used: 0 });
  });
});
