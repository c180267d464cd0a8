import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createGateway } from "@/server/gateway-server";
import {
  addChannel,
  addToken,
  addUser,
  balanceOf,
  chatBody,
  clientFor,
  differences,
  logsOf,
  post,
  type Stack,
  setPrices,
  settleIn,
  startStack,
  until,
} from "./harness";

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

async function startWithConsole(settings = {}): Promise<{ stack: Stack; seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = await startConsole(seen);
  const stack = await startStack({ consolePort: (server.address() as AddressInfo).port, ...settings });
  open.push(stack);
  return { stack, seen };
}

test("what is not the relay's is streamed to the console, with headers that a client cannot forge", async () => {
  const { stack, seen } = await startWithConsole();
  const answer = await fetch(`${stack.url}/api/user/?p=1`, {
    method: "POST",
    body: "hello",
    headers: { "x-middleware-subrequest": "middleware", "x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https" },
  });
  expect([answer.status, await answer.text()]).toEqual([200, "hello"]);
  expect(answer.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  expect(seen[0]?.url).toBe("/api/user/?p=1");
  expect(seen[0]?.headers).toMatchObject({
    host: new URL(stack.url).host,
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-proto": "http",
    "x-forwarded-host": new URL(stack.url).host,
  });
  expect(seen[0]?.headers).not.toHaveProperty("x-middleware-subrequest");
});

test("behind a trusted proxy the caller's address is the one that the proxy saw", async () => {
  const { stack, seen } = await startWithConsole({ trustProxy: "127.0.0.1" });
  await fetch(`${stack.url}/`, { headers: { "x-forwarded-for": "9.9.9.9, 8.8.8.8", "x-forwarded-proto": "https" } });
  expect(seen[0]?.headers).toMatchObject({ "x-forwarded-for": "8.8.8.8", "x-forwarded-proto": "https" });
});

test("while the console is away a plain page says so and the relay works", async () => {
  const stack = await startStack({ consolePort: 1 });
  open.push(stack);
  const answer = await fetch(`${stack.url}/login`);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("starting")]);
  expect((await fetch(`${stack.url}/v1/models`)).status).toBe(401);
});

test("an upgrade is refused", async () => {
  const { stack } = await startWithConsole();
  const text = await new Promise<string>((done) => {
    const socket = connect(Number(new URL(stack.url).port), "127.0.0.1");
    socket.once("data", (part) => done(part.toString("utf8")));
    socket.write("GET /v1/realtime HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  expect(text).toMatch(/^HTTP\/1\.1 426 /);
});

async function startRelay(settings = {}) {
  const stack = await startStack(settings);
  await addChannel(stack);
  await setPrices(stack);
  const user = await addUser(stack);
  const { key } = await addToken(stack, user);
  await settleIn();
  return { stack, user, key };
}

test("stopping finishes the streams in flight, settles them and gives every lease back", async () => {
  const { stack, user, key } = await startRelay();
  const model = "fake-gpt";
  await stack.database.sql`update channels set model_mapping = '{"fake-gpt":"fake-gpt:chunks=30:pace=20"}'`;
  await settleIn();
  const stream = await clientFor(stack, key).chat.completions.create({
    model,
    messages: [{ role: "user", content: "hi" }],
    stream: true,
  });
  const reading = (async () => {
    let chunks = 0;
    for await (const _chunk of stream) chunks += 1;
    return chunks;
  })();
  await settleIn();
  await stack.gateway.stop();
  expect(await reading).toBe(32);
  expect(await logsOf(stack, user)).toMatchObject([{ quota: 12 + 2 * 30 }]);
  const leases = await stack.database.sql`select count(*)::int as leases from leases where amount > 0`;
  expect(leases).toEqual([{ leases: 0 }]);
  expect(await differences(stack)).toEqual([]);
  await stack.upstream.close();
  await stack.database.drop();
});

test("a stream that does not end in time is cut off and charged for what was delivered", async () => {
  const { stack, user, key } = await startRelay({ drainMs: 300 });
  const answer = post(stack, key, chatBody("fake-slow", { stream: true })).catch(() => "cut");
  await settleIn();
  await stack.gateway.stop();
  expect(await answer).toBe("cut");
  expect(await logsOf(stack, user)).toMatchObject([{ type: 2, other: { outcome: "gone" } }]);
  expect(await differences(stack)).toEqual([]);
  await stack.upstream.close();
  await stack.database.drop();
});

test("a caller that does not read stops the upstream instead of filling memory, and is charged when it leaves", async () => {
  const { stack, user, key } = await startRelay();
  open.push(stack);
  await stack.database.sql`update channels set model_mapping = '{"fake-gpt":"fake-gpt:chunks=400000"}'`;
  await settleIn();
  const responses: ServerResponse[] = [];
  stack.gateway.server.on("request", (_request, response) => responses.push(response));
  const body = chatBody("fake-gpt", { stream: true });
  const socket = connect(Number(new URL(stack.url).port), "127.0.0.1");
  socket.pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => responses[0]?.socket?.writableNeedDrain === true, 15_000);
  expect(responses[0]?.writableLength).toBeLessThan(1_048_576);
  socket.destroy();
  await until(async () => (await logsOf(stack, user)).length === 1);
  const [row] = await logsOf(stack, user);
  expect(row).toMatchObject({ type: 2, other: { outcome: "gone", estimated: true } });
  expect(row?.completion).toBeLessThan(400_000);
  expect(await differences(stack)).toEqual([]);
});

test("200 requests at once on a balance that pays for 10: at most 10 are served, each is charged once", async () => {
  const { stack } = await startRelay();
  const second = await createGateway({ databaseUrl: stack.database.url });
  open.push({ close: () => second.stop() }, stack);
  await new Promise<void>((done) => second.server.listen(0, "127.0.0.1", () => done()));
  const secondUrl = `http://127.0.0.1:${(second.server.address() as AddressInfo).port}`;
  const user = await addUser(stack, { balance: 10 * 38 });
  const { key } = await addToken(stack, user);
  const body = chatBody("fake-gpt", { max_tokens: 13 });
  const targets = [stack, { ...stack, url: secondUrl }];
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, i) => post(targets[i % 2] ?? stack, key, body, { connection: "close" })),
  );
  const served = answers.filter((answer) => answer.status === 200).length;
  expect(served).toBeGreaterThan(0);
  expect(served).toBeLessThanOrEqual(10);
  expect(answers.every((answer) => answer.status === 200 || answer.status === 403)).toBe(true);
  expect(await balanceOf(stack, user)).toEqual({ quota: 380 - served * 38, used: served * 38 });
  expect((await logsOf(stack, user)).length).toBe(served);
  expect(await differences(stack)).toEqual([]);
});
