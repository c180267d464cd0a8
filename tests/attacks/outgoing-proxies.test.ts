// HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY hold for every outgoing connection, through a real CONNECT proxy; what callers and
// users name is judged before the proxy gets it.

import { readdirSync, readFileSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import { request as httpsRequest } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocketServer } from "ws";
import { S3Storage } from "@/lib/archive/s3-storage";
import { egressFetch, guardedHttpOptions, outgoingAgent } from "@/lib/egress";
import { parseAllowedRanges } from "@/lib/egress/address";
import { proxyFor } from "@/lib/egress/outgoing-proxy";
import { fetchVia } from "@/lib/egress/worker";
import { toErrorRecord } from "@/lib/logger";
import { askProvider } from "@/lib/oauth/ask-provider";
import { causeOf, UNSENT_CAUSES } from "@/lib/relay/base/failure-cause";
import { createTracing } from "@/lib/relay/http/tracing/sdk";
import { openConnections } from "@/lib/relay/net/open-connections";
import { requestToken } from "@/lib/relay/providers/auth/token-request";
import { createCheckout } from "@/lib/topup/stripe";
import { setUpRelay } from "../relay/harness";
import { startSocksProxy } from "../relay/proxies";

const USER = "us er:p@ss#/?%";
const encoded = "us%20er:p%40ss%23%2F%3F%25";
const seen: string[] = [];
let target: Server;
let proxy: Server;
let targetPort = 0;
let proxyPort = 0;
const sockets = new Set<Socket>();
const NAMES = [
  "HTTPS_PROXY",
  "https_proxy",
  "HTTP_PROXY",
  "http_proxy",
  "ALL_PROXY",
  "all_proxy",
  "NO_PROXY",
  "no_proxy",
];

beforeAll(async () => {
  target = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end('{"access_token":"t","id":"x","choices":[]}');
  });
  const webSockets = new WebSocketServer({ server: target });
  webSockets.on("connection", (socket) => socket.send("hello"));
  proxy = createServer((_, response) => response.writeHead(405).end());
  proxy.on("connect", (request, socket: Socket) => {
    if (request.headers["proxy-authorization"] !== `Basic ${Buffer.from(USER).toString("base64")}`) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    seen.push(request.url ?? "");
    // Whatever the name is, it resolves it to the same place: a name that leads into a private network, too.
    const there = connect(targetPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      there.pipe(socket).pipe(there);
    });
    for (const one of [there, socket]) one.on("error", () => {});
    socket.on("close", () => there.destroy());
  });
  for (const server of [target, proxy]) {
    server.on("connection", (socket) => sockets.add(socket));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  }
  targetPort = (target.address() as AddressInfo).port;
  proxyPort = (proxy.address() as AddressInfo).port;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  target.close();
  proxy.close();
});
beforeEach(() => {
  seen.length = 0;
  for (const name of NAMES) vi.stubEnv(name, undefined);
  vi.stubEnv("HTTP_PROXY", `http://${encoded}@127.0.0.1:${proxyPort}`);
});
afterEach(() => vi.unstubAllEnvs());

const publicAddress = { resolve: async () => ["93.184.216.34"] };

async function throughAgent(url: string, options: object): Promise<void> {
  await new Promise<void>((done, fail) => {
    httpRequest(url, options, (response) => response.resume().once("end", done))
      .once("error", fail)
      .end();
  });
}

