import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AppError } from "@/lib/errors";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { mayConnect, parseAllowedRanges } from "./address";
import { guardedHttpOptions } from "./http-options";
import { checkEgressUrl, type EgressOptions, egressFetch } from "./index";

const loopback = parseAllowedRanges("127.0.0.1");
let server: Server;
let port = 0;
const seen: { path: string; headers: Record<string, unknown>; method: string; body: string }[] = [];
const open = new Set<ServerResponse>();

const answers: Record<string, (response: ServerResponse) => void> = {
  "/hello": (response) => response.setHeader("x-one", "1").end("hello"),
  "/huge": (response) => {
    // No content-length, so the limit must apply to the bytes received.
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536))) {}
      if (!response.destroyed) response.once("drain", more);
    };
    more();
  },
  "/announced": (response) => response.writeHead(200, { "content-length": "99999999" }).write("x"),
  "/bomb": (response) => response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(1_000_000))),
  "/zipped": (response) => response.setHeader("content-encoding", "gzip").end(gzipSync("plain")),
  "/silent": () => {},
  "/slow": (response) => response.write("a"),
  "/away": (response) => response.writeHead(302, { location: "http://10.0.0.8/secret" }).end(),
  "/decimal": (response) => response.writeHead(307, { location: `http://2130706433:${port}/hello` }).end(),
  "/elsewhere": (response) => response.writeHead(302, { location: `http://other.example:${port}/hello` }).end(),
  "/again": (response) => response.writeHead(307, { location: "/again" }).end(),
  "/file": (response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/here": (response) => response.writeHead(303, { location: "/hello" }).end(),
};

beforeAll(async () => {
  server = createServer((request, response) => {
    open.add(response);
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { url: path = "", headers, method = "" } = request;
      seen.push({ path, headers, method, body: Buffer.concat(parts).toString() });
      (answers[path] ?? ((reply) => reply.writeHead(404).end()))(response);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  for (const response of open) response.destroy();
  server.close();
});

const at = (path: string, host = "127.0.0.1"): string => `http://${host}:${port}${path}`;
const ask = (path: string, options: EgressOptions = {}) => egressFetch(at(path), { allowed: loopback, ...options });

async function refusal(asking: Promise<unknown>): Promise<string> {
  const error = await asking.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error(`no AppError but ${String(error)}`);
  expect(zh.errors).toHaveProperty(error.messageKey);
  expect(en.errors).toHaveProperty(error.messageKey);
  return error.messageKey;
}

describe("which addresses may be reached", () => {
  test.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "198.18.0.1",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "::7f00:1",
    "::127.0.0.1",
    "::a9fe:a9fe",
    "::a00:1",
    "4000::1",
    "2002:7f00:1::",
    "fe80::1",
    "fec0::1",
    "fd00:ec2::254",
    "ff02::1",
    "not an address",
  ])("%s is not reached for the public", (address) => {
    expect(mayConnect(address, "public", [])).toBe(false);
  });

  test.each(["1.1.1.1", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])("%s is reached", (address) => {
    expect(mayConnect(address, "public", [])).toBe(true);
  });

  test("an operator reaches private networks, but no link-local or metadata address", () => {
    for (const address of ["127.0.0.1", "10.0.0.1", "fd00::1", "100.64.0.1"])
      expect(mayConnect(address, "operator", []), address).toBe(true);
    for (const address of ["169.254.169.254", "fe80::1", "fd00:ec2::254", "100.100.100.200", "0.0.0.0"])
      expect(mayConnect(address, "operator", []), address).toBe(false);
  });

  test("WEIR_EGRESS_ALLOW opens exactly what it lists, and says what is wrong with it", () => {
    const ranges = parseAllowedRanges("10.1.0.0/16, fd00::/8,");
    expect(mayConnect("10.1.9.9", "public", ranges)).toBe(true);
    expect(mayConnect("::ffff:10.1.9.9", "public", ranges)).toBe(true);
    expect(mayConnect("fd12::1", "public", ranges)).toBe(true);
    expect(mayConnect("10.2.0.1", "public", ranges)).toBe(false);
    expect(() => parseAllowedRanges("10.0.0.0/99")).toThrow("10.0.0.0/99");
  });
});

