import { afterAll, beforeAll, beforeEach } from "vitest";
import { GET as askNextAuth } from "@/app/api/auth/[...nextauth]/route";
import * as oauthApi from "@/app/api/oauth/[[...path]]/route";
import { users } from "@/db/schema";
import { saveOptions } from "@/lib/option/commands";
import { FAKE_CLIENT, type FakeOAuthProvider, startFakeOAuthProvider } from "@/lib/testing/fake-oauth-provider";
import { type Answer, type CallOptions, call, type Person, setUpApi } from "./harness";

export const BOT_TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
export const ADDRESS = "https://weir.example";

export type Browser = { get: (line: string, options?: CallOptions) => Promise<Answer>; cookies: Map<string, string> };

/** Sets up the API with all providers enabled and pointing at a fake provider on loopback. */
export function setUpOAuth() {
  const api = setUpApi();
  const state = { api } as { api: typeof api; provider: FakeOAuthProvider };
  beforeAll(async () => {
    state.provider = await startFakeOAuthProvider();
    await setOptions(api, {
      ServerAddress: ADDRESS,
      GitHubServerAddress: state.provider.url,
      GitHubApiAddress: state.provider.url,
      LinuxDOServerAddress: state.provider.url,
      GitHubClientId: FAKE_CLIENT.id,
      GitHubClientSecret: FAKE_CLIENT.secret,
      LinuxDOClientId: FAKE_CLIENT.id,
      LinuxDOClientSecret: FAKE_CLIENT.secret,
      "oidc.well_known": `${state.provider.url}/oidc/.well-known/openid-configuration`,
      "oidc.client_id": FAKE_CLIENT.id,
      "oidc.client_secret": FAKE_CLIENT.secret,
      WeChatServerAddress: state.provider.url,
      WeChatServerToken: state.provider.wechatToken,
      WeChatAccountQRCodeImageURL: "https://weir.example/wechat.png",
      TelegramBotToken: BOT_TOKEN,
      TelegramBotName: "weir_bot",
      GitHubOAuthEnabled: "true",
      LinuxDOOAuthEnabled: "true",
      "oidc.enabled": "true",
      WeChatAuthEnabled: "true",
      TelegramOAuthEnabled: "true",
    });
  });
  beforeEach(() => {
    state.provider.trouble = {};
    state.provider.person = newPerson();
  });
  afterAll(async () => {
    await state.provider.close();
  });
  return state;
}

type Api = ReturnType<typeof setUpApi>;

export async function setOptions(api: Api, values: Record<string, string>): Promise<void> {
  const { db, sql } = api.database;
  const ctx = { db, sql, actor: { type: "job", name: "test" }, clientIp: "" } as const;
  const changes = Object.entries(values).map(([key, value]) => ({ key, value }));
  const refused = (await saveOptions(ctx, changes)).filter(({ error }) => error);
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
}

let serial = 10_000;

/** A person that no earlier test has used. */
export function newPerson() {
  serial += 1;
  return { id: serial, login: `login-${serial}`, name: `Name ${serial}`, sub: `sub-${serial}` };
}

/** A browser that keeps its cookies; with a person it also sends their session cookie. */
export function openBrowser(person?: Person): Browser {
  const cookies = new Map<string, string>();
  if (person) cookies.set("session", person.cookie.slice("session=".length));
  return {
    cookies,
    async get(line, options = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await call(oauthApi, line, { ...options, headers: { cookie, ...options.headers } });
      keepCookies(this, answer.headers);
      return answer;
    },
  };
}

function keepCookies(browser: Browser, headers: Headers): void {
  for (const set of headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
    if (value === "") browser.cookies.delete(name);
    else browser.cookies.set(name, value);
  }
}

/** Sends a request to next-auth's own pages as it arrives through the gateway. Does not follow redirects. */
export async function visitNextAuth(
  browser: Browser,
  method: "GET" | "POST",
  target: string,
  form: Record<string, string> = {},
): Promise<Response> {
  const url = new URL(target, ADDRESS);
  const headers = {
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "x-forwarded-host": url.host,
    "x-forwarded-proto": "https",
  };
  const init = method === "POST" ? { body: new URLSearchParams(form) } : {};
  const nextauth = url.pathname.split("/").slice(3);
  const response = await askNextAuth(new Request(url, { method, headers, ...init }), {
    params: Promise.resolve({ nextauth }),
  });
  keepCookies(browser, response.headers);
  return response;
}

/** Starts a sign-in as next-auth's client does; returns the URL of the authorize page. */
export async function beginAtNextAuth(browser: Browser, name: CodeProviderName): Promise<string> {
  const { csrfToken } = (await (await visitNextAuth(browser, "GET", "/api/auth/csrf")).json()) as { csrfToken: string };
  const begun = await visitNextAuth(browser, "POST", `/api/auth/signin/${name}`, {
    csrfToken,
    callbackUrl: `${ADDRESS}/token`,
    json: "true",
  });
  return ((await begun.json()) as { url: string }).url;
}

export type CodeProviderName = "github" | "linuxdo" | "oidc";

/** Returns the URL to which the provider sends the browser back. */
export async function visitProvider(
  browser: Browser,
  provider: FakeOAuthProvider,
  name: CodeProviderName,
  aff = "",
): Promise<URL> {
  const begun = await browser.get(`GET /api/oauth/state?provider=${name}&aff=${aff}`);
  return provider.authorize(begun.json.url);
}

/** Runs a whole sign-in or binding; returns the last answer. */
export async function signInBy(
  browser: Browser,
  provider: FakeOAuthProvider,
  name: CodeProviderName,
  aff = "",
): Promise<Answer> {
  const back = await visitProvider(browser, provider, name, aff);
  return browser.get(`GET /api/oauth/${name}${back.search}`);
}

export async function listUsers(api: Api) {
  return api.database.db.select().from(users).orderBy(users.id);
}