/** Each connects to http://NAME.test, and says by which authority. */
const CONNECTIONS: Record<string, (host: string) => Promise<unknown>> = {
  "an address of root's or of the environment": (host) => egressFetch(`http://${host}/`, { trust: "operator" }),
  "a price list, Turnstile, epay, WxPusher, a discovery document": (host) =>
    egressFetch(`http://${host}/a?b`, { trust: "operator" }),
  "the worker that asks in Weir's place": (host) =>
    fetchVia({ address: `http://${host}/`, key: "k" }, "http://93.184.216.34/"),
  "an account provider": (host) => askProvider("linuxdo", `http://${host}/token`),
  "OpenID Connect's client": (host) => {
    const url = new URL(`http://${host}/`);
    return throughAgent(url.href, guardedHttpOptions(url, { trust: "operator", timeoutMs: 5_000, maxBytes: 100_000 }));
  },
  "an upstream": async (host) => {
    const connections = openConnections({ origin: `http://${host}`, proxy: "", trust: "operator" });
    const dispatcher = connections.take();
    const { body } = await dispatcher.request({ origin: `http://${host}`, path: "/", method: "GET" });
    await body.dump();
    await connections.destroy();
  },
  "an upstream's WebSocket": async (host) => {
    const connections = openConnections({ origin: `ws://${host}`, proxy: "", trust: "operator" });
    if (!("session" in connections)) throw new Error("no WebSockets");
    const session = (
      connections as unknown as { session: (path: string, headers: string[], max: number) => WebSocket }
    ).session("/", [], 100);
    await new Promise((done) => session.addEventListener("message", done, { once: true }));
    session.close();
    await connections.destroy();
  },
  "a token of a cloud": (host) =>
    requestToken({ url: `http://${host}/token`, form: {}, secrets: [], way: { trust: "operator", proxy: "" } }),
  Stripe: (host) =>
    createCheckout(
      { apiSecret: "sk", webhookSecret: "w", apiAddress: `http://${host}` },
      { tradeNo: "1", cents: 1, currency: "usd", title: "t", returnUrl: "http://weir.test" },
    ),
  "the bucket of archives": async (host) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "a");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "b");
    const place = {
      kind: "s3",
      bucket: "bucket",
      prefix: "",
      endpoint: `http://${host}`,
      region: "eu",
      hasPathStyle: true,
    } as const;
    const storage = new S3Storage(place);
    await storage.sizeOf("name").finally(() => storage.close());
  },
  "traces and metrics": async (host) => {
    vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://${host}`);
    const tracing = createTracing({ protocol: "http/json", tellsUpstreams: false, metrics: "http/json" });
    const channel = { id: 1, name: "c", type: 1 } as never;
    tracing
      .beginOwn({
        purpose: "test",
        operation: "chat",
        channel,
        request: { model: "m", headers: [], origin: "http://a.test", path: "/" },
      } as never)
      .end(200);
    await tracing.stop();
  },
};

test.each(Object.entries(CONNECTIONS))(
  "%s goes through HTTP_PROXY, which resolves its name, with user and password",
  async (name, run) => {
    const host = `h${Object.keys(CONNECTIONS).indexOf(name)}.test`;
    await run(host).catch((error: unknown) => {
      // The answer of the test's server need not please everybody, but the way must have been open.
      if (seen.length === 0) throw error;
    });
    expect(seen).toContain(`${host}:80`);
    expect(seen.every((authority) => authority === `${host}:80`)).toBe(true);
  },
);

test("https goes by HTTPS_PROXY to port 443, and else by ALL_PROXY; the certificate is that of the host", async () => {
  vi.stubEnv("HTTP_PROXY", undefined);
  vi.stubEnv("all_proxy", `${encoded}@127.0.0.1:${proxyPort}`);
  await expect(egressFetch("https://secure.test/", { trust: "operator" })).rejects.toThrow();
  vi.stubEnv("HTTPS_PROXY", `http://${encoded}@127.0.0.1:${proxyPort}/`);
  await expect(
    egressFetch("https://[2001:db8::1]:8443/", { trust: "operator", allowed: parseAllowedRanges("2001:db8::/32") }),
  ).rejects.toThrow();
  expect(seen).toEqual(["secure.test:443", "[2001:db8::1]:8443"]);
});

test("a SOCKS proxy of the environment resolves names, too", async () => {
  const socks = await startSocksProxy("user", "secret");
  vi.stubEnv("http_proxy", `socks5h://user:secret@127.0.0.1:${socks.port}`);
  await egressFetch("http://names.test:81/", { trust: "operator" }).catch(() => {});
  socks.close();
  expect(socks.seen).toEqual(["names.test:81"]);
});