describe("which URLs may be asked", () => {
  test.each([
    ["ftp://weir.example/", "egressUrlInvalid"],
    ["javascript:alert(1)", "egressUrlInvalid"],
    ["no url", "egressUrlInvalid"],
    ["https://user:secret@weir.example/", "egressUrlCredentials"],
    ["http://2130706433/", "egressBlocked"],
    ["http://0x7f.1/", "egressBlocked"],
    ["http://0177.0.0.1/", "egressBlocked"],
    ["http://127.1/", "egressBlocked"],
    ["http://①②⑦.0.0.1/", "egressBlocked"],
    ["http://[::ffff:127.0.0.1]/", "egressBlocked"],
    ["http://[::1]/", "egressBlocked"],
    ["http://localhost:3000/", "egressBlocked"],
    ["http://LOCALHOST./", "egressBlocked"],
    ["http://x.localhost/", "egressBlocked"],
    ["http://169.254.169.254/latest/meta-data/", "egressBlocked"],
  ])("%s is refused before anything is sent", async (url, key) => {
    expect(await refusal(egressFetch(url))).toBe(key);
  });

  test("a name is left to the moment it is connected to", () => {
    expect(checkEgressUrl("https://weir.example/x?y").hostname).toBe("weir.example");
  });
});

describe("egressFetch", () => {
  test("returns status, headers and body, whatever the status is", async () => {
    const reply = await ask("/hello");
    expect([reply.status, reply.headers["x-one"], reply.body.toString()]).toEqual([200, "1", "hello"]);
    expect((await ask("/none")).status).toBe(404);
  });

  test("sends method, headers and body", async () => {
    await ask("/hello", { method: "POST", headers: { "x-key": "k" }, body: "content" });
    expect(seen.at(-1)).toMatchObject({ method: "POST", body: "content", headers: { "x-key": "k" } });
  });

  test("a name that leads to a private address is refused", async () => {
    const before = seen.length;
    const resolve = async () => ["127.0.0.1"];
    expect(await refusal(egressFetch(at("/hello", "weir.example"), { resolve }))).toBe("egressBlocked");
    expect(await refusal(egressFetch(at("/hello", "localhost"), {}))).toBe("egressBlocked");
    expect(seen).toHaveLength(before);
  });

  test("a name is asked for once, and only what was judged is connected to", async () => {
    const told = [["127.0.0.1"], ["10.0.0.1"]];
    let asked = 0;
    const resolve = async () => told[asked++] ?? [];
    const reply = await egressFetch(at("/hello", "weir.example"), { resolve, allowed: loopback });
    expect([reply.status, asked]).toEqual([200, 1]);
    expect(await refusal(egressFetch(at("/hello", "weir.example"), { resolve, allowed: loopback }))).toBe(
      "egressBlocked",
    );
  });

  test("of several addresses only a permitted one is taken", async () => {
    const resolve = async () => ["10.0.0.1", "127.0.0.1"];
    expect((await egressFetch(at("/hello", "weir.example"), { resolve, allowed: loopback })).status).toBe(200);
  });

  test("an operator's own URL may lead into a private network", async () => {
    expect((await egressFetch(at("/hello"), { trust: "operator", allowed: [] })).status).toBe(200);
  });

  test("each redirect is judged anew", async () => {
    expect(await refusal(ask("/away", { redirects: 3 }))).toBe("egressBlocked");
    expect(await refusal(ask("/file", { redirects: 3 }))).toBe("egressUrlInvalid");
    expect(await refusal(ask("/again", { redirects: 3 }))).toBe("egressRedirects");
    const resolve = async () => ["127.0.0.1"];
    const elsewhere = ask("/elsewhere", { redirects: 3, trust: "operator", allowed: [], resolve });
    expect(await refusal(elsewhere)).toBe("egressBlocked");
  });

  test("a redirect within reach is followed, one that was not asked to be is an answer", async () => {
    const reply = await ask("/here", { method: "POST", body: "x", redirects: 1 });
    expect([reply.status, reply.body.toString(), seen.at(-1)?.method]).toEqual([200, "hello", "GET"]);
    expect((await ask("/decimal", { redirects: 1 })).status).toBe(200);
    expect((await ask("/away")).status).toBe(302);
  });

  test("a key is not carried to another origin, nor is a body", async () => {
    const resolve = async () => ["127.0.0.1"];
    await ask("/elsewhere", { redirects: 1, resolve, headers: { Authorization: "secret", "x-other": "1" } });
    expect(seen.at(-1)?.headers).toMatchObject({ "x-other": "1" });
    expect(seen.at(-1)?.headers).not.toHaveProperty("authorization");
    const posted = ask("/elsewhere", { redirects: 1, resolve, method: "PUT", body: "secret" });
    expect(await refusal(posted)).toBe("egressRedirectInvalid");
  });

  test.each(["/huge", "/announced", "/bomb"])("a body that is too large is not taken: %s", async (path) => {
    expect(await refusal(ask(path, { maxBytes: 100_000 }))).toBe("egressTooLarge");
  });

  test("a compressed answer is read", async () => {
    expect((await ask("/zipped")).body.toString()).toBe("plain");
  });

  test.each(["/silent", "/slow"])("an answer that does not come to its end is given up: %s", async (path) => {
    expect(await refusal(ask(path, { timeoutMs: 60 }))).toBe("egressTimeout");
  });

  test("a name that is never answered for is given up", async () => {
    const resolve = () => new Promise<string[]>(() => {});
    expect(await refusal(egressFetch("http://weir.example/", { resolve, timeoutMs: 60 }))).toBe("egressTimeout");
  });

  test("who cannot be reached is an upstream error", async () => {
    const unknown = Object.assign(new Error("none"), { code: "ENOTFOUND" });
    expect(await refusal(egressFetch("http://weir.example/", { resolve: () => Promise.reject(unknown) }))).toBe(
      "egressUnknownHost",
    );
    expect(await refusal(egressFetch("http://127.0.0.1:1/", { allowed: loopback }))).toBe("egressFailed");
  });
});

