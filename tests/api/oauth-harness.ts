import { afterAll, beforeAll, beforeEach } from "vitest";
import * as oauthApi from "@/app/api/oauth/[[...path]]/route";
import { users } from "@/db/schema";
import { saveOptions } from "@/lib/option/commands";
import { FAKE_CLIENT, type FakeOAuthProvider, startFakeOAuthProvider } from "@/lib/testing/fake-oauth-provider";
import { type Answer, type CallOptions, call, type Person, setUpApi } from "./harness";

export const BOT_TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
export const ADDRESS = "https://weir.example";

export type Browser = { get: (line: string, options?: CallOptions) => Promise<Answer>; cookies: Map<string, string> };

/** Everything switched on and pointing at a fake provider on loopback. */
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

/** Somebody whom no test has met. */
export function newPerson() {
  serial += 1;
  return { id: serial, login: `login-${serial}`, name: `Name ${serial}`, sub: `sub-${serial}` };
}

/** A browser: it keeps its cookies, and sends those of a person's session if there is one. */
export function openBrowser(person?: Person): Browser {
  const cookies = new Map<string, string>();
  if (person) cookies.set("session", person.cookie.slice("session=".length));
  return {
    cookies,
    async get(line, options = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const answer = await call(oauthApi, line, { ...options, headers: { cookie, ...options.headers } });
      for (const set of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      return answer;
    },
  };
}

export type CodeProviderName = "github" | "linuxdo" | "oidc";

/** From the state to the address that the provider sends the browser back to. */
export async function visitProvider(
  browser: Browser,
  provider: FakeOAuthProvider,
  name: CodeProviderName,
  aff = "",
): Promise<URL> {
  const begun = await browser.get(`GET /api/oauth/state?provider=${name}&aff=${aff}`);
  return provider.authorize(begun.json.url);
}

/** A whole sign-in or binding; the last answer. */
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