describe("what callers and users name", () => {
  test("is resolved and judged here, and the proxy gets the address that was judged", async () => {
    await egressFetch("http://picture.test/", publicAddress);
    expect(seen).toEqual(["93.184.216.34:80"]);
  });

  test.each([
    ["a name that leads into a private network", "http://picture.test/", async () => ["10.0.0.5"]],
    ["a name that leads to the cloud's own service", "http://picture.test/", async () => ["169.254.169.254"]],
    [
      "a name that nobody here knows",
      "http://picture.test/",
      async () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })),
    ],
    ["a private address", "http://10.0.0.5/", async () => []],
    ["this machine", "http://127.0.0.1:1/", async () => []],
    ["this machine by name", "http://localhost:1/", async () => []],
  ])("%s never gets to the proxy", async (_, url, resolve) => {
    await expect(egressFetch(url, { resolve })).rejects.toMatchObject({
      messageKey: expect.stringMatching(/^egress(Blocked|UnknownHost)/),
    });
    const guard = { trust: "public", timeoutMs: 2_000, maxBytes: 1_000, resolve } as const;
    await expect((async () => throughAgent(url, guardedHttpOptions(new URL(url), guard)))()).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  test("a redirect from an address of root's is judged as anybody's", async () => {
    const redirecting = createServer((_, response) => response.writeHead(302, { location: "http://10.0.0.5/" }).end());
    await new Promise<void>((done) => redirecting.listen(0, "127.0.0.1", done));
    const { port } = redirecting.address() as AddressInfo;
    await expect(egressFetch(`http://127.0.0.1:${port}/`, { trust: "operator", redirects: 2 })).rejects.toMatchObject({
      messageKey: "egressBlocked",
    });
    redirecting.close();
    expect(seen).toEqual([]);
  });
});

test("this machine is never asked through a proxy, whatever is set", async () => {
  vi.stubEnv("ALL_PROXY", `http://127.0.0.1:${proxyPort}`);
  for (const host of ["127.0.0.1", "localhost", "127.8.8.8", "[::1]", "x.localhost", "[::ffff:127.0.0.1]"])
    for (const scheme of ["http", "https", "ws", "wss"])
      expect(proxyFor(new URL(`${scheme}://${host}:99/`)), host).toBe("");
  await throughAgent(`http://127.0.0.1:${targetPort}/`, { agent: outgoingAgent("http:", 1_000) });
  expect(seen).toEqual([]);
});

test.each([
  ["*", ["a.test", "1.2.3.4"], []],
  ["a.test", ["a.test", "A.TEST", "x.a.test", "a.test."], ["ba.test", "a.test.org"]],
  [".a.test", ["a.test", "x.a.test"], ["ba.test"]],
  ["*.a.test", ["x.a.test"], ["ba.test"]],
  ["a.test:8080", ["a.test:8080", "x.a.test:8080"], ["a.test", "a.test:443"]],
  ["a.test:80", ["a.test", "a.test:80"], ["a.test:8080"]],
  ["10.0.0.0/8", ["10.1.2.3", "[::ffff:10.1.2.3]"], ["11.1.2.3", "a.test"]],
  ["fd00::/8,2001:db8::1", ["[fd12::1]", "[2001:db8::1]:9"], ["[2001:db8::2]"]],
  ["[2001:db8::1]:99", ["[2001:db8::1]:99"], ["[2001:db8::1]:98"]],
  ["192.0.2.7:99", ["192.0.2.7:99"], ["192.0.2.7:98"]],
  ["b.test, a.test c.test", ["a.test", "b.test", "c.test"], ["d.test"]],
  ["", [], ["a.test"]],
])("NO_PROXY=%s: %j directly, %j not", (text, direct, proxied) => {
  for (const name of ["NO_PROXY", "no_proxy"]) {
    vi.stubEnv("NO_PROXY", undefined);
    vi.stubEnv(name, text);
    for (const host of direct) expect(proxyFor(new URL(`http://${host}/`)), host).toBe("");
    for (const host of proxied) expect(proxyFor(new URL(`http://${host}/`)), host).not.toBe("");
    vi.stubEnv(name, undefined);
  }
});

test("names in small letters go before, and a proxy may lack its scheme", () => {
  vi.stubEnv("HTTPS_PROXY", "http://upper:1");
  vi.stubEnv("https_proxy", "lower:2");
  expect(proxyFor(new URL("https://a.test"))).toBe("http://lower:2");
  expect(proxyFor(new URL("wss://a.test"))).toBe("http://lower:2");
  expect(proxyFor(new URL("ws://a.test"))).toContain(`:${proxyPort}`);
  vi.stubEnv("https_proxy", "");
  expect(proxyFor(new URL("https://a.test"))).toBe("http://upper:1");
});

