// Anyone sends a body of hundreds of megabytes to the console: declared, in chunks, or to the few routes that read
// something else than JSON. It must be refused with 413 before it costs memory, and the connection must be cut early.
import { readdirSync, readFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import * as nextAuth from "@/app/api/auth/[...nextauth]/route";
import { POST as stripe } from "@/app/api/stripe/[[...path]]/route";
import { POST as user } from "@/app/api/user/[[...path]]/route";
import { setUpApi } from "../api/harness";
import { startRelay, until } from "../relay/harness";

const MEGABYTE = 1_024 * 1_024;
const OFFERED_BYTES = 400 * MEGABYTE;
const piece = Buffer.alloc(64 * 1_024, "x");

setUpApi();
const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function start(): Promise<{ port: number; received: () => number }> {
  let received = 0;
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on("end", () => response.end(String(received)));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  open.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const relay = await startRelay({ gateway: { consolePort: (server.address() as AddressInfo).port } });
  open.push(() => relay.close());
  return { port: Number(new URL(relay.url).port), received: () => received };
}

type Outcome = { status: number; text: string; sent: number };

/** Sends pieces as fast as they are taken, until the end or until the connection is cut. */
function offer(port: number, path: string): Promise<Outcome> {
  return new Promise((done) => {
    const outcome: Outcome = { status: 0, text: "", sent: 0 };
    // As a page sends it: what programs post to a page is refused before.
    const headers = { "accept-language": "en", "next-action": "1" };
    const call = httpRequest({ port, host: "127.0.0.1", path, method: "POST", headers }, (answer) => {
      outcome.status = answer.statusCode ?? 0;
      answer.on("data", (part: Buffer) => {
        outcome.text += part.toString("utf8");
      });
      answer.on("error", () => {});
    });
    call.on("error", () => {}).once("close", () => done(outcome));
    const more = () => {
      while (!call.destroyed && outcome.sent < OFFERED_BYTES) {
        outcome.sent += piece.length;
        if (!call.write(piece)) return void call.once("drain", more);
      }
      call.end();
    };
    more();
  });
}

describe("at the gateway", () => {
  test.each([
    ["/api/stripe/webhook", '{"success":false,'],
    ["/login", "The request body is too large"],
  ])("400 MB in chunks to %s: 413, memory stays flat, the connection is cut early", async (path, text) => {
    const { port, received } = await start();
    const before = process.memoryUsage().rss;
    const outcome = await offer(port, path);
    expect([outcome.status, outcome.text]).toEqual([413, expect.stringContaining(text)]);
    expect(received()).toBeLessThanOrEqual(5 * MEGABYTE);
    expect(outcome.sent).toBeLessThan(OFFERED_BYTES);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MEGABYTE);
  });

  test("400 MB declared: 413 before the first byte of the body, and the console never hears of it", async () => {
    const { port, received } = await start();
    const socket = connect(port, "127.0.0.1");
    open.push(() => socket.destroy());
    let text = "";
    let closed = false;
    socket.on("data", (part) => {
      text += part.toString("utf8");
    });
    socket.once("close", () => {
      closed = true;
    });
    socket.write(
      `POST /api/user/login HTTP/1.1\r\nHost: weir\r\nAccept-Language: en\r\nContent-Length: ${OFFERED_BYTES}\r\n\r\n`,
    );
    await until(() => closed);
    expect(text).toMatch(/^HTTP\/1\.1 413 .*{"success":false,"message":"The request body is too large"}/s);
    expect(received()).toBe(0);
  });

  test("a body of four megabytes passes whole, in chunks or with its length", async () => {
    const { port } = await start();
    const body = Buffer.alloc(4 * MEGABYTE, "y");
    const whole = await fetch(`http://127.0.0.1:${port}/api/option/`, { method: "PUT", body });
    expect(await whole.text()).toBe(String(body.length));
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(body);
        controller.close();
      },
    });
    const init = { method: "PUT", body: chunked, duplex: "half" } as RequestInit;
    expect(await (await fetch(`http://127.0.0.1:${port}/api/option/`, init)).text()).toBe(String(2 * body.length));
  });
});

describe("at the routes that read something else than JSON", () => {
  const params = (...path: string[]) => ({ params: Promise.resolve({ path, nextauth: path }) });
  const form = "application/x-www-form-urlencoded";
  test.each([
    ["Stripe's webhook", stripe, params("webhook"), "application/json"],
    ["the notification of an epay gateway", user, params("epay", "notify"), form],
    ["next-auth, as a form", nextAuth.POST, params("signin", "github"), form],
    ["next-auth, as JSON", nextAuth.POST, params("signin", "github"), "application/json"],
  ])("%s reads no more than its own small limit", async (_name, handler, context, type) => {
    let pulled = 0;
    const body = new ReadableStream({
      pull(controller) {
        pulled += piece.length;
        if (pulled > 64 * MEGABYTE) controller.close();
        else controller.enqueue(new Uint8Array(piece));
      },
    });
    const headers = { "content-type": type, host: "weir.example" };
    const request = new Request("http://weir.example/", {
      method: "POST",
      headers,
      body,
      duplex: "half",
    } as RequestInit);
    const answer = await handler(request, context);
    expect(answer.status).toBe(413);
    expect(pulled).toBeLessThan(MEGABYTE);
  });

  test("no route reads a body by a method without a limit", () => {
    const root = join(import.meta.dirname, "../../app");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((path) => /\.tsx?$/.test(path));
    const unlimited = files.filter((path) =>
      /\b(request|req)\.(text|json|formData|arrayBuffer|blob|bytes)\(/.test(readFileSync(join(root, path), "utf8")),
    );
    expect(unlimited).toEqual([]);
  });
});
