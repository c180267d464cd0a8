import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ConnectionStack } from "./connections";

let server: Server;
let opened = 0;
let stack: ConnectionStack;

beforeEach(async () => {
  opened = 0;
  server = createServer((_request, response) => response.end("ok"));
  server.on("connection", () => {
    opened += 1;
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  stack = new ConnectionStack(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {});
});

afterEach(async () => {
  await stack.destroy();
  server.closeAllConnections();
  server.close();
});

async function ask(end: "giveBack" | "drop" = "giveBack"): Promise<string> {
  const connection = stack.take();
  try {
    const { body } = await connection.request({ path: "/", method: "GET" });
    return await body.text();
  } finally {
    stack[end](connection);
  }
}

test("requests one after the other share a connection, parallel ones have one each and leave them to the next", async () => {
  for (let i = 0; i < 5; i++) expect(await ask()).toBe("ok");
  expect(opened).toBe(1);
  await Promise.all([ask(), ask(), ask()]);
  await Promise.all([ask(), ask()]);
  expect(opened).toBe(3);
});

test("a connection on which something went wrong is not used again", async () => {
  await ask("drop");
  await ask();
  expect(opened).toBe(2);
});

test("closing lets what is in flight finish, and keeps nothing", async () => {
  const inFlight = ask();
  await stack.close();
  expect(await inFlight).toBe("ok");
  expect(stack.take()).not.toBe(stack.take());
});

test("a server that closed the connection meanwhile is connected to anew", async () => {
  await ask();
  server.closeIdleConnections();
  await new Promise((done) => setImmediate(done));
  await expect.poll(() => ask().catch(() => "")).toBe("ok");
  expect(opened).toBe(2);
});