describe("a proxy that cannot be used", () => {
  const AWAY: Record<string, () => Promise<{ address: string; close: () => void }>> = {
    "a SOCKS proxy that refuses the password": async () => {
      const socks = await startSocksProxy("user", "right");
      return { address: `socks5://HIDDENUSER:HIDDENWORD@127.0.0.1:${socks.port}`, close: socks.close };
    },
    "a SOCKS proxy that is not there": async () => ({
      address: "socks5://HIDDENUSER:HIDDENWORD@127.0.0.1:1",
      close: () => {},
    }),
    "an HTTP proxy that refuses the password": async () => ({
      address: `http://HIDDENUSER:HIDDENWORD@127.0.0.1:${proxyPort}`,
      close: () => {},
    }),
    "an HTTP proxy that is not there": async () => ({
      address: "http://HIDDENUSER:HIDDENWORD@127.0.0.1:1",
      close: () => {},
    }),
  };

  test.each(Object.entries(AWAY))(
    "%s: its user and password are in no error, and nothing was sent",
    async (_, start) => {
      const { address, close } = await start();
      vi.stubEnv("HTTPS_PROXY", address);
      try {
        const direct = await egressFetch("https://upstream.test/", { trust: "operator" }).catch(
          (error: unknown) => error,
        );
        const byAgent = await new Promise<Error>((done) =>
          httpsRequest("https://upstream.test/", { agent: outgoingAgent("https:", 5_000) })
            .once("error", done)
            .end(),
        );
        const connections = openConnections({ origin: "https://upstream.test", proxy: "", trust: "operator" });
        const byChannel: Error = await connections
          .take()
          .request({ origin: "https://upstream.test", path: "/", method: "GET" })
          .then(
            () => new Error("answered"),
            (error: Error) => error,
          );
        await connections.destroy();
        for (const error of [direct, byAgent, byChannel]) {
          expect(error).toBeInstanceOf(Error);
          const told = [JSON.stringify(toErrorRecord(error)), inspect(error, { depth: 9, showHidden: true })].join();
          expect(told).not.toMatch(/HIDDEN(USER|WORD)/);
          expect(told).not.toContain(Buffer.from("HIDDENUSER:HIDDENWORD").toString("base64"));
        }
        // So another channel is asked, also for a picture or a video.
        expect(UNSENT_CAUSES.has(causeOf(byChannel)), `${byChannel}`).toBe(true);
      } finally {
        close();
      }
    },
  );
});

describe("through the gateway", () => {
  const relay = setUpRelay();

  test("a channel without a proxy of its own is asked through the environment's", async () => {
    await relay.addChannel({ baseUrl: "http://upstream.test", models: "proxied" });
    await relay.setPrices("proxied");
    await relay.inForce();
    const { token } = await relay.addCaller();
    const answer = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "proxied", messages: [{ role: "user", content: "hi" }] }),
    });
    await answer.text();
    expect(seen).toContain("upstream.test:80");
  });
});

/** Files that open connections by themselves, and why no proxy of the environment may be between. */
const DIRECT: Record<string, string> = {
  "lib/egress/": "is how the others connect",
  "lib/relay/net/": "gets its connectors from lib/egress",
  "lib/mail/transport.ts": "mail goes by SMTP",
  "lib/log-store/": "is a database",
  "tools/import/sources/": "is a database",
  "lib/playground/relay-host.ts": "asks the gateway of this machine",
  "server/console-proxy.ts": "asks the console of this machine",
  "server/doctor/machine.ts": "asks Weir on this machine",
  "server/gateway-server.ts": "asks the console of this machine",
  "server/drain.ts": "closes what listens",
  "server/ports.ts": "listens",
  "server/socket-folder.ts": "listens",
  "server/directory-socket.ts": "is a socket of this machine",
};

test("no other code opens a connection that a proxy would not see", () => {
  const files = ["lib", "server", "app", "tools/import"].flatMap((name) =>
    readdirSync(name, { recursive: true, encoding: "utf8" }).map((file) => join(name, file)),
  );
  const opens =
    /\bnew (Client|Pool|Agent|ProxyAgent|WebSocket)\(|(?<![.\w])https?Request\(|(=|await|return) fetch\((?!\))|from "(node:net|node:tls|node:https|undici)"/;
  const wrong = files.filter((file) => {
    if (!/\.tsx?$/.test(file) || /\.test\.tsx?$|^lib\/testing\//.test(file)) return false;
    if (Object.keys(DIRECT).some((known) => file.startsWith(known))) return false;
    const text = readFileSync(file, "utf8")
      .replaceAll(/^import type .*$/gm, "")
      .replaceAll(/import \{ (isIP|isIPv4|isIPv6) \} from "node:net";/g, "");
    // With a dispatcher of open-connections.ts, undici's `request` is what the relay itself uses.
    return opens.test(text) && !(/openConnections/.test(text) && /dispatcher/.test(text));
  });
  expect(wrong).toEqual([]);
});
