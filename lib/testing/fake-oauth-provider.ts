import { createHash, createHmac, hash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

export const FAKE_CLIENT = { id: "weir-client", secret: "weir secret/+%" } as const;

/** The person who signs in next. */
export type FakePerson = { id: number; login: string; name: string; sub: string };

/** Faults to simulate; absent = none. */
export type FakeTrouble = {
  token?: "refuse" | "fault" | "hang-up" | "garbage";
  user?: "fault" | "no-id" | "refuse" | "other-sub";
  idToken?: "nonce" | "audience" | "issuer" | "expired" | "key" | "unsigned" | "missing";
  consent?: "deny";
};

type Grant = { person: FakePerson; redirectUri: string; challenge: string; nonce: string; clientId: string };

export type FakeOAuthProvider = {
  url: string;
  /** Set before the browser is sent to the authorize page. */
  person: FakePerson;
  trouble: FakeTrouble;
  /** Valid codes of the WeChat server and the id of each; each works once. */
  wechatCodes: Map<string, string>;
  wechatToken: string;
  /** Requests received, in order, as "METHOD path". */
  requests: string[];
  /** The fields of the last token request. */
  tokenRequest: Record<string, string>;
  /** Signs with a new key from now on, published beside or instead of the old one. */
  rotateKeys: () => Promise<void>;
  /** Signs in at the authorize page without a browser; returns the redirect with the code. */
  authorize: (authorizeUrl: string) => Promise<URL>;
  close: () => Promise<void>;
};

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
type Key = { id: string; privateKey: PrivateKey; publicJwk: JWK };
type State = {
  person: FakePerson;
  trouble: FakeTrouble;
  grants: Map<string, Grant>;
  tokens: Map<string, FakePerson>;
  key: Key;
  wechatCodes: Map<string, string>;
  wechatToken: string;
  tokenRequest: Record<string, string>;
  origin: string;
};
type Seen = { url: URL; request: IncomingMessage; response: ServerResponse; text: string };

const PERSON: FakePerson = { id: 4_711, login: "octocat", name: "The Octocat", sub: "sub-4711" };

/**
 * GitHub, LinuxDO, an OpenID Connect provider and a WeChat server on one loopback port, as strict as the real ones: a
 * code works once, for the client, redirect URI and PKCE verifier it was issued for.
 */
export async function startFakeOAuthProvider(): Promise<FakeOAuthProvider> {
  const state: State = {
    person: PERSON,
    trouble: {},
    grants: new Map(),
    tokens: new Map(),
    key: await newKey(),
    wechatCodes: new Map(),
    wechatToken: "wechat-token",
    tokenRequest: {},
    origin: "",
  };
  const requests: string[] = [];
  const server = createServer((request, response) => {
    serve(state, requests, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done, fail) => server.once("error", fail).listen(0, "127.0.0.1", () => done()));
  state.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    url: state.origin,
    requests,
    rotateKeys: async () => {
      state.key = await newKey();
    },
    authorize: async (authorizeUrl: string) => {
      const answer = await fetch(`${authorizeUrl}&consent=1`, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "");
    },
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  });
}

/** The signed query of Telegram's login widget. */
export function signTelegram(botToken: string, fields: Record<string, string>): Record<string, string> {
  const text = Object.entries(fields)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("\n");
  const secret = hash("sha256", botToken, "buffer");
  return { ...fields, hash: createHmac("sha256", secret).update(text).digest("hex") };
}

async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
  const id = randomBytes(6).toString("hex");
  return { id, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: id, alg: "RS256", use: "sig" } };
}

async function serve(state: State, requests: string[], request: IncomingMessage, response: ServerResponse) {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const url = new URL(request.url ?? "/", state.origin);
  requests.push(`${request.method} ${url.pathname}`);
  const seen = { url, request, response, text: Buffer.concat(parts).toString("utf8") };
  const handler = HANDLERS[url.pathname];
  if (!handler) return sendJson(response, 404, { message: "Not Found" });
  await handler(state, seen);
}

