import { expect, test } from "vitest";
import { acceptedEncoding, withVary } from "./accepted-encoding";

test.each([
  [undefined, null],
  ["", null],
  ["identity", null],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP;q=1.0, br;q=0.5", "gzip"],
  ["br;q=0, gzip", "gzip"],
  ["br;q=nonsense", null],
  ["*", "br"],
  ["*;q=0.5, br;q=0", "gzip"],
] as const)("Accept-Encoding %j allows %j", (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding);
});

test("only what is offered is chosen", () => {
  expect(acceptedEncoding("br, gzip", ["gzip"])).toBe("gzip");
  expect(acceptedEncoding("br", ["gzip"])).toBeNull();
});

test("Vary keeps what stands in it and names Accept-Encoding once", () => {
  expect(withVary(undefined)).toBe("Accept-Encoding");
  expect(withVary("rsc, next-url")).toBe("rsc, next-url, Accept-Encoding");
  expect(withVary("accept-encoding")).toBe("accept-encoding");
  expect(withVary("*")).toBe("*");
});
