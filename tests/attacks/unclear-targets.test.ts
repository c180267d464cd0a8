// A request names another host in its target or in a second Host header, so that a redirect to that host, or a page for it,
// ends up in a cache; and a browser is to guess what an answer is, or to ask without TLS where there is TLS. The gateway
// takes only what is clear, and says of every answer of the console what a browser may make of it.
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import nextConfig from "@/next.config";
import { type Relay, startRelay } from "../relay/harness";

let page: Server;
let relay: Relay;
let asked: { url: string; host: string }[] = [];

/** Redirects as Next.js does: it takes a target with a host for a path with repeated slashes. */
const answer: RequestListener = ({ url = "", headers }, response) => {
  asked.push({ url, host: headers.host ?? "" });
  if (url.replace(/\?.*/, "").includes("//")) response.writeHead(308, { location: url.replace(/\/\/+/g, "/") }).end();
  else if (url === "/api/status") response.writeHead(200, { "content-type": "application/json" }).end("{}");
  else response.end("page");
};

beforeAll(async () => {
  page = createServer(answer);
  await new Promise<void>((done) => page.listen(0, "127.0.0.1", () => done()));
  const { port: consolePort } = page.address() as AddressInfo;
  relay = await startRelay({ channels: [{}], gateway: { consolePort, trustProxy: "127.0.0.9" } });
});
afterAll(async () => {
  await relay.close();
  page.closeAllConnections();
  page.close();
});

/** Clients of Node write no such requests, so they are written by hand. */
function send(
  target: string,
  { hosts = ["weir.example"], lines = [] as string[], from = "127.0.0.1" } = {},
): Promise<string> {
  asked = [];
  return new Promise((done, fail) => {
    let text = "";
    const socket = connect({ port: Number(new URL(relay.url).port), host: "127.0.0.1", localAddress: from }, () =>
      socket.write(
        `GET ${target} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join("")}${lines.map((line) => `${line}\r\n`).join("")}Connection: close\r\n\r\n`,
      ),
    );
    socket.on("data", (part) => {
      text += part;
    });
    socket.once("end", () => done(text)).on("error", fail);
  });
}

const paths = ["/", "/login", "/api/status", "/pg/chat/completions", "/v1/models", "/_next/static/x.js"];

describe("a target with a host of its own", () => {
  test.each([
    "http://evil.example",
    "https://evil.example",
    "HTTP://evil.example:80",
    "http://weir.example@evil.example",
    "http:/evil.example",
    "evil.example:80",
    "ftp://weir.example",
    "http://",
  ])("%s is refused on every path, with no redirect and nothing to cache", async (origin) => {
    for (const path of paths) {
      const text = await send(origin + path);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(text.toLowerCase()).not.toContain("\r\nlocation:");
      expect(text).not.toMatch(/cache-control: (?!no-store)/i);
    }
    expect(asked).toEqual([]);
  });

  test("is taken as its path where it is the host that is asked", async () => {
    expect(await send("http://weir.example/login?next=/token")).toContain("page");
    expect(asked).toEqual([{ url: "/login?next=/token", host: "weir.example" }]);
    expect(await send("http://WEIR.example/v1/models")).toContain("no API key was given");
  });

  test("in a path is redirected to a path of this host, and not for good", async () => {
    const text = await send("//evil.example//login");
    expect(text).toMatch(/\r\nlocation: \/evil\.example\/login\r\n/);
    expect(text).toMatch(/\r\ncache-control: no-store\r\n/);
  });
});

test.each([[["weir.example", "evil.example"]], [["weir.example", "weir.example"]], [[]]])(
  "Host headers %j are refused on every path",
  async (hosts) => {
    for (const path of paths) expect(await send(path, { hosts })).toMatch(/^HTTP\/1\.1 400 /);
    expect(asked).toEqual([]);
  },
);

test("no browser guesses what an answer of the console is", async () => {
  for (const path of ["/", "/api/status"]) expect(await send(path)).toMatch(/\r\nx-content-type-options: nosniff\r\n/);
});

test("nobody has the console fetch and shrink pictures", () => {
  expect(nextConfig.images).toEqual({ unoptimized: true });
});

describe("Strict-Transport-Security", () => {
  const tls = ["X-Forwarded-Proto: https"];
  const HSTS = /\r\nstrict-transport-security: max-age=31536000\r\n/;

  test("is sent where a trusted proxy says that the browser asked with TLS, and only there", async () => {
    for (const path of ["/", "/api/status"]) {
      expect(await send(path, { lines: tls, from: "127.0.0.9" })).toMatch(HSTS);
      expect(await send(path, { from: "127.0.0.9" })).not.toMatch(HSTS);
      expect(await send(path, { lines: tls })).not.toMatch(HSTS);
    }
  });

  test("is sent where the site's own address has https", async () => {
    await relay.setOption("ServerAddress", "https://weir.example");
    await relay.inForce();
    expect(await send("/")).toMatch(HSTS);
    await relay.reset();
  });
});
