import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  addChannel,
  addToken,
  addUser,
  balanceOf,
  chatBody,
  differences,
  logsOf,
  post,
  type Stack,
  setOption,
  setPrices,
  settleIn,
  startStack,
  until,
} from "./harness";

let stack: Stack;
let user: number;
let key: string;

beforeEach(async () => {
  await stack?.close();
  stack = await startStack();
  await setPrices(stack, "fake-hang,fake-bad-json,fake-gpt,m");
  await setOption(stack, "RetryTimes", "2");
  user = await addUser(stack, { balance: 1_000 });
  key = (await addToken(stack, user)).key;
});
afterEach(async () => expect(await differences(stack)).toEqual([]));
afterAll(() => stack.close());

const asked = () => stack.upstream.requests.map((request) => request.body.model);

/** Sends a chat request and returns how to hang up. */
function callAndLeave(body: string): () => Promise<void> {
  const leaving = new AbortController();
  const answered = fetch(`${stack.url}/v1/chat/completions`, {
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
    const channel = await addChannel(stack, { models: "fake-hang", priority: 10 });
    await addChannel(stack, { models: "fake-hang" });
    await settleIn();
    const leave = callAndLeave(chatBody("fake-hang", { stream, max_tokens: 400 }));
    await until(() => asked().length === 1);
    expect(stack.upstream.aborts()).toBe(0);
    await leave();
    await until(() => stack.upstream.aborts() === 1);
    await until(async () => (await logsOf(stack, user)).length === 1, 10_000);
    const [row] = await logsOf(stack, user);
    expect(row).toMatchObject({ type: 2, channel, completion: 0, stream, other: { outcome: "gone", estimated: true } });
    // "Say hello" with what a message and the answer's start add: the prompt alone, at one unit a token.
    expect(row?.prompt).toBeGreaterThan(1);
    expect(row?.prompt).toBeLessThan(20);
    expect(row?.quota).toBe(row?.prompt);
    expect(await balanceOf(stack, user)).toEqual({ quota: 1_000 - Number(row?.quota), used: row?.quota });
    expect(asked()).toEqual(["fake-hang"]);
  });

  test("what was reserved for it is held while it hangs, and free again once the caller left", async () => {
    await addChannel(stack, { models: "fake-hang,fake-gpt" });
    await settleIn();
    const costly = { max_tokens: 400 };
    const leave = callAndLeave(chatBody("fake-hang", { stream, ...costly }));
    await until(() => asked().length === 1);
    expect((await post(stack, key, chatBody("fake-gpt", costly))).status).toBe(403);
    await leave();
    await until(async () => (await logsOf(stack, user)).length === 1, 10_000);
    expect((await post(stack, key, chatBody("fake-gpt", costly))).status).toBe(200);
    expect(asked()).toEqual(["fake-hang", "fake-gpt"]);
  });
});

describe.each([false, true])("an upstream that answers 200 with something that is no JSON (streamed: %s)", (stream) => {
  test("the next channel is asked, and its answer alone is charged", async () => {
    const bad = await addChannel(stack, { models: "m", priority: 10, modelMapping: '{"m":"fake-bad-json"}' });
    const good = await addChannel(stack, { models: "m", modelMapping: '{"m":"fake-gpt"}' });
    await settleIn();
    const answer = await post(stack, key, chatBody("m", { stream, max_tokens: 50 }));
    expect(answer.status).toBe(200);
    expect(answer.text).toContain("weir");
    expect(answer.text).not.toContain("this is not JSON");
    expect(asked()).toEqual(["fake-bad-json", "fake-gpt"]);
    expect(await logsOf(stack, user)).toMatchObject([
      { type: 2, quota: 38, channel: good, other: { admin_info: { use_channel: [String(bad), String(good)] } } },
    ]);
    expect(await balanceOf(stack, user)).toEqual({ quota: 1_000 - 38, used: 38 });
  });

  test("without another channel the caller gets an error that says so, and nothing is charged", async () => {
    const channel = await addChannel(stack, { models: "fake-bad-json" });
    await settleIn();
    const answer = await post(stack, key, chatBody("fake-bad-json", { stream, max_tokens: 50 }));
    expect(answer.status).toBe(500);
    expect(answer.headers.get("content-type")).toContain("application/json");
    expect(answer.wire.error).toMatchObject({ code: "unmarshal_response_body_failed" });
    expect(answer.wire.error.message).toContain("the upstream's answer is not JSON");
    expect(answer.text).not.toContain("this is not JSON");
    // An error is not held back until it is logged.
    await until(async () => (await logsOf(stack, user)).length > 0, 10_000);
    expect(await logsOf(stack, user)).toMatchObject([{ type: 5, quota: 0, channel, stream }]);
    expect(await balanceOf(stack, user)).toEqual({ quota: 1_000, used: 0 });
  });
});
