import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { DrainPlan } from "@/server/drain-limits";
import { chatBody, type Relay, startRelay, until } from "../harness";

const open: Relay[] = [];
afterEach(async () => {
  for (const relay of open.splice(0)) {
    expect(await relay.differences()).toEqual([]);
    await relay.close();
  }
});

const plan = (changes: Partial<DrainPlan> = {}): DrainPlan => ({
  pauseMs: 0,
  drainMs: 400,
  isReplaced: false,
  ...changes,
});
const sentence = { messages: [{ role: "user", content: "hi" }], max_tokens: 4_000 };

async function start(answering = "fake-gpt:chunks=4000:pace=10") {
  const relay = await startRelay({ channels: [{}] });
  open.push(relay);
  await relay.database.sql`update channels set model_mapping = ${JSON.stringify({ "fake-gpt": answering })}`;
  await relay.inForce();
  const { user, token } = await relay.addCaller();
  const post = (path: string, body: unknown) =>
    fetch(`${relay.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { relay, user, key: token.key, post };
}

/** One request on a connection that the agent keeps. */
function get(url: string, agent: Agent): Promise<IncomingMessage> {
  return new Promise((done, fail) => {
    const sent = httpRequest(url, { agent }, (answer) => {
      answer.resume().once("end", () => done(answer));
    });
    sent.once("error", fail).end();
  });
}

const STREAMS: [string, string, object, RegExp][] = [
  [
    "OpenAI chat",
    "/v1/chat/completions",
    { model: "fake-gpt", stream: true, ...sentence },
    /\n\ndata: \{"error":\{[^\n]*"code":"gateway_restarting"[^\n]*\n\n$/,
  ],
  [
    "Anthropic",
    "/v1/messages",
    { model: "fake-gpt", stream: true, ...sentence },
    /\n\nevent: error\ndata: \{"type":"error"[^\n]*being restarted[^\n]*\n\n$/,
  ],
  [
    "OpenAI Responses",
    "/v1/responses",
    { model: "fake-gpt", stream: true, input: "hi" },
    /\n\nevent: (error|response\.failed)\ndata: [^\n]*being restarted[^\n]*\n\n$/,
  ],
  [
    "Gemini",
    "/v1beta/models/fake-gpt:streamGenerateContent?alt=sse",
    { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    /\n\n\n\{"error":\{[^\n]*being restarted[^\n]*\}$/,
  ],
];

test.each(STREAMS)(
  "a stream of %s that the end of the drain cuts gets an error event, no reset, and is charged for what was delivered",
  async (_name, path, body, lastEvent) => {
    const { relay, user, post } = await start();
    const answer = await post(path, body);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let text = "";
    const decoder = new TextDecoder();
    const reading = (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value);
    })();
    await until(() => text.includes("river"));
    await relay.gateway.stop(plan());
    await reading;
    expect(text.replaceAll("\r\n", "\n")).toMatch(lastEvent);
    const rows = await relay.logsOf(user);
    expect(rows).toMatchObject([{ type: 2, other: { outcome: "gone" } }]);
    expect(rows[0]?.completion).toBeGreaterThan(0);
    expect(rows[0]?.completion).toBeLessThan(2_000);
  },
);

test("a JSON array of Gemini that is cut is still an array, and its last item is the error", async () => {
  const { relay, post } = await start();
  const answer = await post("/v1beta/models/fake-gpt:streamGenerateContent", {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
  });
  const reading = answer.text();
  await until(() => relay.upstream.requests.length > 0);
  await relay.gateway.stop(plan());
  const items = JSON.parse(await reading) as { error?: { message: string } }[];
  expect(items.at(-1)?.error?.message).toContain("being restarted");
});

test("a whole answer that is not here at the end of the drain is refused in words, to be tried again, and costs nothing", async () => {
  const { relay, user, post } = await start("fake-hang");
  const asked = post("/v1/chat/completions", { model: "fake-gpt", ...sentence });
  await until(() => relay.upstream.requests.length > 0);
  await relay.gateway.stop(plan());
  const answer = await asked;
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await answer.json()).toMatchObject({ error: { code: "gateway_restarting" } });
  await until(() => relay.upstream.aborts() === 1);
  expect((await relay.logsOf(user)).map(({ quota }) => quota)).toEqual([0]);
});

test("readiness goes first, then every answer closes its connection, then the port closes, and a stream goes on to its end", async () => {
  const { relay, user, post } = await start("fake-gpt:chunks=60:pace=20");
  const stream = await post("/v1/chat/completions", { model: "fake-gpt", stream: true, ...sentence });
  const agent = new Agent({ keepAlive: true });
  const probe = () => get(`${relay.url}/readyz`, agent);
  expect((await probe()).statusCode).toBe(200);
  const stopped = relay.gateway.stop(plan({ pauseMs: 300, drainMs: 15_000 }));
  const paused = await probe();
  expect([paused.statusCode, paused.headers.connection]).toEqual([503, "keep-alive"]);
  expect((await fetch(`${relay.url}/healthz`)).status).toBe(200);
  expect((await get(`${relay.url}/v1/models`, agent)).headers.connection).toBe("keep-alive");
  await expect.poll(async () => (await probe()).headers.connection, { interval: 20 }).toBe("close");
  await expect
    .poll(
      () =>
        probe().then(
          () => "open",
          (error) => error.code,
        ),
      { interval: 20 },
    )
    .toBe("ECONNREFUSED");
  expect(await stream.text()).toMatch(/data: \[DONE\]\n\n$/);
  await stopped;
  expect(await relay.logsOf(user)).toMatchObject([{ quota: 12 + 2 * 60 }]);
});

test("a process that is replaced stays ready, closes its port at once, and serves kept connections once more", async () => {
  const { relay } = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await get(`${relay.url}/v1/models`, agent)).headers.connection).toBe("keep-alive");
  const stopped = relay.gateway.stop(plan({ isReplaced: true, drainMs: 5_000 }));
  await expect.poll(() => relay.gateway.server.listening).toBe(false);
  const last = await get(`${relay.url}/readyz`, agent);
  expect([last.statusCode, last.headers.connection]).toEqual([200, "close"]);
  await stopped;
});

test("an answer that begins while the process drains closes its connection", async () => {
  const { relay, key } = await start("fake-gpt:delay=300:chunks=2:pace=1");
  const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (part) => {
    text += part.toString("utf8");
  });
  const body = chatBody("fake-gpt", { stream: true });
  const ended = new Promise<void>((done) => socket.once("end", () => done()));
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => relay.upstream.requests.length > 0);
  const stopped = relay.gateway.stop(plan({ drainMs: 10_000 }));
  await ended;
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close\r\n/i);
  expect(text).toContain("[DONE]");
  await stopped;
});
