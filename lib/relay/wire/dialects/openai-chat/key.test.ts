import { expect, test } from "vitest";
import { readKey } from "./key";

const key = `sk-${"a".repeat(48)}`;

test.each<[string, Record<string, string>]>([
  ["Bearer", { authorization: `Bearer ${key}` }],
  ["bearer in small letters", { authorization: `bearer  ${key}` }],
  ["a bare key", { authorization: key }],
  ["mj-api-secret", { "mj-api-secret": key }],
  ["mj-api-secret beside the proxy's own word", { "mj-api-secret": key, authorization: "Bearer midjourney-proxy" }],
  [
    "a WebSocket's protocol",
    { "sec-websocket-protocol": `realtime, openai-insecure-api-key.${key}, openai-beta.realtime-v1` },
  ],
])("a key is read from %s", (_name, headers) => {
  expect(readKey({ headers, url: "/v1/chat/completions" })).toBe(key);
});

test("a key in the query, in x-api-key or in x-goog-api-key is another dialect's", () => {
  const headers = { "x-api-key": key, "x-goog-api-key": key };
  expect(readKey({ headers, url: `/v1/chat/completions?key=${key}` })).toBe("");
});
