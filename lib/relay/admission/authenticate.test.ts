import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { findEndpoint } from "../side/endpoints";
import { readKey } from "./authenticate";

const key = "a".repeat(48);
const read = (url: string, headers: IncomingHttpHeaders) =>
  readKey(
    { url, headers },
    findEndpoint({ method: url.startsWith("/v1/models") ? "GET" : "POST", url, headers }).clientDialect,
  );
const found = { key, pinnedChannel: null };

test.each<[string, string, IncomingHttpHeaders]>([
  ["Bearer", "/v1/chat/completions", { authorization: `Bearer sk-${key}` }],
  ["a bare key", "/v1/chat/completions", { authorization: key }],
  ["x-api-key on messages", "/v1/messages", { "x-api-key": `sk-${key}`, authorization: "Bearer sk-other" }],
  ["x-goog-api-key", "/v1beta/models/gemini:generateContent", { "x-goog-api-key": `sk-${key}` }],
  ["x-api-key on the list of models", "/v1/models", { "x-api-key": `sk-${key}`, authorization: "Bearer sk-other" }],
  ["Bearer beside Anthropic's version", "/v1/models", { "anthropic-version": "2023-06-01", authorization: key }],
  ["Bearer on Google's paths", "/v1beta/models", { authorization: `Bearer ${key}` }],
  ["Bearer below /v1beta/openai", "/v1beta/openai/models", { authorization: `Bearer sk-${key}` }],
  ["Bearer before ?key=", "/v1beta/models?key=sk-other", { authorization: `Bearer sk-${key}` }],
  ["x-goog-api-key before Bearer", "/v1beta/models", { "x-goog-api-key": key, authorization: "Bearer sk-other" }],
  ["x-goog-api-key before ?key=", "/v1beta/models?key=other", { "x-goog-api-key": key }],
  ["Bearer before x-goog-api-key, as OpenAI", "/v1/models", { "x-goog-api-key": "other", authorization: key }],
  ["?key= on the list of models", `/v1/models?key=${key}`, {}],
  ["?key= on one model", `/v1/models/m?a=b&key=sk-${key}`, {}],
  [
    "a WebSocket's protocol before Authorization",
    "/v1/realtime",
    { "sec-websocket-protocol": `openai-insecure-api-key.${key}`, authorization: "Bearer sk-other" },
  ],
  ["Authorization before mj-api-secret", "/mj/submit/imagine", { authorization: key, "mj-api-secret": "other" }],
  ["x-goog-api-key on the list of models", "/v1/models", { "x-goog-api-key": `sk-${key}` }],
  ["?key=", `/v1beta/models/gemini:generateContent?alt=sse&key=sk-${key}`, {}],
  ["mj-api-secret", "/mj/submit/imagine", { "mj-api-secret": `sk-${key}` }],
  [
    "mj-api-secret beside the proxy's own word",
    "/mj/submit/imagine",
    { "mj-api-secret": key, authorization: "Bearer midjourney-proxy" },
  ],
  [
    "a WebSocket's protocol",
    "/v1/realtime?model=m",
    { "sec-websocket-protocol": `realtime, openai-insecure-api-key.sk-${key}, openai-beta.realtime-v1` },
  ],
])("a key is read from %s", (_name, url, headers) => {
  expect(read(url, headers)).toMatchObject(found);
});

test("a key in the query or in x-api-key counts only where its clients put it", () => {
  expect(read(`/v1/chat/completions?key=sk-${key}`, {}).key).toBe("");
  expect(read("/v1/chat/completions", { "x-api-key": `sk-${key}` }).key).toBe("");
  expect(read("/v1/modelsx", { "x-goog-api-key": key }).key).toBe("");
});

test("the channel that an administrator asks for is behind the key, wherever it is written (B211)", () => {
  expect(read("/v1/chat/completions", { authorization: `Bearer sk-${key}-12` })).toMatchObject({
    key,
    pinnedChannel: "12",
  });
  expect(read(`/v1beta/models?key=${key}-7`, {})).toMatchObject({ key, pinnedChannel: "7" });
  expect(read("/v1/messages", { "x-api-key": `sk-${key}-x` })).toMatchObject({ key, pinnedChannel: "x" });
  expect(read("/v1/messages", { "x-api-key": `sk-${key}-x` }).whole).toBe(`sk-${key}-x`);
});
