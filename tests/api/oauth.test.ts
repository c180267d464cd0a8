import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { auditEntries, oneTimeSecrets, sessions, users } from "@/db/schema";
import { call, createPerson, type Person } from "./harness";
import {
  ADDRESS,
  type CodeProviderName,
  listUsers,
  openBrowser,
  setOptions,
  setUpOAuth,
  signInBy,
  visitProvider,
} from "./oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;
const PROVIDERS = ["github", "linuxdo", "oidc"] as const;
const NAMES = { github: "GitHub", linuxdo: "LinuxDO", oidc: "OIDC" } as const;
const COLUMN = { github: "githubId", linuxdo: "linuxDoId", oidc: "oidcId" } as const;
const idOf = (name: CodeProviderName) =>
  name === "oidc" ? oauth.provider.person.sub : String(oauth.provider.person.id);
const person = (prefix: string): Promise<Person> => createPerson(api.database, `${prefix}${Date.now() % 1e8}`, 1);

async function rowOf(id: number) {
  const [row] = await api.database.db.select().from(users).where(eq(users.id, id));
  if (!row) throw new Error("no such user");
  return row;
}

describe("the state", () => {
  test("GET /api/oauth/state answers a state bound to the browser; whoever has only the state gets 403 (A190)", async () => {
    const browser = openBrowser();
    const begun = await browser.get("GET /api/oauth/state");
    expect(begun.json).toEqual({ success: true, message: "", data: expect.stringMatching(/^[0-9A-Za-z]{32}$/) });
    expect(begun.headers.get("set-cookie")).toMatch(/^oauth_browser=\w{43}; .*HttpOnly/);
    const stranger = await openBrowser().get(`GET /api/oauth/github?code=x&state=${begun.json.data}`);
    expect([stranger.status, stranger.json.success]).toEqual([403, false]);
    const back = await oauth.provider.authorize(
      `${oauth.provider.url}/login/oauth/authorize?client_id=weir-client&state=${begun.json.data}&redirect_uri=${ADDRESS}/oauth/github`,
    );
    expect((await browser.get(`GET /api/oauth/github${back.search}`)).json.data.username).toMatch(/^github_\d+$/);
  });

  test("a state is good once, also for two requests at the same time", async () => {
    const browser = openBrowser();
    const back = await visitProvider(browser, oauth.provider, "github");
    const twice = await Promise.all([1, 2].map(() => browser.get(`GET /api/oauth/github${back.search}`)));
    expect(twice.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect((await browser.get(`GET /api/oauth/github${back.search}`)).status).toBe(403);
  });

  test.each([
    ["empty", ""],
    ["short", "x"],
    ["long", "a".repeat(2_000)],
  ])("a wrong state answers 403 in the caller's language: %s", async (_, state) => {
    const asked = (language: string) =>
      openBrowser().get(`GET /api/oauth/linuxdo?code=x&state=${state}`, { headers: { "accept-language": language } });
    const [zh, en] = [await asked("zh"), await asked("en")];
    expect([zh.status, zh.json]).toEqual([
      403,
      { success: false, message: "此次登录在其他浏览器中发起或已过期，请重新操作" },
    ]);
    expect(en.json.message).toMatch(/^This login was started in another browser/);
  });

  test("a state made for one provider does not serve another, nor one that has expired", async () => {
    const browser = openBrowser();
    const back = await visitProvider(browser, oauth.provider, "github");
    expect((await browser.get(`GET /api/oauth/linuxdo${back.search}`)).status).toBe(403);
    const late = await visitProvider(browser, oauth.provider, "github");
    await api.database.db.update(oneTimeSecrets).set({ expiresAt: 1 }).where(eq(oneTimeSecrets.kind, "oauth-state"));
    expect((await browser.get(`GET /api/oauth/github${late.search}`)).status).toBe(403);
  });

  test("OpenID Connect needs a state that was made for it, with PKCE and a nonce", async () => {
    const browser = openBrowser();
    const { data } = (await browser.get("GET /api/oauth/state")).json;
    expect((await browser.get(`GET /api/oauth/oidc?code=x&state=${data}`)).status).toBe(403);
  });

  test("two browsers of one address do not get in each other's way, nor two tabs of one browser", async () => {
    const [one, other] = [openBrowser(), openBrowser()];
    const backs = [
      await visitProvider(one, oauth.provider, "github"),
      await visitProvider(other, oauth.provider, "github"),
      await visitProvider(one, oauth.provider, "linuxdo"),
    ];
    expect((await one.get(`GET /api/oauth/linuxdo${backs[2]?.search}`)).json.success).toBe(true);
    one.cookies.delete("session");
    const { data } = (await one.get(`GET /api/oauth/github${backs[0]?.search}`)).json;
    expect(data.id).toBeGreaterThan(0);
    expect((await other.get(`GET /api/oauth/github${backs[1]?.search}`)).json.data.id).toBe(data.id);
  });
});

describe("the authorize page", () => {
  test.each([
    ["github", "/login/oauth/authorize", { scope: "user:email" }],
    ["linuxdo", "/oauth2/authorize", { response_type: "code" }],
    [
      "oidc",
      "/oidc/authorize",
      { response_type: "code", scope: "openid profile email", code_challenge_method: "S256" },
    ],
  ] as const)("%s is asked with client id, state and the one redirect address (A191)", async (name, path, more) => {
    const { json } = await openBrowser().get(`GET /api/oauth/state?provider=${name}`);
    const url = new URL(json.url);
    expect(url.origin + url.pathname).toBe(oauth.provider.url + path);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: "weir-client",
      state: json.data,
      redirect_uri: `${ADDRESS}/oauth/${name}`,
      ...more,
    });
  });

  test("status tells clients which providers are on and their client ids, and never a secret", async () => {
    const { json } = await call(statusApi, "GET /api/status");
    expect(json.data).toMatchObject({
      github_oauth: true,
      github_client_id: "weir-client",
      linuxdo_oauth: true,
      oidc_enabled: true,
      wechat_login: true,
      wechat_qrcode: "https://weir.example/wechat.png",
      telegram_oauth: true,
      telegram_bot_name: "weir_bot",
    });
    expect(JSON.stringify(json)).not.toContain("secret");
  });
});

