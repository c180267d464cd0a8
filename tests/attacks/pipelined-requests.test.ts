// Three addresses open one connection each, send 192 requests on it without waiting for answers, and read nothing: 576
// requests for 512 places at the console. Everybody else must be answered as before: a connection has one request in work,
// an answer that its client does not read holds no place, and no address gets near a third of the places.
import { createServer, get, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { CONSOLE_LIMITS } from "@/server/console-proxy";
import type { GatewaySettings } from "@/server/gateway-server";
import { startRelay, until } from "../relay/harness";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Seen = { atOnce: number; mostAtOnce: number; paths: string[] };

/** A gateway in front of a console that answers like this. */
async function start(answer: RequestListener, consoleLimits: GatewaySettings["consoleLimits"] = {}) {
  const seen: Seen = { atOnce: 0, mostAtOnce: 0, paths: [] };
  const server = createServer((request, response) => {
    seen.atOnce += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
    seen.paths.push(request.url ?? "");
    response.once("close", () => {
      seen.atOnce -= 1;
    });
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  open.push(
    () => void server.closeAllConnections(),
    () => server.close(),
  );
  const { port: consolePort } = server.address() as AddressInfo;
  const relay = await startRelay({ channels: [{}], gateway: { consolePort, consoleLimits } });
  open.push(() => relay.close());
  return { relay, seen, port: Number(new URL(relay.url).port) };
}

/** A connection that sends this. `text` is what it was answered, as long as it reads. */
function attack(port: number, from: string, sent: string): Promise<{ socket: Socket; text: () => string }> {
  return new Promise((done) => {
    let text = "";
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    socket.on("data", (part) => {
      text += part.toString("latin1");
    });
    socket.on("error", () => {});
    socket.once("connect", () => socket.write(sent, () => done({ socket, text: () => text })));
    open.push(() => socket.destroy());
  });
}

/** The status for somebody at another address, who waits a second at most. */
function visit(port: number): Promise<number | "no answer"> {
  return new Promise((done) => {
    const options = { port, host: "127.0.0.1", localAddress: "127.0.0.200", path: "/login", timeout: 1_000 };
    const request = get(options, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    });
    request.on("timeout", () => request.destroy()).on("error", () => done("no answer"));
  });
}

const asking = (path: string) => `GET ${path} HTTP/1.1\r\nHost: weir\r\n\r\n`;
const large = Buffer.alloc(48 * 1_048_576, "x");
/** Pages, and a file that does not fit into the buffers of a connection, which Linux lets grow to 36 MB. */
const pages: RequestListener = ({ url = "" }, response) => void response.end(url.startsWith("/file") ? large : "page");

test("192 requests sent ahead on one connection each of three addresses, nothing read: others are answered", async () => {
  const { port, seen } = await start(pages);
  const froms = ["127.0.0.2", "127.0.0.3", "127.0.0.4"];
  await Promise.all(froms.map(async (from) => (await attack(port, from, asking("/file").repeat(192))).socket.pause()));
  expect(await Promise.all([visit(port), visit(port), visit(port)])).toEqual([200, 200, 200]);
  expect(seen.mostAtOnce).toBeLessThanOrEqual(6);
});

test("requests sent ahead are answered in their order, one at a time, also those of the relay", async () => {
  const waiting: (() => void)[] = [];
  const { port, seen } = await start(
    (_request, response) => void waiting.push(() => response.end(`page ${seen.paths.length}`)),
  );
  const paths = ["/1", "/2", "/v1/models", "/3"];
  const { text } = await attack(port, "127.0.0.2", paths.map(asking).join(""));
  for (const served of [1, 2, 3]) {
    await until(() => waiting.length === 1);
    expect(seen.paths).toHaveLength(served);
    waiting.pop()?.();
  }
  await until(() => text().includes("page 3"));
  expect(text().match(/page \d|missing_api_key/g)).toEqual(["page 1", "page 2", "missing_api_key", "page 3"]);
});

test("a connection that sends more ahead than any client does is closed", async () => {
  const { port, seen } = await start(() => {});
  const { socket } = await attack(port, "127.0.0.2", asking("/slow").repeat(60));
  await until(() => socket.closed);
  expect(seen.paths.length).toBeLessThanOrEqual(1);
});

test("what a client sends ahead of its turn is not answered in the middle of the answer before it", async () => {
  const { port, seen } = await start(() => {});
  for (const sent of [
    "nonsense\r\n\r\n",
    "GET /x HTTP/1.1\r\nHost: weir\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
  ]) {
    const { socket, text } = await attack(port, "127.0.0.2", asking("/slow") + sent);
    await until(() => socket.closed);
    expect(text()).toBe("");
  }
  expect(seen.paths.every((path) => path === "/slow")).toBe(true);
});

describe("a place at the console", () => {
  const connections = { total: 2, queued: 2, queueMs: 5_000 };

  test("is free while its client does not read, and the client gets the rest when it reads again", async () => {
    const { port } = await start(pages, { connections });
    const unread = await Promise.all([1, 2].map(() => attack(port, "127.0.0.2", asking("/file"))));
    for (const { socket } of unread) socket.pause();
    expect(await visit(port)).toBe(200);
    for (const { socket, text } of unread) {
      socket.resume();
      await until(() => text().endsWith("x") && text().split("\r\n\r\n")[1]?.length === large.length);
    }
  });

  test("beyond as many unread answers as there are places, the one that is waited for longest is cut", async () => {
    const { port } = await start(pages, { connections });
    const unread: Socket[] = [];
    for (const path of ["/file/1", "/file/2", "/file/3"]) {
      const { socket, text } = await attack(port, "127.0.0.2", asking(path));
      await until(() => text() !== "");
      socket.pause();
      unread.push(socket);
    }
    unread[0]?.resume();
    await until(() => unread[0]?.closed === true);
    expect(await visit(port)).toBe(200);
    expect(unread.map(({ closed }) => closed)).toEqual([true, false, false]);
  });

  test("is never one of so many that an address comes near a third of them", () => {
    expect(CONSOLE_LIMITS.perClient * 5).toBeLessThan(CONSOLE_LIMITS.connections.total);
  });
});
