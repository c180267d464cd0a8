// What callers see while PostgreSQL is silent, away or slow, and that each request is charged once all the same (the harness
// compares the books at the end).
import { afterAll, beforeEach, expect, test } from "vitest";
import { startTroubledProxy, type TroubledProxy } from "@/lib/testing/troubled-proxy";
import { DATABASE_PATIENCE } from "@/server/database-patience";
import { chatBody, setUpRelay } from "../harness";

let proxy: TroubledProxy;
/** So short that the tests do not take long, and so long that a busy machine answers within. */
const STATEMENT_MS = 1_000;
const RETRY_MS = 4_000;
/** What is waited for comes as soon as the machine gets to it. */
const SOON = { timeout: 20_000 };

const relay = setUpRelay({
  channels: [{}],
  through: async (url) => {
    proxy = await startTroubledProxy(url);
    return proxy.url;
  },
  gateway: {
    patience: {
      ...DATABASE_PATIENCE,
      statementMs: STATEMENT_MS,
      leaseStatementMs: STATEMENT_MS,
      keyStatementMs: STATEMENT_MS,
      leaseRetryMs: RETRY_MS,
      listening: { pingMs: 50, silenceMs: STATEMENT_MS },
    },
  },
});
beforeEach(async () => {
  proxy.comeBack();
  proxy.resume();
  proxy.delayAnswers(0);
  const listeners = () => proxy.names().filter((name) => name.startsWith("weir-listen"));
  await expect.poll(listeners, SOON).toHaveLength(2);
});
afterAll(() => proxy.close());

const ask = (key: string, more: Record<string, unknown> = {}) => relay.post(key, chatBody("fake-gpt", more));

let changes = 0;

/** A new caller of whom everything that is announced has been heard, so that its key stays known. */
async function addCaller() {
  const caller = await relay.addCaller();
  changes += 1;
  await relay.setOption("SystemName", `change ${changes}`);
  await relay.inForce();
  return caller;
}

async function makeKnown(key: string): Promise<void> {
  const list = () => fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  await expect.poll(async () => (await list()).status, SOON).toBe(200);
}

/** A caller whose key this process knows, but nothing of its balance. */
async function coldCaller() {
  const caller = await addCaller();
  await makeKnown(caller.token.key);
  return caller;
}

async function warmCaller() {
  const caller = await coldCaller();
  expect((await ask(caller.token.key)).status).toBe(200);
  return caller;
}

test("after a fail-over without a word every connection is replaced, and nobody gets an error", async () => {
  const [warm, cold] = [await warmCaller(), await coldCaller()];
  const before = new Set(proxy.names());
  proxy.silence();
  const answers = await Promise.all([ask(warm.token.key), ask(cold.token.key), ask(warm.token.key, { stream: true })]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers[2]?.text).toContain("[DONE]");
  const later = await relay.addCaller();
  await expect.poll(async () => (await ask(later.token.key)).status, SOON).toBe(200);
  for (const name of ["weir-listen", "weir-listen balances"]) {
    expect(before).toContain(name);
    await expect.poll(() => proxy.names(), SOON).toContain(name);
  }
  expect(await relay.logsOf(warm.user)).toHaveLength(3);
  expect(await relay.logsOf(cold.user)).toHaveLength(1);
});

test("while the database is away a key that nobody knows gets 503 with Retry-After, and known ones go on", async () => {
  const warm = await warmCaller();
  proxy.goAway();
  const unknown = await ask(`sk-${"x".repeat(48)}`);
  expect(unknown.status).toBe(503);
  expect(unknown.wire.error.code).toBe("database_away");
  expect(Number(unknown.headers.get("retry-after"))).toBeGreaterThan(0);
  const known = ask(warm.token.key);
  const anthropic = await fetch(`${relay.url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": `sk-${"y".repeat(48)}` },
    body: JSON.stringify({ model: "fake-gpt", max_tokens: 5, messages: [{ role: "user", content: "hi" }] }),
  });
  expect(anthropic.status).toBe(503);
  expect(await anthropic.json()).toMatchObject({ type: "error", error: { message: expect.any(String) } });
  proxy.comeBack();
  expect((await known).status).toBe(200);
  expect(await relay.logsOf(warm.user)).toHaveLength(2);
});

test("a request without anything reserved in its process waits out a database that is away for a moment", async () => {
  const cold = await coldCaller();
  proxy.goAway();
  const answer = ask(cold.token.key);
  const refusals = () => proxy.refused().filter((name) => name === "weir-gateway leases").length;
  await expect.poll(refusals, SOON).toBeGreaterThanOrEqual(2);
  proxy.comeBack();
  expect((await answer).status).toBe(200);
  expect(await relay.logsOf(cold.user)).toHaveLength(1);
});

test("one that is away for longer refuses it after its time for that with 503 and Retry-After, and it costs nothing", async () => {
  const cold = await coldCaller();
  proxy.goAway();
  const startedAt = performance.now();
  const refused = await ask(cold.token.key);
  expect(refused.status).toBe(503);
  expect(refused.wire.error.code).toBe("database_away");
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(performance.now() - startedAt).toBeGreaterThan(RETRY_MS - 100);
  proxy.comeBack();
  expect(await relay.balanceOf(cold.user)).toEqual({ quota: 1_000_000, used: 0 });
});

test("commits that take 100 ms delay the end of an answer, charge it once and refuse nobody", async () => {
  const warm = await warmCaller();
  proxy.delayAnswers(100);
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(warm.token.key, { stream: true })));
  expect(answers.every(({ status, text }) => status === 200 && text.includes("[DONE]"))).toBe(true);
  proxy.delayAnswers(0);
  expect(await relay.logsOf(warm.user)).toHaveLength(21);
});

test("a stream whose end waits for its commit gets comments meanwhile, then its end, and is charged once", async () => {
  await relay.setOption("StreamKeepAliveSeconds", 1);
  await relay.inForce();
  const warm = await warmCaller();
  proxy.goAway();
  const response = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${warm.token.key}` },
    body: chatBody("fake-gpt", { stream: true }),
  });
  let text = "";
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  while (!text.includes(": waiting")) {
    const part = await reader.read();
    if (part.done) throw new Error(`the stream ended without a comment: ${text}`);
    text += Buffer.from(part.value).toString();
  }
  expect(text).not.toContain("[DONE]");
  proxy.comeBack();
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += Buffer.from(part.value).toString();
  expect(text).toContain("[DONE]");
  expect(await relay.logsOf(warm.user)).toHaveLength(2);
});
