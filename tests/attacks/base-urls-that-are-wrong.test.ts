// The base URL of a client lacks its /v1, has it twice, ends with a slash or has a folder in front. The call is served, or
// gets a JSON error that names the right address. It never gets a page with status 200, upon which clients wait or loop.
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "@/lib/relay/operations";
import { findEndpoint, isForRelay, isRelayPath } from "@/lib/relay/side/endpoints";
import { startRelayBeforePages } from "../relay/harness";

type Started = Awaited<ReturnType<typeof startRelayBeforePages>>;
let relay: Started["relay"];
let key: string;
let close: Started["close"];

beforeAll(async () => {
  ({ relay, key, close } = await startRelayBeforePages(200));
});
afterAll(() => close());

const json = (extra: Record<string, string> = {}) => ({
  "content-type": "application/json",
  authorization: `Bearer ${key}`,
  ...extra,
});
const hi = { model: "fake-gpt", messages: [{ role: "user", content: "hi" }] };
const send = (path: string, body: object = hi, method = "POST") =>
  fetch(relay.url + path, { method, headers: json(), ...(method === "GET" ? {} : { body: JSON.stringify(body) }) });

/** Every path that operations are served at. */
const fixed = operations.flatMap(({ endpoints }) => endpoints.filter(({ path }) => typeof path === "string"));
const atVersion = fixed
  .map(({ method, path }) => ({ method, path: String(path) }))
  .filter(({ path }) => /^\/v1\//.test(path));

describe("a base URL that is not quite right leads every operation where it was meant to", () => {
  const variants: [name: string, change: (path: string) => string][] = [
    ["without /v1", (path) => path.slice(3)],
    ["with /v1 twice", (path) => `/v1${path}`],
    ["with /v1 three times", (path) => `/v1/v1${path}`],
    ["with two slashes", (path) => `/${path}`],
    ["with two slashes after /v1", (path) => path.replace("/v1/", "/v1//")],
    ["with a slash at the end", (path) => `${path}/`],
    ["with /openai in front", (path) => `/openai${path}`],
    ["with /openai and without /v1", (path) => `/openai${path.slice(3)}`],
    ["with /v1/openai", (path) => path.replace("/v1/", "/v1/openai/")],
    ["with /anthropic in front", (path) => `/anthropic${path}`],
  ];
  test.each(variants)("%s", (_name, change) => {
    expect(atVersion.length).toBeGreaterThan(10);
    for (const { method, path } of atVersion) {
      const right = findEndpoint({ method, url: path });
      const url = `${change(path)}?beta=true`;
      const headers = { "content-type": "application/json", authorization: "Bearer sk-1" };
      expect(isForRelay({ method, url, headers }), `${method} ${url}`).toBe(true);
      expect(findEndpoint({ method, url }), `${method} ${url}`).toEqual({ ...right, query: "?beta=true" });
    }
  });

  const forms = ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded"];
  test.each(forms)("also where the body is, or is said to be, %s", (type) => {
    for (const { method, path } of atVersion) {
      for (const key of ["Bearer sk-1", "Bearer imported-key"]) {
        const request = { method, url: path.slice(3), headers: { "content-type": type, authorization: key } };
        expect(isForRelay(request), `${method} ${request.url}`).toBe(true);
      }
    }
  });

  test.each([
    ["a key of another gateway's form", { authorization: "Bearer imported-key" }],
    ["a key without a scheme", { authorization: "abc" }],
    ["the key of a drawing client", { "mj-api-secret": "abc" }],
    ["what Java accepts", { authorization: "Bearer sk-1", accept: "text/html, image/gif, image/jpeg, *; q=.2" }],
  ])("a list that is read with %s", (_name, headers) => {
    for (const url of ["/models", "/models/gpt-4o", "/files/file-1/content", "/batches"])
      expect(isForRelay({ method: "GET", url, headers }), url).toBe(true);
    expect(isForRelay({ method: "GET", url: "/models?key=abc", headers: {} })).toBe(true);
  });

  test("Google's paths too", () => {
    const right = findEndpoint({ method: "POST", url: "/v1beta/models/gemini-2.5-pro:generateContent" });
    expect(right.kind).toBe("operation");
    for (const path of [
      "/models/",
      "/v1beta/v1beta/models/",
      "/v1/v1beta/models/",
      "//v1beta/models/",
      "/gemini/v1beta/models/",
    ])
      expect(findEndpoint({ method: "POST", url: `${path}gemini-2.5-pro:generateContent` }), path).toEqual(right);
    const openai = findEndpoint({ method: "POST", url: "/v1/chat/completions" });
    expect(findEndpoint({ method: "POST", url: "/v1beta/openai/chat/completions" })).toEqual(openai);
    expect(findEndpoint({ method: "POST", url: "/v1beta/openai/v1/chat/completions" })).toEqual(openai);
  });
});

describe("over the network", () => {
  test.each(["", "/v1/v1", "//v1", "/openai/v1", "/openai", "/v1/"])(
    "OpenAI's client at %j, whole and streamed",
    async (base) => {
      const client = new OpenAI({ apiKey: key, baseURL: relay.url + base, maxRetries: 0 });
      const whole = await client.chat.completions.create({
        model: "fake-gpt",
        messages: [{ role: "user", content: "hi" }],
      });
      expect(whole.choices[0]?.message.content).toBeTruthy();
      let text = "";
      const stream = await client.chat.completions.create({
        model: "fake-gpt",
        messages: [{ role: "user", content: "hi" }],
        stream: true,
      });
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
      expect(text).toBe(whole.choices[0]?.message.content);
      expect((await client.models.list()).data.map(({ id }) => id)).toContain("fake-gpt");
    },
  );

  test.each([
    ["POST", "/gateway/v1/chat/completions", 404, "POST /v1/chat/completions"],
    ["POST", "/openai/deployments/gpt-4o/chat/completions?api-version=1", 404, "POST /v1/chat/completions"],
    ["POST", "/api/paas/v4/chat/completions", 404, ""],
    ["POST", "/api/v1/chat/completions", 404, "POST /v1/chat/completions"],
    ["POST", "/api/v1/messages", 404, "POST /v1/messages"],
    ["GET", "/api/v1/models", 404, "GET /v1/models"],
    ["POST", "/v1/chat/completions/chat/completions", 404, "POST /v1/chat/completions"],
    ["POST", "/v1/chat/completions/v1/messages", 404, "POST /v1/messages"],
    ["GET", "/gateway/v1/models", 404, "GET /v1/models"],
    ["GET", "/nothing", 404, ""],
    ["POST", "/", 405, "/v1/chat/completions"],
    ["POST", "/login", 405, "/v1/chat/completions"],
    ["POST", "/chat/3", 405, "/v1/chat/completions"],
    ["PUT", "/pricing", 405, "/v1/chat/completions"],
    ["DELETE", "/token", 405, "/v1/chat/completions"],
    ["POST", "/v1/responses/compact", 501, "the whole conversation"],
    ["POST", "/v1/responses/input_tokens", 501, ""],
    ["POST", "/responses/compact", 501, "the whole conversation"],
  ])("%s %s is a JSON error with %i that says %j", async (method, path, status, advice) => {
    const asked = relay.upstream.requests.length;
    const response = await send(path, hi, method);
    // What begins with /api is the console's, which has JSON errors of its own.
    if (path.startsWith("/api/paas")) return expect(isForRelay({ method, url: path, headers: {} })).toBe(false);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      status,
      expect.stringContaining("application/json"),
    ]);
    expect(await response.text()).toContain(advice);
    if (status === 405) expect(response.headers.get("allow")).toBe("GET, HEAD");
    expect(relay.upstream.requests.length).toBe(asked);
  });
});