const HANDLERS: Readonly<Record<string, (state: State, seen: Seen) => Promise<void> | void>> = {
  "/login/oauth/authorize": authorizePage,
  "/oauth2/authorize": authorizePage,
  "/oidc/authorize": authorizePage,
  "/login/oauth/access_token": githubToken,
  "/oauth2/token": (state, seen) => formToken(state, seen, false),
  "/oidc/token": (state, seen) => formToken(state, seen, true),
  "/user": (state, seen) => userInfo(state, seen, ({ id, login, name }) => ({ id, login, name })),
  "/api/user": (state, seen) =>
    userInfo(state, seen, ({ id, login, name }) => ({ id, username: login, name, active: true, trust_level: 2 })),
  "/oidc/userinfo": (state, seen) =>
    userInfo(state, seen, ({ sub, login, name }) => ({
      sub: state.trouble.user === "other-sub" ? "somebody-else" : sub,
      preferred_username: login,
      name,
    })),
  "/oidc/.well-known/openid-configuration": ({ origin }, { response }) =>
    sendJson(response, 200, {
      issuer: `${origin}/oidc`,
      authorization_endpoint: `${origin}/oidc/authorize`,
      token_endpoint: `${origin}/oidc/token`,
      userinfo_endpoint: `${origin}/oidc/userinfo`,
      jwks_uri: `${origin}/oidc/jwks`,
    }),
  // Discovery documents whose token or key address has another host name that leads to a private network.
  "/lured/.well-known/openid-configuration": ({ origin }, { response }) =>
    sendJson(response, 200, {
      issuer: `${origin}/oidc`,
      authorization_endpoint: `${origin}/oidc/authorize`,
      token_endpoint: `${origin.replace("127.0.0.1", "localhost")}/oidc/token`,
      jwks_uri: `${origin}/oidc/jwks`,
    }),
  "/lured-for-keys/.well-known/openid-configuration": ({ origin }, { response }) =>
    sendJson(response, 200, {
      issuer: `${origin}/oidc`,
      authorization_endpoint: `${origin}/oidc/authorize`,
      token_endpoint: `${origin}/oidc/token`,
      jwks_uri: `${origin.replace("127.0.0.1", "localhost")}/oidc/jwks`,
    }),
  "/oidc/jwks": ({ key }, { response }) => sendJson(response, 200, { keys: [key.publicJwk] }),
  "/api/wechat/user": wechatUser,
};

/** The page has one button; `consent=1` stands for pressing it. */
function authorizePage(state: State, { url, response }: Seen) {
  const { searchParams: query } = url;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (query.get("client_id") !== FAKE_CLIENT.id || !URL.canParse(redirectUri)) {
    return sendJson(response, 400, { error: "invalid_request" });
  }
  if (!query.has("consent")) {
    const agree = new URL(url);
    agree.searchParams.set("consent", "1");
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(
      `<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,"><h1>Provider</h1>
       <a href="${agree.href.replaceAll("&", "&amp;")}">Authorize</a></html>`,
    );
    return;
  }
  const back = new URL(redirectUri);
  back.searchParams.set("state", query.get("state") ?? "");
  if (state.trouble.consent === "deny") back.searchParams.set("error", "access_denied");
  else {
    const code = randomBytes(16).toString("hex");
    state.grants.set(code, {
      person: state.person,
      redirectUri,
      challenge: query.get("code_challenge") ?? "",
      nonce: query.get("nonce") ?? "",
      clientId: FAKE_CLIENT.id,
    });
    back.searchParams.set("code", code);
  }
  response.writeHead(302, { location: back.href }).end();
}

/** Uses up a code; null when it is invalid. */
function redeem(state: State, form: URLSearchParams): Grant | null {
  state.tokenRequest = Object.fromEntries(form);
  const code = form.get("code") ?? "";
  const verifier = form.get("code_verifier") ?? "";
  const grant = state.grants.get(code);
  state.grants.delete(code);
  if (!grant) return null;
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return grant.challenge === "" || grant.challenge === challenge ? grant : null;
}

