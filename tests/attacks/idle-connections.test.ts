// Anyone opens hundreds of connections to the console and leaves them: a POST whose body never comes or comes a byte at
// a time, an answer that is never read, more requests than the console can take. Others must get an answer within a
// second, and what holds nothing but a place must lose it.
import { createServer, get, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { CONSOLE_LIMITS } from "@/server/console-proxy";
import type { GatewaySettings } from "@/server/gateway-server";
import { startRelay, until } from "../relay/harness";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function startConsole(answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  open.push(
    () => void server.closeAllConnections(),
    () => server.close(),
  );
  return server;
}

/** A gateway in front of this console; returns its port. */
async function start(answer: RequestListener, limits: GatewaySettings["consoleLimits"] = {}): Promise<number> {
  const server = await startConsole(answer);
  const consolePort = (server.address() as AddressInfo).port;
  const relay = await startRelay({ gateway: { consolePort, consoleLimits: limits } });
  open.push(() => relay.close());
  return Number(new URL(relay.url).port);
}

type Client = { socket: Socket; text: () => string; isClosed: () => boolean };

/** A connection from an address of its own that sends this and then what the test sends. */
function attack(port: number, from: string, head: string): Promise<Client> {
  return new Promise((done, fail) => {
    let text = "";
    let closed = false;
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    socket.on("data", (part) => {
      text += part.toString("latin1");
    });
    socket.once("close", () => {
      closed = true;
    });
    socket.on("error", fail);
    socket.once("connect", () => socket.write(head, () => done({ socket, text: () => text, isClosed: () => closed })));
    open.push(() => socket.destroy());
  });
}

/** The status of a page for somebody at another address, who waits a second at most. */
function visit(port: number, from = "127.0.0.200"): Promise<number | "no answer"> {
  return new Promise((done) => {
    const request = get({ port, host: "127.0.0.1", localAddress: from, path: "/login", timeout: 1_000 }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    });
    request.on("timeout", () => request.destroy()).on("error", () => done("no answer"));
  });
}

const idlePost = "POST /api/user/login HTTP/1.1\r\nHost: weir\r\nContent-Length: 1000\r\n\r\n{";
const ok: RequestListener = (request, response) => {
  request.resume();
  request.on("end", () => response.end("ok"));
};

test.each([
  ["one address", 1],
  ["five addresses", 5],
])("520 idle POSTs from %s: the console answers others within a second", async (_name, addresses) => {
  const port = await start(ok);
  const from = (index: number) => `127.0.0.${10 + (index % addresses)}`;
  const clients = await Promise.all(Array.from({ length: 520 }, (_, index) => attack(port, from(index), idlePost)));
  const held = Math.min(520, addresses * CONSOLE_LIMITS.perClient);
  await until(() => clients.filter(({ text }) => text() !== "").length === 520 - held, 10_000);
  expect(await Promise.all([visit(port), visit(port), visit(port)])).toEqual([200, 200, 200]);
});

test("one address holds a limited number of requests; one more is told to come back, others are not affected", async () => {
  const port = await start(ok, { perClient: 3 });
  await Promise.all([1, 2, 3].map(() => attack(port, "127.0.0.10", idlePost)));
  await until(async () => (await visit(port, "127.0.0.10")) === 429);
  expect(await visit(port)).toBe(200);
});

test("a body that stops arriving, or never ends, is given up with 408", async () => {
  const body = { ...CONSOLE_LIMITS.body, idleMs: 400, wholeMs: 1_200 };
  const port = await start(ok, { body });
  const idle = await attack(port, "127.0.0.10", idlePost);
  const drip = await attack(port, "127.0.0.10", idlePost);
  const drops = setInterval(() => drip.socket.write("x"), 50);
  open.push(() => clearInterval(drops));
  drip.socket.on("error", () => {});
  await until(() => idle.isClosed());
  expect(idle.text()).toMatch(/^HTTP\/1\.1 408 .*"success":false/s);
  expect(drip.isClosed()).toBe(false);
  await until(() => drip.isClosed());
  expect(drip.text()).toMatch(/^HTTP\/1\.1 408 /);
});

test("an answer that nobody reads is cut off, and the console's connection is free again", async () => {
  let cut = 0;
  const piece = Buffer.alloc(256 * 1_024);
  const port = await start(
    (request, response) => {
      if (request.url !== "/endless") return ok(request, response);
      response.once("close", () => {
        cut += 1;
      });
      const more = () => void (response.write(piece) ? setImmediate(more) : response.once("drain", more));
      more();
    },
    { connections: { total: 2, queued: 2, queueMs: 5_000 }, stallMs: 500 },
  );
  for (let i = 0; i < 2; i++) {
    const { socket } = await attack(port, "127.0.0.10", "GET /endless HTTP/1.1\r\nHost: weir\r\n\r\n");
    socket.pause();
  }
  await until(() => cut === 2);
  expect(await visit(port)).toBe(200);
});

test("requests wait in a bounded queue for a bounded time, then get 503 with Retry-After", async () => {
  let waiting = 0;
  const never = () => {
    waiting += 1;
  };
  const port = await start(never, { connections: { total: 1, queued: 2, queueMs: 700 } });
  const request = "GET /api/status HTTP/1.1\r\nHost: weir\r\n\r\n";
  await attack(port, "127.0.0.10", request);
  await until(() => waiting === 1);
  const queued = [await attack(port, "127.0.0.11", request), await attack(port, "127.0.0.12", request)];
  const surplus = await attack(port, "127.0.0.13", request);
  await until(() => surplus.text() !== "");
  expect(queued.map(({ text }) => text())).toEqual(["", ""]);
  await until(() => queued.every(({ text }) => text() !== ""));
  for (const { text } of [surplus, ...queued]) expect(text()).toMatch(/^HTTP\/1\.1 503 .*retry-after: \d/is);
  expect(waiting).toBe(1);
});

test("the headers of a request have a deadline", async () => {
  const relay = await startRelay();
  open.push(() => relay.close());
  expect(relay.gateway.server.headersTimeout).toBeLessThanOrEqual(20_000);
});
