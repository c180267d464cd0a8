import { importSPKI, jwtVerify } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type FakeTokenServer, fakeToken, startFakeTokenServer } from "@/lib/testing/fake-token-server";
import { rsaPair, serviceAccount } from "@/lib/testing/service-account";
import type { SignedRequest } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { azure, azureAuth } from "./azure";
import { baiduAuth } from "./baidu";
import { googleAuth } from "./google";
import { baiduAccessToken, googleServiceAccount, zhipuToken } from "./index";
import { klingAuth } from "./kling";
import { serviceAccountOf } from "./service-account";
import { TokenCache } from "./token-cache";
import { zhipuAuth } from "./zhipu";

// The stand-in for Google's token endpoint is at this address.
vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");

const NOW = Date.parse("2026-03-01T12:00:00Z");
let server: FakeTokenServer;
let clock: number;
let tokens: TokenCache;

beforeEach(async () => {
  server = await startFakeTokenServer();
  clock = 0;
  tokens = new TokenCache({ now: () => clock });
});
afterEach(() => server.close());

const sent = (more: Partial<SignedRequest> = {}): SignedRequest => ({
  url: `${server.url}/v1/chat`,
  body: Buffer.from("{}"),
  trust: "operator",
  proxy: "",
  ...more,
});

const account = (more: Record<string, unknown> = {}) => serviceAccount({ token_uri: `${server.url}/token`, ...more });

