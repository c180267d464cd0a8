import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as oauthTable from "@/app/api/oauth/[[...path]]/route";
import { sessions } from "@/db/schema";
import { outsideSignIn } from "@/lib/oauth/next-auth-sign-in";
import { call, createPerson, type Person, signInAs } from "./harness";
import { ADDRESS, newPerson, openBrowser, setOptions, setUpOAuth, signInBy } from "./oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;
const person = (prefix: string): Promise<Person> => createPerson(api.database, `${prefix}-${newPerson().id}`, 1);

describe("next-auth", () => {
  const request = () => new Request(`${ADDRESS}/api/auth/providers`);

  test("its providers are those switched on at the moment, with the same pages and the one redirect address", async () => {
    const { providers } = await outsideSignIn(request());
    expect(providers.map(({ id, authorization }) => [id, authorization])).toEqual([
      [
        "github",
        {
          url: `${oauth.provider.url}/login/oauth/authorize`,
          params: { client_id: "weir-client", redirect_uri: `${ADDRESS}/oauth/github`, scope: "user:email" },
        },
      ],
      [
        "linuxdo",
        {
          url: `${oauth.provider.url}/oauth2/authorize`,
          params: { client_id: "weir-client", redirect_uri: `${ADDRESS}/oauth/linuxdo`, response_type: "code" },
        },
      ],
    ]);
    await setOptions(api, { GitHubOAuthEnabled: "false" });
    const fewer = (await outsideSignIn(request())).providers;
    await setOptions(api, { GitHubOAuthEnabled: "true" });
    expect(fewer.map(({ id }) => id)).toEqual(["linuxdo"]);
  });

  test("a sign-in whose state is not this browser's leads to the page that says so", async () => {
    const { providers, finish, claims } = await outsideSignIn(request());
    const exchange = providers[0]?.token;
    if (typeof exchange !== "object" || !exchange.request) throw new Error("no exchange");
    const given = { params: { code: "x", state: "one" }, checks: { state: "other" } };
    await exchange.request(given as Parameters<typeof exchange.request>[0]);
    expect(await finish("github")).toBe("/oauth/github?refused=oauthStateMismatch");
    expect(claims()).toBeNull();
  });
});

describe("unbinding", () => {
  const unbind = (as: Person, name: string) => call(oauthTable, `DELETE /api/oauth/${name}`, { as });

  test("takes the identity off, which may then be bound elsewhere", async () => {
    const [owner, other] = [await person("u1"), await person("u2")];
    await signInBy(openBrowser(owner), oauth.provider, "github");
    expect((await unbind(owner, "github")).json).toEqual({ success: true, message: "" });
    expect((await signInBy(openBrowser(other), oauth.provider, "github")).json.message).toBe("bind");
    expect((await unbind(owner, "github")).json.message).toBe("您尚未绑定 GitHub 账户");
  });

  test("the last way to sign in cannot be taken away", async () => {
    const browser = openBrowser();
    const { data } = (await signInBy(browser, oauth.provider, "github")).json;
    const cookie = `session=${browser.cookies.get("session")}`;
    const newcomer: Person = { id: data.id, username: "", password: "", accessToken: "", cookie };
    expect((await unbind(newcomer, "github")).json.message).toBe(
      "这是您唯一可用的登录方式，请先设置密码或绑定其他账户",
    );
    await signInBy(browser, oauth.provider, "linuxdo");
    expect((await unbind(newcomer, "github")).json.success).toBe(true);
    expect((await unbind(newcomer, "linuxdo")).json.success).toBe(false);
  });

  test("needs a session with a recent proof; an access token does not do", async () => {
    const owner = await person("u3");
    await signInBy(openBrowser(owner), oauth.provider, "github");
    const byToken = await call(oauthTable, "DELETE /api/oauth/github", { as: owner, by: "token" });
    expect(byToken.json.success).toBe(false);
    await api.database.db.update(sessions).set({ confirmedAt: 1 }).where(eq(sessions.userId, owner.id));
    expect((await unbind(owner, "github")).json).toMatchObject({ success: false, code: "step_up_required" });
    expect((await call(oauthTable, "DELETE /api/oauth/github")).status).toBe(401);
    const fresh = { ...owner, cookie: await signInAs(api.database, owner.id) };
    expect((await unbind(fresh, "github")).json.success).toBe(true);
  });
});
