import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { chatBody, type Relay, startRelay, until } from "./harness";

const open: { close: () => unknown }[] = [];
afterEach(async () => {
  for (const item of open.splice(0)) await item.close();
});

async function startConsole(seen: IncomingMessage[]): Promise<Server> {
  const server = createServer((request, response) => {
    seen.push(request);
    response.writeHead(200, { "set-cookie": ["a=1", "b=2"], "content-type": "text/plain" });
    request.pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  open.push({ close: () => server.closeAllConnections() }, server);
  return server;
}

async function startWithConsole(settings = {}): Promise<{ relay: Relay; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = await startConsole(seen);
  const consolePort = (server.address() as AddressInfo).port;
  const relay = await startRelay({ gateway: { consolePort, ...settings } });
  open.push(relay);
  return { relay, seen };
}

test("a machine is ready when its console is", async () => {
  const { relay } = await startWithConsole();
  await expect.poll(async () => (await fetch(`${relay.url}/readyz`)).status).toBe(200);
});

test("what is not the relay's is streamed to the console, with headers that a client cannot forge", async () => {
  const { relay, seen } = await startWithConsole();
  const answer = await fetch(`${relay.url}/api/user/?p=1`, {
    method: "POST",
    body: "hello",
    headers: { "x-middleware-subrequest": "middleware", "x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https" },
  });
  expect([answer.status, await answer.text()]).toEqual([200, "hello"]);
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(seen[0]?.url).toBe("/api/user/?p=1");
  expect(seen[0]?.headers).toMatchObject({
    host: new URL(relay.url).host,
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-proto": "http",
    "x-forwarded-host": new URL(relay.url).host,
  });
  expect(seen[0]?.headers).not.toHaveProperty("x-middleware-subrequest");
});

test("behind a trusted proxy the caller's address is the one that the proxy saw", async () => {
  const { relay, seen } = await startWithConsole({ trustProxy: "127.0.0.1" });
  await fetch(`${relay.url}/`, { headers: { "x-forwarded-for": "9.9.9.9, 8.8.8.8", "x-forwarded-proto": "https" } });
  expect(seen[0]?.headers).toMatchObject({ "x-forwarded-for": "8.8.8.8", "x-forwarded-proto": "https" });
});

test("while the console is away a plain page says so and the relay works", async () => {
  const relay = await startRelay({ gateway: { consolePort: 1 } });
  open.push(relay);
  const answer = await fetch(`${relay.url}/login`);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("starting")]);
  const ready = await fetch(`${relay.url}/readyz`);
  expect([ready.status, await ready.text()]).toEqual([503, "starting\n"]);
  expect((await fetch(`${relay.url}/v1/models`)).status).toBe(401);
});

test("an upgrade is refused where no session begins", async () => {
  const { relay } = await startWithConsole();
  const text = await new Promise<string>((done) => {
    const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
    socket.once("data", (part) => done(part.toString("utf8")));
    socket.write("GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  expect(text).toMatch(/^HTTP\/1\.1 426 /);
});

async function startWithCaller(gateway = {}) {
  const relay = await startRelay({ channels: [{}], gateway });
  open.push(relay);
  const { user, token } = await relay.addCaller();
  return { relay, user, key: token.key };
}

test("stopping finishes the streams in flight, settles them and gives every lease back", async () => {
  const { relay, user, key } = await startWithCaller();
  const model = "fake-gpt";
  await relay.database.sql`update channels set model_mapping = '{"fake-gpt":"fake-gpt:chunks=30:pace=20"}'`;
  await relay.inForce();
  const stream = await relay.clientFor(key).chat.completions.create({
    model,
    messages: [{ role: "user", content: "hi" }],
    stream: true,
  });
  let chunks = 0;
  const reading = (async () => {
    for await (const _chunk of stream) chunks += 1;
    return chunks;
  })();
  await until(() => chunks > 0);
  await relay.gateway.stop();
  expect(await reading).toBe(32);
  expect(await relay.logsOf(user)).toMatchObject([{ quota: 12 + 2 * 30 }]);
  const leases = await relay.database.sql`select count(*)::int as leases from leases where amount > 0`;
  expect(leases).toEqual([{ leases: 0 }]);
  expect(await relay.differences()).toEqual([]);
});

test("a caller that does not read stops the upstream instead of filling memory, and is charged when it leaves", async () => {
  const { relay, user, key } = await startWithCaller();
  await relay.database.sql`update channels set model_mapping = '{"fake-gpt":"fake-gpt:chunks=400000"}'`;
  await relay.inForce();
  const responses: ServerResponse[] = [];
  relay.gateway.server.on("request", (_request, response) => responses.push(response));
  const body = chatBody("fake-gpt", { stream: true });
  const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
  socket.pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => responses[0]?.socket?.writableNeedDrain === true, 15_000);
  expect(responses[0]?.writableLength).toBeLessThan(1_048_576);
  socket.destroy();
  await until(async () => (await relay.logsOf(user)).length === 1, 15_000);
  const [row] = await relay.logsOf(user);
  expect(row).toMatchObject({ type: 2, other: { outcome: "gone", estimated: true } });
  expect(row?.completion).toBeLessThan(400_000);
  expect(await relay.differences()).toEqual([]);
});

test("200 requests at once on a balance that pays for 10: at most 10 are served, each is charged once", async () => {
  const { relay } = await startWithCaller();
  const second = await relay.startBeside();
  const { user, token } = await relay.addCaller({ balance: 10 * 38 });
  const body = chatBody("fake-gpt", { max_tokens: 13 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      (i % 2 === 0 ? relay : second).post(token.key, body, { connection: "close" }),
    ),
  );
  const served = answers.filter((answer) => answer.status === 200).length;
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThanOrEqual(10);
  expect(answers.every((answer) => answer.status === 200 || [429, 503].includes(answer.status))).toBe(true);
  expect(await relay.balanceOf(user)).toEqual({ quota: 380 - served * 38, used: served * 38 });
  expect((await relay.logsOf(user)).length).toBe(served);
  expect(await relay.differences()).toEqual([]);
});
