import { expect, test } from "vitest";
import { setUpRelay } from "../harness";

// Scripts of web pages call the relay from other origins. e2e/cross-origin.spec.ts do so in a browser.

const relay = setUpRelay({ channels: [{}] });
const PAGE = "https://chat.example.com";
const hi = JSON.stringify({ model: "fake-gpt", messages: [{ role: "user", content: "hi" }] });

function preflight(
  path: string,
  method = "POST",
  origin = PAGE,
  headers = "authorization,content-type,x-stainless-lang",
) {
  return fetch(relay.url + path, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": method, "access-control-request-headers": headers },
  });
}

test.each([
  ["POST", "/v1/chat/completions"],
  ["POST", "/v1/messages"],
  ["POST", "/v1/responses"],
  ["GET", "/v1/responses/resp_1"],
  ["POST", "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"],
  ["POST", "/v1/images/edits"],
  ["DELETE", "/v1/files/file-1"],
  ["GET", "/v1/models"],
  ["POST", "/v2/rerank"],
  ["POST", "/mj/submit/imagine"],
  ["POST", "/suno/submit/music"],
  ["POST", "/v1/no/such/path"],
  ["POST", "/chat/completions"],
  ["GET", "/models"],
])("a browser may ask before %s %s, without a key, for a day", async (method, path) => {
  const answer = await preflight(path, method);
  expect(answer.status).toBe(204);
  const { headers } = answer;
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("access-control-allow-methods")).toContain(method);
  expect(headers.get("access-control-allow-headers")).toBe("authorization,content-type,x-stainless-lang");
  expect(headers.get("access-control-max-age")).toBe("86400");
  expect(headers.get("access-control-allow-credentials")).toBeNull();
});

test.each([
  ["a whole answer", "/v1/chat/completions", hi, 200],
  ["a stream", "/v1/chat/completions", JSON.stringify({ ...JSON.parse(hi), stream: true }), 200],
  ["an error of ours", "/v1/chat/completions", "{", 400],
  ["a path that is not served", "/v1/nothing", hi, 404],
])("scripts read %s, its ids, limits and times of waiting", async (_name, path, body, status) => {
  const { token } = await relay.addCaller();
  const headers = { authorization: `Bearer ${token.key}`, "content-type": "application/json", origin: PAGE };
  const answer = await fetch(relay.url + path, { method: "POST", headers, body });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([status, "*"]);
  const exposed = answer.headers.get("access-control-expose-headers")?.split(", ");
  expect(exposed).toEqual(
    expect.arrayContaining([
      "x-request-id",
      "request-id",
      "x-oneapi-request-id",
      "retry-after",
      "x-ratelimit-remaining-requests",
    ]),
  );
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  await answer.text();
});

test("a wrong key is an error that the script can read", async () => {
  const answer = await fetch(`${relay.url}/v1/models`, { headers: { authorization: "Bearer sk-no", origin: PAGE } });
  expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([401, "*"]);
});

test("without an Origin there are no such headers, and pages of the console never have them", async () => {
  const plain = await fetch(`${relay.url}/v1/models`);
  expect(plain.headers.get("access-control-allow-origin")).toBeNull();
  expect(plain.headers.get("access-control-expose-headers")).toBeNull();
  for (const path of ["/login", "/api/user/self", "/pg/chat/completions", "/"]) {
    for (const answer of [
      await preflight(path),
      await fetch(relay.url + path, {
        method: "POST",
        headers: { origin: PAGE, "content-type": "application/json" },
        body: "{}",
      }),
    ]) {
      expect([path, answer.headers.get("access-control-allow-origin")]).toEqual([path, null]);
      expect(answer.headers.get("access-control-allow-headers")).toBeNull();
    }
  }
});

test("names of headers that are none are not sent back", async () => {
  const answer = await preflight("/v1/models", "GET", PAGE, "a\tb;c");
  expect([answer.status, answer.headers.get("access-control-allow-headers")]).toEqual([204, null]);
});

test("with a list of pages only their scripts may call; an empty list is nobody", async () => {
  await relay.setOption("CorsOrigins", `${PAGE}/\napp://notes.example`);
  await relay.inForce();
  for (const origin of [PAGE, "app://notes.example"]) {
    const answer = await preflight("/v1/models", "GET", origin);
    expect([answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")]).toEqual([origin, "Origin"]);
  }
  for (const origin of ["https://evil.example", `${PAGE}.evil.example`, "null", "http://chat.example.com"]) {
    const answer = await preflight("/v1/models", "GET", origin);
    expect([answer.headers.get("access-control-allow-origin"), answer.headers.get("vary")]).toEqual([null, "Origin"]);
    expect(answer.headers.get("access-control-allow-methods")).toBeNull();
  }
  await relay.setOption("CorsOrigins", "");
  await relay.inForce();
  expect((await preflight("/v1/models", "GET")).headers.get("access-control-allow-origin")).toBeNull();
});