describe("guardedHttpOptions, for libraries that ask by node:http", () => {
  const limits = { trust: "public", timeoutMs: 5_000, maxBytes: 100_000, allowed: loopback } as const;
  type Options = Parameters<typeof guardedHttpOptions>[1];

  async function read(path: string, options: Partial<Options> = {}, host?: string): Promise<string> {
    const url = new URL(at(path, host));
    const request = httpRequest(url, guardedHttpOptions(url, { ...limits, ...options })).end();
    const response = await new Promise<IncomingMessage>((done, fail) => request.on("response", done).on("error", fail));
    const parts: Buffer[] = [];
    for await (const part of response) parts.push(part as Buffer);
    return Buffer.concat(parts).toString();
  }

  test("an address that may be reached is", async () => {
    expect(await read("/hello")).toBe("hello");
    const resolve = async () => ["10.0.0.1", "127.0.0.1"];
    expect(await read("/hello", { resolve }, "weir.example")).toBe("hello");
  });

  test("neither a forbidden address nor a name that leads to one is asked", async () => {
    const before = seen.length;
    expect(await refusal(read("/hello", { allowed: [] }))).toBe("egressBlocked");
    const resolve = async () => ["127.0.0.1"];
    expect(await refusal(read("/hello", { allowed: [], resolve }, "weir.example"))).toBe("egressBlocked");
    expect(await refusal(read("/hello", { allowed: [], trust: "operator" }, "169.254.169.254"))).toBe("egressBlocked");
    expect(seen).toHaveLength(before);
  });

  test("a connection is not kept for a request that was judged otherwise", async () => {
    let asked = 0;
    const resolve = async () => [asked++ === 0 ? "127.0.0.1" : "10.0.0.1"];
    expect(await read("/hello", { resolve }, "weir.example")).toBe("hello");
    expect(await refusal(read("/hello", { resolve }, "weir.example"))).toBe("egressBlocked");
  });

  test("too much is cut off", async () => {
    const began = Date.now();
    await expect(read("/huge")).rejects.toThrow();
    expect(Date.now() - began).toBeLessThan(limits.timeoutMs);
  });

  test.each(["/silent", "/slow"])("what does not come to its end is cut off: %s", async (path) => {
    await expect(read(path, { timeoutMs: 60 })).rejects.toThrow();
  });
});
