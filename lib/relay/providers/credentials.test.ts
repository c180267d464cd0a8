import { expect, test } from "vitest";
import { addressWith, bodyWith, secretPairs } from "./credentials";

const address = { origin: "https://host", path: "/a%2Fb?x=1" };

test("without a query or a URL the address stays as it is", () => {
  expect(addressWith(address, { headers: [] })).toEqual(address);
});

test.each([
  ["/a", "/a?access_token=24.a%2Bb%26c"],
  ["/a%2Fb?x=1", "/a%2Fb?x=1&access_token=24.a%2Bb%26c"],
])("a query is added to %s, encoded", (path, expected) => {
  const added = addressWith({ origin: "https://host", path }, { headers: [], query: ["access_token", "24.a+b&c"] });
  expect(added).toEqual({ origin: "https://host", path: expected });
});

test("a signed URL takes the place of the address", () => {
  const url = "wss://host:8443/v1/chat?authorization=abc";
  expect(addressWith(address, { headers: [], url })).toEqual({
    origin: "wss://host:8443",
    path: "/v1/chat?authorization=abc",
  });
});

test.each([
  ['{"a":1}', { header: { app_id: "x" } }, { header: { app_id: "x" }, a: 1 }],
  [" {\n }", { header: 1 }, { header: 1 }],
  ['{"a":1}', {}, { a: 1 }],
])("fields are added to the body %s", (body, fields, expected) => {
  expect(JSON.parse(bodyWith(Buffer.from(body), { headers: [], fields }).toString())).toEqual(expected);
});

test("a body without fields is the same buffer", () => {
  const body = Buffer.from("{}");
  expect(bodyWith(body, { headers: [] })).toBe(body);
});

test("all that is sent of a key is known as a secret", () => {
  expect(
    secretPairs({ headers: ["h", "1"], query: ["q", "2"], url: "wss://host/?authorization=a%20b&date=now" }),
  ).toEqual(["h", "1", "q", "2", "authorization", "a b", "date", "now"]);
});
