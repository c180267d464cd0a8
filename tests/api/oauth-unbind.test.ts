import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as oauthTable from "@/app/api/oauth/[[...path]]/route";
import { sessions } from "@/db/schema";
import { call, createPerson, type Person, signInAs } from "./harness";
import { newPerson, openBrowser, setUpOAuth, signInBy } from "./oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;
const person = (prefix: string): Promise<Person> => createPerson(api.database, `${prefix}-${newPerson().id}`, 1);

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
