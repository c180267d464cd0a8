// Who calls, behind proxies of every kind: the address decides over limits, allowed addresses of keys and the log, so no caller may
// choose its own, and none may get the proxy's because of how a proxy writes.

import { createServer, type IncomingMessage, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, vi } from "vitest";
import { createClientAddress } from "@/lib/relay/http/client-address";
import { forwardedHeaders, protocolOf } from "@/server/forwarded-headers";

const PROXY = "10.0.0.1";
type Headers = Record<string, string>;

function call(headers: Headers, remoteAddress = PROXY): IncomingMessage {
  return {
    socket: { remoteAddress },
    headers,
    rawHeaders: Object.entries(headers).flat(),
  } as unknown as IncomingMessage;
}

const read = createClientAddress("10.0.0.0/8, fd00::/8");

test.each([
  ["1.2.3.4", "1.2.3.4"],
  ["1.2.3.4:5678", "1.2.3.4"],
  ["[2001:db8::7]:123", "2001:db8::7"],
  ["[2001:db8::7]", "2001:db8::7"],
  ["2001:db8::7", "2001:db8::7"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["[::ffff:102:304]:99", "1.2.3.4"],
  ["1.2.3.4:5678, 10.0.0.9:443", "1.2.3.4"],
  ["1.2.3.4,[fd00::9]:443", "1.2.3.4"],
  ["9.9.9.9, 1.2.3.4", "1.2.3.4"],
  ["127.0.0.1, 1.2.3.4", "1.2.3.4"],
  ["10.0.0.66, 1.2.3.4, 10.0.0.9", "1.2.3.4"],
  ["1.2.3.4, unknown", PROXY],
  ["1.2.3.4, ", PROXY],
  ["1.2.3.4 5.6.7.8", PROXY],
  ["1.2.3.4:x y", PROXY],
  ["0x7f.1", PROXY],
  ["10.0.0.5, 10.0.0.9", PROXY],
])("X-Forwarded-For: %s from a proxy is the caller %s", (header, expected) => {
  expect(read(call({ "x-forwarded-for": header }))).toBe(expected);
});

test.each([
  ["for=1.2.3.4", "1.2.3.4"],
  ["For=1.2.3.4;proto=https;by=10.0.0.1", "1.2.3.4"],
  ['for="1.2.3.4:5678"', "1.2.3.4"],
  ['for="[2001:db8::7]:4711"', "2001:db8::7"],
  ['for="[2001:db8::7]"', "2001:db8::7"],
  ['for=9.9.9.9, for=1.2.3.4;proto="https" , for=10.0.0.9', "1.2.3.4"],
  ['for="9.9.9.9, for=8.8.8.8", for=1.2.3.4', "1.2.3.4"],
  ['for=1.2.3.4;host="a\\"b, for=9.9.9.9"', "1.2.3.4"],
  ["for=1.2.3.4, for=_hidden", PROXY],
  ["for=1.2.3.4, for=unknown", PROXY],
  ['for=1.2.3.4, for="_gazonk:1"', PROXY],
  ["proto=https", PROXY],
  ["for=1.2.3.4, for=", PROXY],
  ['for="1.2.3.4', PROXY],
  ["for=2001:db8::7 , for=1.2.3.4 x", PROXY],
])("Forwarded: %s from a proxy is the caller %s", (header, expected) => {
  expect(read(call({ forwarded: header }))).toBe(expected);
});

test("a proxy that writes X-Forwarded-For hands a caller's Forwarded on, so only the former counts", () => {
  const request = call({
    "x-forwarded-for": "1.2.3.4",
    forwarded: "for=127.0.0.1;proto=https;host=evil.example",
    host: "weir.example",
  });
  expect(read(request)).toBe("1.2.3.4");
  expect(protocolOf(request, read)).toBe("http");
  const sent = forwardedHeaders(request, read);
  expect(sent[sent.indexOf("x-forwarded-host") + 1]).toBe("weir.example");
  expect(sent).not.toContain("forwarded");
});

test.each([
  [{ "x-forwarded-proto": "https" }, "https"],
  [{ "x-forwarded-proto": "HTTPS" }, "https"],
  [{ "x-forwarded-proto": "https, http" }, "https"],
  [{ "x-forwarded-proto": "http, https" }, "http"],
  [{ forwarded: "for=1.2.3.4;proto=https;host=weir.example" }, "https"],
  [{ forwarded: "for=9.9.9.9;proto=https, for=1.2.3.4;proto=http" }, "http"],
  [{}, "http"],
] as [Headers, string][])("the protocol of %j is %s", (headers, expected) => {
  expect(protocolOf(call(headers), read)).toBe(expected);
  expect(protocolOf(call(headers, "5.5.5.5"), read)).toBe("http");
});

test.each([
  { "x-forwarded-for": "127.0.0.1" },
  { forwarded: "for=127.0.0.1;proto=https" },
  { "x-real-ip": "127.0.0.1" },
] as Headers[])("%j from somebody who is no proxy is not believed", (headers) => {
  expect(read(call(headers, "5.5.5.5"))).toBe("5.5.5.5");
  expect(createClientAddress("")(call(headers))).toBe(PROXY);
});

test("headers that are sent twice are one list, whose end is the proxy's", async () => {
  const trusted = createClientAddress("loopback");
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(trusted(request));
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  for (const headers of [
    { "X-Forwarded-For": ["9.9.9.9", "1.2.3.4"] },
    { Forwarded: ["for=9.9.9.9", "for=1.2.3.4"] },
  ]) {
    await new Promise<void>((done, fail) => {
      send({ port, host: "127.0.0.1", headers }, (answer) => answer.resume().once("end", done))
        .once("error", fail)
        .end();
    });
  }
  server.close();
  expect(seen).toEqual(["1.2.3.4", "1.2.3.4"]);
});

test.each([
  ["loopback", ["127.0.0.1", "::1", "::ffff:127.0.0.1"], ["10.0.0.1", "128.0.0.1"]],
  ["linklocal", ["169.254.1.1", "fe80::1"], ["10.0.0.1"]],
  ["private", ["10.1.1.1", "172.31.0.1", "192.168.3.4", "fd12::1"], ["127.0.0.1", "172.32.0.1", "8.8.8.8"]],
  ["uniquelocal", ["10.1.1.1", "fc00::1"], ["169.254.1.1"]],
  ["10.0.0.0/8 192.168.1.1", ["10.3.4.5", "192.168.1.1"], ["192.168.1.2"]],
  ["::ffff:10.0.0.0/104", ["10.3.4.5"], ["11.0.0.1"]],
  ["[2001:db9::1]", ["2001:db9::1"], ["2001:db7::1"]],
  ["LOOPBACK,Private,", ["127.0.0.1", "10.1.1.1"], ["8.8.8.8"]],
  ...["", "false", "0", "no", "off", "none", " False "].map((text): [string, string[], string[]] => [
    text,
    [],
    ["127.0.0.1", "10.0.0.1", "8.8.8.8"],
  ]),
  ["0.0.0.0/0,::/0", ["8.8.8.8", "2001:db8::1"], []],
])("TRUST_PROXY=%s trusts %j and not %j", (text, trusted, others) => {
  const { isTrustedPeer } = createClientAddress(text);
  for (const address of trusted) expect(isTrustedPeer(call({}, address)), address).toBe(true);
  for (const address of others) expect(isTrustedPeer(call({}, address)), address).toBe(false);
});

test.each([
  "10.0.0",
  "10.0.0.256",
  "10.0.0.0/33",
  "10.0.0.1/",
  "fd00::/129",
  "http://nginx",
  "nginx:80",
  "*",
  "true",
  "1",
  "all",
  "0x7f.1",
  "a..b",
  "-nginx",
  "10.0.0.1;10.0.0.2",
  "private/8",
  "[2001:db8::]/32",
])("TRUST_PROXY=%s is refused with the entry and what it may be", (text) => {
  expect(() => createClientAddress(`10.0.0.1,${text}`)).toThrow(/^has the entry ".*It takes addresses/);
});

test("names are resolved, and again while Weir runs; one that cannot be resolved for a moment keeps what it was", async () => {
  vi.useFakeTimers();
  try {
    let answers: (string[] | Error)[] = [["10.0.0.1"], ["10.0.0.2"], new Error("away")];
    const unknown: string[] = [];
    const resolve = async (name: string): Promise<string[]> => {
      const answer = name === "nobody" ? new Error("unknown") : (answers.shift() ?? []);
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const named = createClientAddress("nginx,nobody.", {
      resolve,
      everyMs: 1_000,
      onUnknown: (name) => void unknown.push(name),
    });
    const header = { "x-forwarded-for": "1.2.3.4" };
    await named.ready;
    expect([named(call(header, "10.0.0.1")), named(call(header, "10.0.0.2"))]).toEqual(["1.2.3.4", "10.0.0.2"]);
    expect(unknown).toEqual(["nobody"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([named(call(header, "10.0.0.1")), named(call(header, "10.0.0.2"))]).toEqual(["10.0.0.1", "1.2.3.4"]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(named(call(header, "10.0.0.2"))).toBe("1.2.3.4");
    answers = [["10.0.0.3"]];
    named.stop();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(named(call(header, "10.0.0.2"))).toBe("1.2.3.4");
  } finally {
    vi.useRealTimers();
  }
});