describe("what browsers send stays the console's", () => {
  const browser = { accept: "text/html,application/xhtml+xml", "sec-fetch-mode": "navigate" };
  test.each([
    ["a page", { method: "GET", url: "/chat/completions", headers: browser }],
    [
      "a page behind a proxy that adds a token",
      { method: "GET", url: "/log", headers: { ...browser, authorization: "Bearer eyJ" } },
    ],
    ["data of a page", { method: "GET", url: "/log?_rsc=1", headers: { accept: "*/*", rsc: "1" } }],
    [
      "a server action",
      { method: "POST", url: "/token", headers: { "next-action": "4f", "content-type": "text/plain" } },
    ],
    [
      "a form before scripts run",
      { method: "POST", url: "/login", headers: { "content-type": "application/x-www-form-urlencoded" } },
    ],
    [
      "a form with files",
      { method: "POST", url: "/login", headers: { "content-type": "multipart/form-data; boundary=x" } },
    ],
    ["a call of the console", { method: "POST", url: "/api/token/", headers: { "content-type": "application/json" } }],
    [
      "the playground",
      { method: "POST", url: "/pg/chat/completions", headers: { "content-type": "application/json" } },
    ],
    ["a search by key in the list of keys", { method: "GET", url: "/token?key=sk-12&_rsc=1", headers: { rsc: "1" } }],
    ["the same without Next's header", { method: "GET", url: "/token?key=sk-12", headers: { accept: "*/*" } }],
    [
      "the same through a proxy that adds a key",
      { method: "GET", url: "/token", headers: { rsc: "1", "x-api-key": "1" } },
    ],
    ["a monitor with a key", { method: "GET", url: "/readyz", headers: { authorization: "Bearer sk-1" } }],
    ["a page of a proxy with tokens", { method: "GET", url: "/token", headers: { authorization: "Bearer eyJ" } }],
    [
      "a form before scripts run, through a proxy that adds a key",
      {
        method: "POST",
        url: "/login",
        headers: { ...browser, "content-type": "multipart/form-data", "x-api-key": "1" },
      },
    ],
    ["a picture", { method: "GET", url: "/models", headers: { accept: "image/png" } }],
  ])("%s", (_name, request) => {
    expect([isRelayPath(request.url), isForRelay(request)]).toEqual([false, false]);
  });

  test("a path of a thousand segments costs nothing", () => {
    const url = `/${"v1/".repeat(20_000)}chat/completions`;
    const from = performance.now();
    expect(findEndpoint({ method: "POST", url }).kind).toBe("page");
    expect(performance.now() - from).toBeLessThan(200);
  });
});
