import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import { fetchVia, workerOf } from "./worker";

type Asked = { url: string; key: string; method: string; headers: Record<string, string>; body?: string };

const asked: { method: string; headers: IncomingHttpHeaders; body: Asked }[] = [];
let server: Server;
let address = "";
let reply = { status: 200, headers: {} as Record<string, string>, body: "picture" };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    asked.push({ method: request.method ?? "", headers: request.headers, body: JSON.parse(text) as Asked });
    response.writeHead(reply.status, reply.headers).end(reply.body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  asked.length = 0;
  reply = { status: 200, headers: {}, body: "picture" };
});

const worker = () => ({ address, key: "worker-key" });
const failureOf = (asking: Promise<unknown>) =>
  asking.then(
    () => null,
    (error: unknown) => (error instanceof AppError ? [error.messageKey, JSON.stringify(error.params)] : error),
  );

test("a site without a worker asks by itself", () => {
  expect(workerOf({ WorkerUrl: "", WorkerValidKey: "k" })).toBeNull();
  expect(workerOf({ WorkerUrl: "https://w.example", WorkerValidKey: "k" })).toEqual({
    address: "https://w.example",
    key: "k",
  });
});

test("the worker is told URL, key, method, headers and body, and its answer is the URL's", async () => {
  reply = { status: 201, headers: { "content-type": "image/png" }, body: "png" };
  const url = "https://pictures.example/a.png";
  const body = '{"a": 1}';
  const answer = await fetchVia(worker(), url, { method: "POST", headers: { "x-one": "1" }, body });
  expect(asked.map(({ method }) => method)).toEqual(["POST"]);
  expect(asked[0]?.body).toEqual({ url, key: "worker-key", method: "POST", headers: { "x-one": "1" }, body });
  expect(asked[0]?.headers).not.toHaveProperty("authorization");
  expect([answer.status, answer.headers["content-type"], answer.body.toString()]).toEqual([201, "image/png", "png"]);
});

test.each(["http://127.0.0.1:1/a", "http://169.254.169.254/latest", "http://localhost/", "file:///etc/passwd"])(
  "an address that is forbidden here is not given to the worker: %s",
  async (url) => {
    expect(await failureOf(fetchVia(worker(), url))).toEqual([expect.stringMatching(/^egress/), expect.anything()]);
    expect(asked).toEqual([]);
  },
);

test("an answer that is too large is not taken from the worker either, nor a redirect followed", async () => {
  reply = { status: 200, headers: {}, body: "x".repeat(2_000) };
  const url = "https://pictures.example/a.png";
  expect((await failureOf(fetchVia(worker(), url, { maxBytes: 1_000 }))) as string[]).toContain("egressTooLarge");
  reply = { status: 302, headers: { location: "http://10.0.0.1/" }, body: "" };
  expect((await fetchVia(worker(), url, { redirects: 3 })).status).toBe(302);
});

test("a worker that is away is not named to those who cause a request, and nobody else is asked", async () => {
  const away = { address: "http://127.0.0.1:1", key: "worker-key" };
  expect(await failureOf(fetchVia(away, "https://pictures.example/a.png"))).toEqual(["egressWorker", "{}"]);
});