function isInTrouble({ trouble }: State, response: ServerResponse): boolean {
  if (trouble.token === "hang-up") response.destroy();
  else if (trouble.token === "fault") sendJson(response, 503, { message: "unavailable" });
  else if (trouble.token === "garbage") response.end("<html>maintenance</html>");
  return trouble.token !== undefined && trouble.token !== "refuse";
}

function newToken(state: State, person: FakePerson): string {
  const token = randomBytes(16).toString("hex");
  state.tokens.set(token, person);
  return token;
}

function githubToken(state: State, { request, response, text }: Seen) {
  if (isInTrouble(state, response)) return;
  const form = new URLSearchParams(text);
  const grant = redeem(state, form);
  const fits = (form.get("redirect_uri") ?? grant?.redirectUri) === grant?.redirectUri;
  // GitHub returns this error with HTTP 200.
  if (!grant || !fits || !isClient(request) || state.trouble.token) {
    return sendJson(response, 200, { error: "bad_verification_code", error_description: "The code is incorrect." });
  }
  sendJson(response, 200, { access_token: newToken(state, grant.person), token_type: "bearer", scope: "user:email" });
}

function isClient(request: IncomingMessage): boolean {
  const [scheme, value = ""] = (request.headers.authorization ?? "").split(" ");
  const [id = "", secret = ""] = Buffer.from(value, "base64").toString("utf8").split(":");
  const plain = (part: string) => new URLSearchParams(`v=${part}`).get("v");
  return scheme === "Basic" && plain(id) === FAKE_CLIENT.id && plain(secret) === FAKE_CLIENT.secret;
}

async function formToken(state: State, { request, response, text }: Seen, isOidc: boolean) {
  if (isInTrouble(state, response)) return;
  const form = new URLSearchParams(text);
  const grant = redeem(state, form);
  const fits = grant?.redirectUri === form.get("redirect_uri") && form.get("grant_type") === "authorization_code";
  if (!grant || !fits || !isClient(request) || state.trouble.token) {
    return sendJson(response, 400, { error: "invalid_grant" });
  }
  const token = { access_token: newToken(state, grant.person), token_type: "bearer", expires_in: 300 };
  const idToken = isOidc && state.trouble.idToken !== "missing" ? { id_token: await signIdToken(state, grant) } : {};
  sendJson(response, 200, { ...token, ...idToken });
}

async function signIdToken({ trouble, key, origin }: State, grant: Grant): Promise<string> {
  const wrong = trouble.idToken;
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: wrong === "issuer" ? "https://elsewhere.example" : `${origin}/oidc`,
    aud: wrong === "audience" ? "another-client" : grant.clientId,
    sub: grant.person.sub,
    iat: now - (wrong === "expired" ? 7_200 : 0),
    exp: now + (wrong === "expired" ? -3_600 : 300),
    nonce: wrong === "nonce" ? "another-nonce" : grant.nonce,
  };
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  if (wrong === "unsigned") return `${part({ alg: "none" })}.${part(claims)}.`;
  // The header has the id of the published key, but another key signs.
  const { privateKey } = wrong === "key" ? await newKey() : key;
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: key.id }).sign(privateKey);
}

function userInfo(state: State, { request, response }: Seen, shape: (person: FakePerson) => object) {
  const { trouble } = state;
  if (trouble.user === "fault") return sendJson(response, 502, {});
  const person = state.tokens.get((request.headers.authorization ?? "").replace("Bearer ", ""));
  if (!person || trouble.user === "refuse") return sendJson(response, 401, { message: "Bad credentials" });
  sendJson(response, 200, trouble.user === "no-id" ? { name: person.name } : shape(person));
}

function wechatUser(state: State, { url, request, response }: Seen) {
  if (request.headers.authorization !== state.wechatToken) {
    return sendJson(response, 401, { success: false, message: "token" });
  }
  const code = url.searchParams.get("code") ?? "";
  const id = state.wechatCodes.get(code);
  state.wechatCodes.delete(code);
  if (id === undefined) return sendJson(response, 200, { success: false, message: "code expired", data: "" });
  sendJson(response, 200, { success: true, message: "", data: id });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
