import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as logApi from "@/app/api/log/[[...path]]/route";
import * as oauthApi from "@/app/api/oauth/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import * as verificationApi from "@/app/api/verification/[[...path]]/route";
import { channels } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { signTelegram } from "@/lib/testing/fake-oauth-provider";
import { type MailServer, startMailServer } from "@/lib/testing/mail-server";
import { fromElsewhere, setOptions, useMailServer } from "./account-harness";
import { call, PASSWORD, type Person } from "./harness";
import { BOT_TOKEN, openBrowser, setUpOAuth, signInBy } from "./oauth-harness";

const oauth = setUpOAuth();
const { api } = oauth;
let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
  await useMailServer(api.database, mail);
});
afterAll(() => mail.stop());

const get = async (line: string, as: Person) => (await call(userApi, `GET /api/user/${line}`, { as })).json;
const self = async () => (await get("self", api.alice)).data;
const login = (password: string) =>
  call(userApi, "POST /api/user/login", { body: { username: "alice", password }, headers: fromElsewhere() });

describe("an ordinary user, by what personal settings offer (A003)", () => {
  test("sees the balance, what was spent, how often, and each request in the log", async () => {
    const before = await self();
    const gateway = await startBillingProcess(api.database.url);
    await gateway.settler.settle(
      settlementOf({ userId: api.alice.id, username: "alice", quota: 70, modelName: "m-seen" }),
    );
    await gateway.stop();
    expect(await self()).toMatchObject({
      quota: before.quota - 70,
      used_quota: before.used_quota + 70,
      request_count: before.request_count + 1,
    });
    const { data } = (await call(logApi, "GET /api/log/self?p=1&page_size=10", { as: api.alice })).json;
    expect(data.items[0]).toMatchObject({ model_name: "m-seen", quota: 70 });
  });

  test("invites somebody, earns the reward and moves it to the balance", async () => {
    await setOptions(api.database, { QuotaForInviter: 800_000, QuotaForInvitee: 0, QuotaForNewUser: 0 });
    const affCode = (await get("aff", api.alice)).data;
    const body = { username: "friend", password: PASSWORD, aff_code: affCode };
    const joined = await call(userApi, "POST /api/user/register", { body, headers: fromElsewhere() });
    expect(joined.json.success).toBe(true);
    const { quota, ...earned } = await self();
    expect(earned).toMatchObject({ aff_count: 1, aff_quota: 800_000 });
    const moved = await call(userApi, "POST /api/user/aff_transfer", { as: api.alice, body: { quota: 500_000 } });
    expect(moved.json.success).toBe(true);
    expect(await self()).toMatchObject({ quota: quota + 500_000, aff_quota: 300_000 });
  });

  test("binds an e-mail address, WeChat, GitHub, Telegram and LinuxDO", async () => {
    const email = "alice@new.example";
    const sent = await call(verificationApi, `GET /api/verification?email=${email}&turnstile=`, {
      headers: fromElsewhere(),
    });
    expect(sent.json.success).toBe(true);
    const code = /^[0-9A-Z]{6}$/m.exec(mail.latestTo(email).mail.text ?? "")?.[0] ?? "";
    const bind = async (line: string) => (await call(oauthApi, `GET /api/oauth/${line}`, { as: api.alice })).json;
    expect(await bind(`email/bind?${new URLSearchParams({ email, code })}`)).toMatchObject({ success: true });
    oauth.provider.wechatCodes.set("123456", "openid-alice");
    expect(await bind("wechat/bind?code=123456")).toMatchObject({ success: true });
    for (const name of ["github", "linuxdo"] as const) {
      const answer = await signInBy(openBrowser(api.alice), oauth.provider, name);
      expect(answer.json).toEqual({ success: true, message: "bind" });
    }
    const telegram = { id: "4711", first_name: "A", auth_date: String(Math.floor(Date.now() / 1000)) };
    await bind(`telegram/bind?${new URLSearchParams(signTelegram(BOT_TOKEN, telegram))}`);
    expect(await self()).toMatchObject({
      email,
      wechat_id: "openid-alice",
      github_id: String(oauth.provider.person.id),
      linux_do_id: String(oauth.provider.person.id),
      telegram_id: "4711",
    });
  });

  test("makes an access token, with which programs act for them", async () => {
    const { data: accessToken } = await get("token", api.alice);
    const answer = await call(userApi, "GET /api/user/self", { as: { ...api.alice, accessToken }, by: "token" });
    expect(answer.json.data.id).toBe(api.alice.id);
  });

  test("lists the models that can be used", async () => {
    const row = { name: "c", type: 1, keyCipher: seal("k"), models: "usable-a,usable-b", group: "default" };
    await api.database.db.insert(channels).values([row, { ...row, name: "off", models: "unusable", status: 2 }]);
    expect((await get("models", api.alice)).data.toSorted()).toEqual(["usable-a", "usable-b"]);
  });

  test("changes the password, then deletes the account", async () => {
    const changed = await call(userApi, "PUT /api/user/self", { as: api.alice, body: { password: "password-2" } });
    expect(changed.json.success).toBe(true);
    expect((await login(PASSWORD)).json.success).toBe(false);
    const again = await login("password-2");
    expect(again.json.success).toBe(true);
    const cookie = /session=[^;]+/.exec(again.headers.get("set-cookie") ?? "")?.[0] ?? "";
    const gone = await call(userApi, "DELETE /api/user/self", { as: { ...api.alice, cookie } });
    expect(gone.json.success).toBe(true);
    expect((await login("password-2")).json.success).toBe(false);
  });
});