describe("a Google service account", () => {
  const auth = () => googleAuth(tokens, () => NOW);

  test("gets its token for an assertion that Google can verify", async () => {
    expect(await auth()(account(), sent())).toMatchObject({ headers: ["authorization", `Bearer ${fakeToken(1)}`] });
    const [form] = server.forms;
    expect(form?.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const key = await importSPKI(rsaPair().publicKey, "RS256");
    const { payload, protectedHeader } = await jwtVerify(form?.get("assertion") ?? "", key, {
      issuer: "robot@project-1.iam.gserviceaccount.com",
      audience: `${server.url}/token`,
      currentDate: new Date(NOW),
      requiredClaims: ["iat", "exp"],
    });
    expect(protectedHeader).toMatchObject({ alg: "RS256", kid: "key-1" });
    expect(payload.scope).toBe("https://www.googleapis.com/auth/cloud-platform");
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(3_600);
  });

  test("waits for nothing once the token is there, and works at once with another key", async () => {
    const scheme = auth();
    await scheme(account(), sent());
    expect(scheme(account(), sent())).toMatchObject({ headers: ["authorization", `Bearer ${fakeToken(1)}`] });
    const other = await scheme(account({ private_key_id: "key-2" }), sent());
    expect(other).toMatchObject({ headers: ["authorization", `Bearer ${fakeToken(2)}`] });
  });

  test("is one of 100 callers that asks", async () => {
    const scheme = auth();
    await Promise.all(Array.from({ length: 100 }, () => scheme(account(), sent())));
    expect(server.forms).toHaveLength(1);
  });

  test.each([
    "https://oauth2.googleapis.com.evil.example/token",
    "https://oauth2.googleapis.com@evil.example/token",
    "https://evil.example/oauth2.googleapis.com/token",
    "https://storage.googleapis.com/bucket/token",
    "http://oauth2.googleapis.com/token",
    "https://oauth2.googleapis.com:8443/token",
    "https://oauth2.googleapis.com/token/../../x",
    "http://127.0.0.2/token",
    "http://localhost/token",
  ])("may name no token endpoint but Google's, whoever gave it: not %s", (uri) => {
    for (const trust of ["public", "operator"] as const) {
      expect(() => auth()(account({ token_uri: uri }), sent({ trust }))).toThrow("token_uri");
    }
    expect(server.forms).toEqual([]);
  });

  test.each([
    "https://oauth2.googleapis.com/token",
    "https://oauth2.mtls.googleapis.com/token",
    "https://oauth2-mine.p.googleapis.com/token",
    "https://accounts.google.com/o/oauth2/token",
    "https://www.googleapis.com/oauth2/v4/token",
    "https://oauth2.s3nsapis.fr/token",
  ])("may name Google's own: %s", (uri) => {
    expect(serviceAccountOf(serviceAccount({ token_uri: uri })).tokenUri).toBe(uri);
  });

  test.each([
    ["no JSON", "{", "no valid JSON object"],
    ["a list", " {}[]", "no valid JSON object"],
    ["another type", '{"type":"authorized_user"}', "service_account"],
    ["no fields", "{}", "project_id, client_email, private_key"],
    ["an unreadable private key", () => account({ private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n" }), "2048 bits"],
    ["a token_uri that is no URL", () => account({ token_uri: "file:///etc/passwd" }), "token_uri"],
  ])("says what is wrong with a key: %s", (_what, key, message) => {
    const text = typeof key === "string" ? key : key();
    expect(() => auth()(text, sent())).toThrow(ChannelSetupError);
    expect(() => auth()(text, sent())).toThrow(message);
  });

  test("is not needed for an API key", () => {
    expect(googleServiceAccount("AIza-key", sent())).toEqual({ headers: ["x-goog-api-key", "AIza-key"] });
  });
});

describe("Microsoft Entra for Azure", () => {
  const key = "tenant-1.example|client-1|sec~ret-of-the-client";
  const auth = () => azureAuth(tokens, () => ({ login: server.url, scope: "https://scope/.default" }));

  test("client credentials are exchanged for a token", async () => {
    expect(await auth()(key, sent())).toMatchObject({ headers: ["authorization", `Bearer ${fakeToken(1)}`] });
    expect(server.paths).toEqual(["/tenant-1.example/oauth2/v2.0/token"]);
    expect(Object.fromEntries(server.forms[0] ?? [])).toEqual({
      grant_type: "client_credentials",
      client_id: "client-1",
      client_secret: "sec~ret-of-the-client",
      scope: "https://scope/.default",
    });
  });

  test("an API key stays one", () => {
    expect(azure("0123456789abcdef", sent())).toEqual({ headers: ["api-key", "0123456789abcdef"] });
  });

  test.each(["a|b", "a|b|c|d", "a||c", "../../x|b|c"])("%s is no key", (bad) => {
    expect(() => auth()(bad, sent())).toThrow(ChannelSetupError);
    expect(server.forms).toEqual([]);
  });

  test("a refused token is dropped once it is not new, and what comes next has another", async () => {
    const scheme = auth();
    const first = await scheme(key, sent());
    expect(first.onRefused?.()).toBe(false);
    clock += 60_000;
    expect(first.onRefused?.()).toBe(true);
    expect(await scheme(key, sent())).toMatchObject({ headers: ["authorization", `Bearer ${fakeToken(2)}`] });
  });
});

describe("Baidu's access token", () => {
  test("comes from where the requests go, and is a part of the query", async () => {
    const credentials = await baiduAuth(tokens)("api-key|secret-key", sent());
    expect(credentials).toMatchObject({ headers: [], query: ["access_token", fakeToken(1)] });
    expect(server.paths).toEqual(["/oauth/2.0/token"]);
    expect(Object.fromEntries(server.forms[0] ?? [])).toEqual({
      grant_type: "client_credentials",
      client_id: "api-key",
      client_secret: "secret-key",
    });
  });

  test.each(["api-key", "a|b|c", "|b"])("%s is no key", (bad) => {
    expect(() => baiduAccessToken(bad, sent())).toThrow("APIKey|SecretKey");
  });
});

describe("Zhipu's JWT", () => {
  test("is signed with the second half of the key, with times in milliseconds", async () => {
    const scheme = zhipuAuth(tokens, () => NOW);
    const { headers } = await scheme("the-id.the-secret", sent());
    const verified = await jwtVerify(headers[1] ?? "", new TextEncoder().encode("the-secret"));
    expect(verified.protectedHeader).toEqual({ alg: "HS256", sign_type: "SIGN", typ: "JWT" });
    expect(verified.payload).toEqual({ api_key: "the-id", exp: NOW + 86_400_000, timestamp: NOW });
    expect(scheme("the-id.the-secret", sent())).toEqual({ headers });
  });

  test("is not made of a key without two halves", () => {
    expect(zhipuToken("plain-key", sent())).toEqual({ headers: ["authorization", "Bearer plain-key"] });
  });
});

describe("a key of Kling", () => {
  test("signs a token that Kling can verify, once for its life", async () => {
    const scheme = klingAuth(tokens, () => NOW);
    const { headers } = await scheme("access|secret", sent());
    const token = headers[1]?.replace("Bearer ", "") ?? "";
    const { payload, protectedHeader } = await jwtVerify(token, new TextEncoder().encode("secret"), {
      issuer: "access",
      currentDate: new Date(NOW),
    });
    expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
    expect(payload).toEqual({ iss: "access", nbf: NOW / 1_000 - 5, exp: NOW / 1_000 + 1_800 });
    expect(scheme("access|secret", sent())).toMatchObject({ headers });
  });

  test("of another form is a mistake in the channel's setting", () => {
    for (const key of ["access", "a|b|c", "|secret", ""]) {
      expect(() => klingAuth(tokens)(key, sent())).toThrow(ChannelSetupError);
    }
  });
});
