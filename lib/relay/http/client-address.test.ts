import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { isListed } from "@/lib/request/address-list";
import { createClientAddress } from "./client-address";

function request(remoteAddress: string, forwarded?: string): IncomingMessage {
  return { socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } as unknown as IncomingMessage;
}

test.each([
  ["10.1.2.3", ["10.0.0.0/8"], true],
  ["10.1.2.3", ["10.1.2.3"], true],
  ["::ffff:10.1.2.3", ["10.1.2.3"], true],
  ["11.1.2.3", ["10.0.0.0/8"], false],
  ["2001:db8::1", ["2001:db8::/32"], true],
  ["2001:db8::1", ["10.0.0.0/8", "nonsense", "10.0.0.0/99"], false],
  ["", ["10.0.0.0/8"], false],
])("allow list: %s in %j is %s (B312)", (address, list, expected) => {
  expect(isListed(address, list)).toBe(expected);
});

test("a client's own X-Forwarded-For is not believed", () => {
  expect(createClientAddress("")(request("5.5.5.5", "1.1.1.1"))).toBe("5.5.5.5");
  expect(createClientAddress("10.0.0.0/8")(request("5.5.5.5", "1.1.1.1"))).toBe("5.5.5.5");
});

test("behind trusted proxies it is the last address that is none of them", () => {
  const read = createClientAddress("10.0.0.0/8, 127.0.0.1");
  expect(read(request("::ffff:10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2"))).toBe("1.1.1.1");
  expect(read(request("127.0.0.1", "not an address"))).toBe("127.0.0.1");
});