describe.each(PROVIDERS)("signing in by %s", (name) => {
  test("a newcomer gets an account, a session, and data is the user (A197)", async () => {
    const browser = openBrowser();
    const answer = await signInBy(browser, oauth.provider, name);
    const { data } = answer.json;
    expect(answer.json.message).toBe("");
    expect(data).toEqual({
      id: expect.any(Number),
      username: name === "oidc" ? oauth.provider.person.login : `${name}_${data.id}`,
      display_name: oauth.provider.person.name,
      role: 1,
      status: 1,
      group: "default",
    });
    const row = await rowOf(data.id);
    expect([row[COLUMN[name]], row.passwordHash, row.email]).toEqual([idOf(name), null, null]);
    const [session] = await api.database.db.select().from(sessions).where(eq(sessions.userId, data.id));
    expect(session?.method).toBe(name);
    const self = await call(userApi, "GET /api/user/self", {
      headers: { cookie: `session=${browser.cookies.get("session")}`, "new-api-user": String(data.id) },
    });
    expect(self.json.data.username).toBe(data.username);
  });

  test("who comes again is known by the provider's id, whatever their name is now; their old name opens nothing", async () => {
    const first = await signInBy(openBrowser(), oauth.provider, name);
    const { id, sub, login } = oauth.provider.person;
    oauth.provider.person = { id, sub, login: "renamed", name: "Renamed" };
    expect((await signInBy(openBrowser(), oauth.provider, name)).json.data.id).toBe(first.json.data.id);
    oauth.provider.person = { id: id + 500_000, sub: `${sub}-other`, login, name: "Another" };
    expect((await signInBy(openBrowser(), oauth.provider, name)).json.data.id).not.toBe(first.json.data.id);
  });

  test("one newcomer who comes back twice at once gets one account; newcomers at once get one each", async () => {
    const browsers = Array.from({ length: 4 }, () => openBrowser());
    const same = await Promise.all(browsers.map((browser) => signInBy(browser, oauth.provider, name)));
    expect(new Set(same.map(({ json }) => json.data.id)).size).toBe(1);
    const backs = [];
    for (let i = 0; i < 5; i++) {
      const browser = openBrowser();
      oauth.provider.person = { id: 900_000 + i, sub: `crowd-${i}`, login: "crowd", name: "Crowd" };
      backs.push({ browser, back: await visitProvider(browser, oauth.provider, name) });
    }
    const crowd = await Promise.all(
      backs.map(({ browser, back }) => browser.get(`GET /api/oauth/${name}${back.search}`)),
    );
    expect(new Set(crowd.map(({ json }) => json.data.id)).size).toBe(5);
    expect(new Set(crowd.map(({ json }) => json.data.username)).size).toBe(5);
  });

  test("who is signed in binds: message is bind, no data, and the next sign-in is theirs (A197)", async () => {
    const owner = await person("bind");
    const answer = await signInBy(openBrowser(owner), oauth.provider, name);
    expect(answer.json).toEqual({ success: true, message: "bind" });
    expect((await rowOf(owner.id))[COLUMN[name]]).toBe(idOf(name));
    const again = await signInBy(openBrowser(owner), oauth.provider, name);
    expect(again.json.message).toBe("bind");
    expect((await signInBy(openBrowser(), oauth.provider, name)).json.data.id).toBe(owner.id);
    const audit = await api.database.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.subject, `user:${owner.id}`));
    expect(audit.map(({ action, after }) => [action, after])).toEqual([
      ["user.bind", { provider: name, id: idOf(name) }],
    ]);
  });

  test("what belongs to somebody cannot be bound by somebody else, nor a second one (B273)", async () => {
    const [owner, other] = [await person("own"), await person("oth")];
    await signInBy(openBrowser(owner), oauth.provider, name);
    const refused = await signInBy(openBrowser(other), oauth.provider, name);
    expect(refused.json).toEqual({ success: false, message: `该 ${NAMES[name]} 账户已被绑定` });
    oauth.provider.person = { ...oauth.provider.person, id: 800_000 + owner.id, sub: `second-${owner.id}` };
    const second = await signInBy(openBrowser(owner), oauth.provider, name);
    expect(second.json).toEqual({ success: false, message: `您已绑定另一个 ${NAMES[name]} 账户，请先解绑` });
    expect((await rowOf(other.id))[COLUMN[name]]).toBeNull();
  });

  test("two accounts that bind one identity at once: one gets it (B273)", async () => {
    const owners = [await person("ra"), await person("rb"), await person("rc")];
    const answers = await Promise.all(owners.map((owner) => signInBy(openBrowser(owner), oauth.provider, name)));
    expect(answers.map(({ json }) => json.success).sort()).toEqual([false, false, true]);
  });

  test("a banned or deleted account does not come in, and its identity stays its own", async () => {
    const owner = await person("gone");
    await signInBy(openBrowser(owner), oauth.provider, name);
    await api.database.db.update(users).set({ status: 2 }).where(eq(users.id, owner.id));
    expect((await signInBy(openBrowser(), oauth.provider, name)).json.message).toBe("用户已被封禁");
    await api.database.db.update(users).set({ status: 1, deletedAt: new Date() }).where(eq(users.id, owner.id));
    const before = (await listUsers(api)).length;
    expect((await signInBy(openBrowser(), oauth.provider, name)).json.message).toBe("该账户已注销");
    const other = await person("heir");
    expect((await signInBy(openBrowser(other), oauth.provider, name)).json.success).toBe(false);
    expect((await listUsers(api)).length).toBe(before + 1);
  });

  test("registration closed: newcomers are refused, known accounts come in", async () => {
    const owner = await person("known");
    await signInBy(openBrowser(owner), oauth.provider, name);
    await setOptions(api, { RegisterEnabled: "false" });
    expect((await signInBy(openBrowser(), oauth.provider, name)).json.data.id).toBe(owner.id);
    oauth.provider.person = { ...oauth.provider.person, id: 700_000 + owner.id, sub: `closed-${owner.id}` };
    const refused = await signInBy(openBrowser(), oauth.provider, name);
    await setOptions(api, { RegisterEnabled: "true" });
    expect(refused.json).toEqual({ success: false, message: "管理员已关闭新用户注册" });
    expect(refused.headers.get("set-cookie")).toBeNull();
  });

  test("switched off: state, sign-in and binding are refused with its name (B273)", async () => {
    const option = { github: "GitHubOAuthEnabled", linuxdo: "LinuxDOOAuthEnabled", oidc: "oidc.enabled" }[name];
    const browser = openBrowser();
    const back = await visitProvider(browser, oauth.provider, name);
    await setOptions(api, { [option]: "false" });
    const answers = [
      await browser.get(`GET /api/oauth/${name}${back.search}`),
      await openBrowser().get(`GET /api/oauth/state?provider=${name}`),
    ];
    await setOptions(api, { [option]: "true" });
    for (const { status, json } of answers) {
      expect([status, json]).toEqual([200, { success: false, message: `管理员未开启 ${NAMES[name]} 登录与注册` }]);
    }
  });

  test.each([
    ["fault", "无法连接至 NAME 服务器，请稍后重试！"],
    ["hang-up", "无法连接至 NAME 服务器，请稍后重试！"],
    ["garbage", "NAME 返回的用户信息无效，请稍后重试！"],
    ["refuse", "NAME 未接受授权码，请重新操作"],
  ] as const)("a provider that is away or refuses is named and nothing is made: %s (B273)", async (token, message) => {
    const before = (await listUsers(api)).length;
    oauth.provider.trouble = { token };
    const answer = await signInBy(openBrowser(), oauth.provider, name);
    expect([answer.status, answer.json.message]).toEqual([200, message.replace("NAME", NAMES[name])]);
    expect((await listUsers(api)).length).toBe(before);
  });

  test("a code that is not there, made up, or used by another browser's state is refused", async () => {
    const browser = openBrowser();
    const state = async () => (await browser.get(`GET /api/oauth/state?provider=${name}`)).json.data;
    const without = await browser.get(`GET /api/oauth/${name}?state=${await state()}`);
    expect(without.json.message).toBe("缺少授权码，请重新操作");
    const forged = await browser.get(`GET /api/oauth/${name}?code=made-up&state=${await state()}`);
    expect(forged.json.message).toBe(`${NAMES[name]} 未接受授权码，请重新操作`);
  });

  test("what a session began is not finished by another account or after that session has ended", async () => {
    const [owner, other] = [await person("s1"), await person("s2")];
    const browser = openBrowser(owner);
    const back = await visitProvider(browser, oauth.provider, name);
    browser.cookies.set("session", other.cookie.slice("session=".length));
    expect((await browser.get(`GET /api/oauth/${name}${back.search}`)).status).toBe(403);
    const later = openBrowser(owner);
    const second = await visitProvider(later, oauth.provider, name);
    later.cookies.delete("session");
    expect((await later.get(`GET /api/oauth/${name}${second.search}`)).status).toBe(401);
    expect([(await rowOf(owner.id))[COLUMN[name]], (await rowOf(other.id))[COLUMN[name]]]).toEqual([null, null]);
  });

  test("a sign-in that was begun while nobody was signed in does not bind its account to somebody who signs in meanwhile (A233)", async () => {
    const owner = await person("mean");
    const browser = openBrowser();
    const back = await visitProvider(browser, oauth.provider, name);
    browser.cookies.set("session", owner.cookie.slice("session=".length));
    expect((await browser.get(`GET /api/oauth/${name}${back.search}`)).status).toBe(403);
    expect((await rowOf(owner.id))[COLUMN[name]]).toBeNull();
  });

  test("binding needs a proof of the last ten minutes", async () => {
    const owner = await person("old");
    const [session] = await api.database.db.select().from(sessions).where(eq(sessions.userId, owner.id));
    await api.database.db
      .update(sessions)
      .set({ confirmedAt: (session?.confirmedAt ?? 0) - 660 })
      .where(eq(sessions.userId, owner.id));
    const answer = await signInBy(openBrowser(owner), oauth.provider, name);
    expect(answer.json).toMatchObject({ success: false, code: "step_up_required" });
    expect((await rowOf(owner.id))[COLUMN[name]]).toBeNull();
  });
});

