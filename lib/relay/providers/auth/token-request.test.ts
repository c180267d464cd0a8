import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type FakeTokenServer, startFakeTokenServer, type TokenAnswer } from "@/lib/testing/fake-token-server";
import { ChannelSetupError } from "../setup-error";
import { requestToken, TokenFailure } from "./token-request";

const SECRET = "s3cr3t-of-the-application";
let server: FakeTokenServer;

beforeEach(async () => {
  server = await startFakeTokenServer();
});
afterEach(() => server.close());

type Way = Parameters<typeof requestToken>[0]["way"];

function ask(answer?: TokenAnswer, timeoutMs = 1_000, way: Way = { trust: "operator", proxy: "" }) {
  if (answer) server.answer = () => answer;
  const form = { grant_type: "client_credentials", client_secret: SECRET };
  return requestToken({ url: `${server.url}/token`, form, secrets: [`id|${SECRET}`, SECRET], way, timeoutMs });
}

async function failureOf(answer: TokenAnswer, timeoutMs?: number): Promise<TokenFailure["failure"]> {
  const error: unknown = await ask(answer, timeoutMs).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(TokenFailure);
  expect(`${error} ${JSON.stringify((error as TokenFailure).failure)}`).not.toContain(SECRET);
  return (error as TokenFailure).failure;
}

test("a token is asked for with a form, and lives as long as the endpoint says", async () => {
  expect(await ask()).toEqual({ value: "access-token-number-1", lifeMs: 3_600_000 });
  expect(server.forms[0]?.get("client_secret")).toBe(SECRET);
});

test.each([
  ["text", "3599", 3_599_000],
  ["more than can be true", 1e12, 30 * 86_400_000],
  ["nothing", undefined, 300_000],
])("a life given as %s", async (_what, life, lifeMs) => {
  expect(await ask({ body: { access_token: "t", expires_in: life } })).toEqual({ value: "t", lifeMs });
});

describe("an answer without a usable token is a failure of the upstream, and says which", () => {
  test.each<[string, TokenAnswer]>([
    ["no life", { body: { access_token: "t", expires_in: 0 } }],
    ["a negative life", { body: { access_token: "t", expires_in: -5 } }],
    ["a life that is no number", { body: { access_token: "t", expires_in: "soon" } }],
    ["no token", { body: { expires_in: 5 } }],
    ["an empty token", { body: { access_token: "", expires_in: 5 } }],
    ["a token that would break a header", { body: { access_token: "a\r\nx: y", expires_in: 5 } }],
    ["a page", { body: "<html>welcome</html>" }],
    ["a list", { body: [] }],
    ["a redirect", { status: 302, body: "" }],
    ["a refusal of what was asked", { status: 400, body: { error: "invalid_scope" } }],
  ])("%s", async (_what, answer) => {
    expect(await failureOf(answer)).toMatchObject({ kind: "network", cause: "bad_answer" });
  });

  test("10 MB: no more than a bounded part is read", async () => {
    let sent = 0;
    const failure = await failureOf((response) => {
      response.writeHead(200);
      const more = (): void => {
        for (; sent < 10_485_760; sent += 65_536) {
          if (response.write(Buffer.alloc(65_536, 32))) continue;
          response.once("drain", more);
          return;
        }
      };
      more();
    });
    expect(failure).toMatchObject({ kind: "network", cause: "bad_answer" });
    expect(sent).toBeLessThan(10_485_760);
  });
});

describe("failures of the endpoint", () => {
  test("silence ends at the time limit", async () => {
    expect(await failureOf(() => {}, 100)).toMatchObject({ kind: "network", cause: "timeout_first_byte" });
  });

  test("a body that stops ends there too", async () => {
    expect(await failureOf((response) => response.writeHead(200).write("{"), 100)).toMatchObject({
      cause: "timeout_first_byte",
    });
  });

  test("a closed connection", async () => {
    expect(await failureOf((response) => response.destroy())).toMatchObject({ kind: "network", cause: "reset" });
  });

  test.each([500, 503])("status %i", async (status) => {
    expect(await failureOf({ status, body: `<h1>${SECRET}</h1>` })).toMatchObject({ kind: "status", status });
  });

  test("429, with the wait that it asks for", async () => {
    const failure = await failureOf((response) => response.writeHead(429, { "retry-after": "7" }).end());
    expect(failure).toMatchObject({ kind: "status", status: 429, retryAfterMs: 7_000 });
  });
});

test.each([
  ["invalid_client", 401],
  ["invalid_client", 400],
  ["invalid_grant", 400],
  ["unauthorized_client", 400],
  ["invalid_grant", 200],
])("%s with status %i is a bad key, told without the secrets that it quotes", async (error, status) => {
  const failure = await failureOf({ status, body: { error, error_description: `secret ${SECRET} is wrong` } });
  expect(failure).toMatchObject({ kind: "status", status: 401, error: { code: "invalid_api_key" } });
  expect(failure.kind === "status" && failure.error.message).toContain(`${error}: secret [redacted] is wrong`);
});

test("an endpoint on a private network is asked for root only", async () => {
  await expect(ask(undefined, 1_000, { trust: "public", proxy: "" })).rejects.toThrow(ChannelSetupError);
  expect(server.forms).toEqual([]);
});

test("a channel's proxy is never bypassed", async () => {
  const error = await ask(undefined, 1_000, { trust: "operator", proxy: "http://127.0.0.1:1" }).catch((one) => one);
  expect(error).toBeInstanceOf(TokenFailure);
  expect(server.forms).toEqual([]);
});
