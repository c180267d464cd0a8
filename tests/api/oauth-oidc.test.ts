import { eq } from "drizzle-orm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { users } from "@/db/schema";
import { listUsers, newPerson, openBrowser, setOptions, setUpOAuth, signInBy } from "./oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;

afterEach(() => {
  vi.useRealTimers();
});

test.each(["nonce", "audience", "issuer", "expired", "key", "unsigned"] as const)(
  "an id_token with a wrong %s signs nobody in",
  async (idToken) => {
    const before = (await listUsers(api)).length;
    oauth.provider.trouble = { idToken };
    const answer = await signInBy(openBrowser(), oauth.provider, "oidc");
    expect([answer.status, answer.json]).toEqual([200, { success: false, message: "ID Token 校验失败，请重新操作" }]);
    expect((await listUsers(api)).length).toBe(before);
  },
);

test("an answer without an id_token signs nobody in where the provider publishes its keys", async () => {
  oauth.provider.trouble = { idToken: "missing" };
  expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.success).toBe(false);
});

test("user info about somebody else than the id_token is not used", async () => {
  oauth.provider.trouble = { user: "other-sub" };
  expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.message).toBe(
    "OIDC 返回的用户信息无效，请稍后重试！",
  );
});

test("a code stolen on its way is worth nothing without the PKCE verifier of this state", async () => {
  const victim = openBrowser();
  const begun = await victim.get("GET /api/oauth/state?provider=oidc");
  const stolen = await oauth.provider.authorize(begun.json.url);
  const thief = openBrowser();
  const own = await thief.get("GET /api/oauth/state?provider=oidc");
  const answer = await thief.get(`GET /api/oauth/oidc?code=${stolen.searchParams.get("code")}&state=${own.json.data}`);
  expect(answer.json.message).toBe("OIDC 未接受授权码，请重新操作");
});

describe("an account belongs to a subject at its issuer", () => {
  const rowOf = async (id: number) => (await api.database.db.select().from(users).where(eq(users.id, id)))[0];

  test("the same subject at another issuer is somebody else", async () => {
    const first = (await signInBy(openBrowser(), oauth.provider, "oidc")).json.data;
    expect(await rowOf(first.id)).toMatchObject({
      oidcId: oauth.provider.person.sub,
      oidcIssuer: `${oauth.provider.url}/oidc`,
    });
    await api.database.db.update(users).set({ oidcIssuer: "https://before.example" }).where(eq(users.id, first.id));
    const second = (await signInBy(openBrowser(), oauth.provider, "oidc")).json.data;
    expect(second.id).not.toBe(first.id);
    expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.data.id).toBe(second.id);
  });

  test("a binding of before issuers were kept goes on, and is the issuer's from then on", async () => {
    const owner = (await signInBy(openBrowser(), oauth.provider, "oidc")).json.data;
    const [option] = await api.database.sql`select value from options where key = 'oidc.well_known'`;
    const configured = `configured:${option?.value}`;
    await api.database.db.update(users).set({ oidcIssuer: configured }).where(eq(users.id, owner.id));
    expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.data.id).toBe(owner.id);
    expect((await rowOf(owner.id))?.oidcIssuer).toBe(`${oauth.provider.url}/oidc`);
  });

  test.each(["", "configured:https://before.example/.well-known/openid-configuration"])(
    "a binding of before issuers were kept, stored as %j, is not another provider's to take over",
    async (oidcIssuer) => {
      const owner = (await signInBy(openBrowser(), oauth.provider, "oidc")).json.data;
      await api.database.db.update(users).set({ oidcIssuer }).where(eq(users.id, owner.id));
      expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.data.id).not.toBe(owner.id);
    },
  );
});

test("after the provider has changed its keys sign-in goes on", async () => {
  expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.success).toBe(true);
  await oauth.provider.rotateKeys();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.success).toBe(true);
});

test("the discovery document may be named by its issuer alone; keys and endpoints are not asked for each time", async () => {
  await setOptions(api, { "oidc.well_known": `${oauth.provider.url}/oidc` });
  oauth.provider.requests.length = 0;
  for (let i = 0; i < 3; i++) {
    oauth.provider.person = newPerson();
    expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.success).toBe(true);
  }
  const asked = (part: string) => oauth.provider.requests.filter((request) => request.endsWith(part)).length;
  expect([asked("openid-configuration"), asked("jwks"), asked("/oidc/token")]).toEqual([
    expect.toSatisfy((count: number) => count <= 1),
    expect.toSatisfy((count: number) => count <= 1),
    3,
  ]);
});

test.each([
  ["lured", "/oidc/token"],
  ["lured-for-keys", "/oidc/jwks"],
])("a discovery document does not lead into a private network: %s", async (document, path) => {
  await setOptions(api, { "oidc.well_known": `${oauth.provider.url}/${document}` });
  oauth.provider.requests.length = 0;
  const answer = await signInBy(openBrowser(), oauth.provider, "oidc");
  expect(answer.json).toEqual({ success: false, message: "无法连接至 OIDC 服务器，请稍后重试！" });
  expect(oauth.provider.requests.filter((line) => line.endsWith(path))).toEqual([]);
});

test("without a discovery document the operator's endpoints serve, and user info says who it is", async () => {
  const { url } = oauth.provider;
  await setOptions(api, {
    "oidc.well_known": "",
    "oidc.authorization_endpoint": `${url}/oidc/authorize`,
    "oidc.token_endpoint": `${url}/oidc/token`,
    "oidc.user_info_endpoint": `${url}/oidc/userinfo`,
  });
  expect((await signInBy(openBrowser(), oauth.provider, "oidc")).json.data.username).toBe(oauth.provider.person.login);
  await setOptions(api, { "oidc.user_info_endpoint": "" });
  const refused = await openBrowser().get("GET /api/oauth/state?provider=oidc");
  expect(refused.json).toEqual({ success: false, message: "OIDC 登录尚未配置完整，请联系管理员" });
});

test("a discovery document that cannot be read is the provider's fault, and said so (B273)", async () => {
  await setOptions(api, { "oidc.well_known": `${oauth.provider.url}/nothing/.well-known/openid-configuration` });
  const missing = await openBrowser().get("GET /api/oauth/state?provider=oidc");
  expect(missing.json.success).toBe(false);
  await setOptions(api, { "oidc.well_known": "http://127.0.0.1:9" });
  const away = await openBrowser().get("GET /api/oauth/state?provider=oidc");
  expect(away.json.message).toBe("无法连接至 OIDC 服务器，请稍后重试！");
});