describe("what the provider says", () => {
  test.each(["github", "linuxdo"] as const)(
    "%s without an id is nobody; nor does its text become one",
    async (name) => {
      const before = (await listUsers(api)).length;
      for (const user of ["no-id", "refuse", "fault"] as const) {
        oauth.provider.trouble = { user };
        expect((await signInBy(openBrowser(), oauth.provider, name)).json.success).toBe(false);
      }
      expect((await listUsers(api)).length).toBe(before);
    },
  );

  test("names with control characters and of any length become one short line", async () => {
    oauth.provider.person = { ...oauth.provider.person, name: ` Line\none\u202e\t${"x".repeat(300)}` };
    const { data } = (await signInBy(openBrowser(), oauth.provider, "github")).json;
    expect(data.display_name).toMatch(/^Line one x+$/);
    expect(data.display_name.length).toBe(20);
  });

  test("an invite code comes along with the state to the new account", async () => {
    await api.database.db.update(users).set({ affCode: "INVITE1" }).where(eq(users.id, api.alice.id));
    const { data } = (await signInBy(openBrowser(), oauth.provider, "github", "INVITE1")).json;
    expect((await rowOf(data.id)).inviterId).toBe(api.alice.id);
  });

  test("a name that is taken, by whomever, gives way to the next", async () => {
    oauth.provider.person = { ...oauth.provider.person, login: "ALICE" };
    const taken = await signInBy(openBrowser(), oauth.provider, "oidc");
    expect(taken.json.data.username).toMatch(/^oidc_\d+$/);
    const next = Math.max(...(await listUsers(api)).map(({ id }) => id)) + 1;
    await createPerson(api.database, `github_${next + 1}`, 1);
    const { data } = (await signInBy(openBrowser(), oauth.provider, "github")).json;
    expect(data.username).toBe(`github_${next + 2}`);
  });

  test("a preferred name that does not fit the rule for names is not taken over", async () => {
    oauth.provider.person = { ...oauth.provider.person, login: "much too long for a name" };
    expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.data.username).toMatch(/^oidc_\d+$/);
  });
});
