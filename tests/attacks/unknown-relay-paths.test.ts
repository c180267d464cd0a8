// A client asks the gateway for an AI API that does not exist here, or guesses paths with and without a key. It gets a
// JSON error in the shape that its API has, never a page of the console, and nothing is asked of an upstream or charged.
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRelayPath } from "@/lib/relay/side/endpoints";
import { startRelayBeforePages } from "../relay/harness";

type Started = Awaited<ReturnType<typeof startRelayBeforePages>>;
let relay: Started["relay"];
let key: string;
let close: Started["close"];

beforeAll(async () => {
  ({ relay, key, close } = await startRelayBeforePages(404));
});
afterAll(() => close());

const invalid = { message: expect.stringContaining("Invalid URL"), type: "invalid_request_error" };
const openai = { error: expect.objectContaining(invalid) };
const anthropic = {
  type: "error",
  error: { type: "not_found_error", message: expect.stringContaining("Invalid URL") },
};
const google = { error: { code: 404, status: "NOT_FOUND", message: expect.stringContaining("Invalid URL") } };
const midjourney = { description: expect.stringContaining("Invalid URL"), code: 4 };
const task = { code: "invalid_request", message: expect.stringContaining("Invalid URL"), data: null };

test.each([
  ["GET", "/v1", openai],
  ["POST", "/v1/no/such/thing", openai],
  ["PATCH", "/v1/chat/completions", openai],
  ["GET", "/dashboard/billing/else", openai],
  ["POST", "/kling/v1/videos", openai],
  ["POST", "/v1/messages/batches?beta=true", anthropic],
  ["GET", "/v1beta/cachedContents", google],
  ["POST", "/v1beta/models/gemini-2.5-pro:generateAnswer?key=wrong", google],
  ["GET", "/v1beta/openai/nothing", openai],
  ["POST", "/mj/submit/else", midjourney],
  ["POST", "/mj/notify", midjourney],
  ["POST", "/fast/mj/submit/imagine", midjourney],
  ["POST", "/suno/submit/else", task],
])("%s %s", async (method, path, shape) => {
  for (const authorization of [{}, { authorization: `Bearer ${key}` }]) {
    const body = method === "GET" ? {} : { body: "{}" };
    const response = await fetch(relay.url + path, { method, headers: { ...authorization }, ...body });
    expect(response.headers.get("content-type")).toContain("application/json");
    expect([response.status, await response.json()]).toEqual([404, expect.objectContaining(shape)]);
  }
  expect(relay.upstream.requests).toEqual([]);
});

test.each([
  ["POST", "/v1/messages/batches", "/v1/batches"],
  ["GET", "/v1/messages/batches/msgbatch_1/results", "/v1/batches"],
  ["POST", "/v1beta/interactions", "generateContent"],
])("%s %s is told what is served in its place", async (method, path, advice) => {
  const response = await fetch(relay.url + path, { method, headers: { authorization: `Bearer ${key}` } });
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining(advice)]);
});

test("the console's own paths stay the console's", () => {
  for (const path of [
    "/api/mj/",
    "/api/mj/self",
    "/midjourney",
    "/task",
    "/v10",
    "/mjx",
    "/sunos",
    "/",
    "/pg/chat/completions",
  ]) {
    expect([path, isRelayPath(path)]).toEqual([path, false]);
  }
});
