import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { GET, POST, PUT } from "@/app/api/user/[[...path]]/route";
import { options } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { seal, unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { NOTIFICATION_EVENTS } from "@/lib/notify/events";
import { notify } from "@/lib/notify/notify-commands";
import { findAnnouncement, getPreferences, listNotices, listTargets } from "@/lib/notify/queries";
import type { SendMail } from "@/lib/notify/senders/sender";
import { deleteTarget, savePreferences, saveTarget, setTargetEnabled, TARGETS_MAX } from "@/lib/notify/target-commands";
import { readConfig } from "@/lib/notify/target-config";
import { fieldsOf, TARGET_KINDS } from "@/lib/notify/target-kinds";
import { testTarget } from "@/lib/notify/test-commands";
import { checkWxPusherBinding, startWxPusherBinding } from "@/lib/notify/wxpusher-binding-commands";
import { type FakeReceivers, RECEIVER_KEYS as KEYS, startFakeReceivers } from "@/lib/testing/fake-receivers";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { call, type Person, setUpApi } from "./harness";

const api = setUpApi();
const table = { GET, POST, PUT, DELETE: GET };
let receivers: FakeReceivers;
const mails: Parameters<SendMail>[0][] = [];
const sendMail: SendMail = async (mail) => void mails.push(mail);

beforeAll(async () => {
  vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");
  receivers = await startFakeReceivers();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receivers.close();
});
beforeEach(async () => {
  await api.database.sql`truncate notification_targets, notifications, notification_deliveries, rate_counters,
    one_time_secrets, options restart identity cascade`;
  await api.database.sql`update users set setting = '{}'`;
  await api.database.db.insert(options).values([
    { key: "WxPusherAddress", value: receivers.url },
    { key: "WxPusherAppToken", value: seal(KEYS.wxPusherToken), sealed: true },
  ]);
  receivers.received.length = 0;
});
afterEach(() => receivers.setMood("ok"));

function contextOf(person: Person, role = 1): ServiceContext {
  const { id, username } = person;
  const actor = { type: "user", id, username, role, group: "default", via: "session" } as const;
  return { db: api.database.db, sql: api.database.sql, actor, clientIp: "203.0.113.9" };
}
const alice = () => contextOf(api.alice);
const webhook = () => ({ url: `${receivers.url}/hook`, secret: KEYS.webhookSecret });
const addWebhook = (ctx = alice()) =>
  saveTarget(ctx, { kind: "webhook", name: "ops", config: webhook(), events: ["balance_low"] });
const say = (failure: AppError) => `${failure.messageKey} ${failure.params.code ?? ""}`;

async function refusalOf(asking: Promise<unknown>): Promise<AppError> {
  const thrown = await asking.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(thrown instanceof AppError)) throw new Error(`no AppError but ${String(thrown)}`);
  expect(zh.errors).toHaveProperty(thrown.messageKey);
  expect(en.errors).toHaveProperty(thrown.messageKey);
  return thrown;
}

describe("a target", () => {
  test("is shown without its secrets, and a secret that is left empty stays", async () => {
    const { id, madeSecret } = await addWebhook();
    expect(madeSecret).toBeNull();
    const [target] = await listTargets(alice(), say);
    expect(target).toMatchObject({ id, kind: "webhook", name: "ops", config: { url: `${receivers.url}/hook` } });
    expect(JSON.stringify(target)).not.toContain(KEYS.webhookSecret);
    const changed = { url: `${receivers.url}/hook?x=1`, secret: "" };
    await saveTarget(alice(), { id, kind: "webhook", name: "ops", config: changed, events: [] });
    const [row] = await api.database.sql<{ config_cipher: string }[]>`select config_cipher from notification_targets`;
    expect(JSON.parse(unseal(row?.config_cipher ?? ""))).toEqual({ ...changed, secret: KEYS.webhookSecret });
  });

  test("of a webhook without a secret gets one, told this once", async () => {
    const config = { url: `${receivers.url}/hook` };
    const { id, madeSecret } = await saveTarget(alice(), { kind: "webhook", name: "", config, events: [] });
    expect(madeSecret).toMatch(/^\w{32}$/);
    const again = await saveTarget(alice(), { id, kind: "webhook", name: "", config, events: [] });
    expect(again.madeSecret).toBeNull();
  });

  test("of somebody else is not seen, changed, tested or removed", async () => {
    const { id } = await addWebhook();
    const bob = contextOf(api.bob);
    expect(await listTargets(bob, say)).toEqual([]);
    for (const trying of [
      () => saveTarget(bob, { id, kind: "webhook", name: "", config: webhook(), events: [] }),
      () => setTargetEnabled(bob, { id, enabled: false }),
      () => deleteTarget(bob, { id }),
      () => testTarget(bob, { id }, sendMail),
    ]) {
      expect((await refusalOf(trying())).messageKey).toBe("notifyTargetNotFound");
    }
    expect(await listTargets(alice(), say)).toHaveLength(1);
  });

  test("of anybody below root cannot ask for what only root is told", async () => {
    const asked = { kind: "webhook", name: "", config: webhook(), events: ["channel_disabled"] } as const;
    const input = { ...asked, events: [...asked.events] };
    expect((await refusalOf(saveTarget(alice(), input))).messageKey).toBe("insufficientRights");
    expect((await refusalOf(saveTarget(contextOf(api.admin, 10), input))).messageKey).toBe("insufficientRights");
    await saveTarget(contextOf(api.root, 100), input);
  });

  test(`is one of ${TARGETS_MAX} at most, also when many are added at once`, async () => {
    const adding = await Promise.allSettled(Array.from({ length: TARGETS_MAX + 3 }, () => addWebhook()));
    expect(adding.filter(({ status }) => status === "fulfilled")).toHaveLength(TARGETS_MAX);
  });

  test("that is removed or switched off does not come back by itself", async () => {
    const { id } = await addWebhook();
    await setTargetEnabled(alice(), { id, enabled: false });
    expect((await listTargets(alice(), say))[0]).toMatchObject({ enabled: false });
    await deleteTarget(alice(), { id });
    await api.database.db.insert(options).values({ key: "SMTPServer", value: "mail.weir.example" });
    const params = { amount: 1, balance: 1 };
    await notify(api.database.db, { userId: api.alice.id, event: "code_redeemed", params, dedupeKey: "x" });
    expect(await listTargets(alice(), say)).toEqual([]);
  });

  test("leaves a trace in the audit without its secret", async () => {
    await addWebhook();
    const rows = await api.database.sql`select action, after from audit_entries order by id desc limit 1`;
    expect(rows[0]).toMatchObject({ action: "notification.target-save", after: { kind: "webhook" } });
    expect(JSON.stringify(rows)).not.toContain(KEYS.webhookSecret);
  });
});

describe("the configuration of a kind", () => {
  test.each([
    ["webhook", { url: "javascript:alert(1)" }, "config.url"],
    ["webhook", { url: "http://10.0.0.1/" }, "config.url"],
    ["webhook", { url: "https://weir.example/", secret: "short" }, "config.secret"],
    ["webhook", {}, "config.url"],
    ["email", { address: "no address" }, "config.address"],
    ["email", { address: "a@b.example;c@d.example" }, "config.address"],
    ["wxpusher", { uid: "7" }, "config.uid"],
    ["bark", { key: "a b" }, "config.key"],
    ["gotify", { server: "ftp://x/", token: "abcdef" }, "config.server"],
    ["dingtalk", { token: "../../x" }, "config.token"],
    ["feishu", { hook: "https://evil.example/open-apis/bot/v2/hook/0123456789" }, "config.hook"],
    ["wecom", { key: "a/b" }, "config.key"],
    ["telegram", { chatId: "1; drop" }, "config.chatId"],
    ["discord", { webhook: "https://discord.com/api/users/@me" }, "config.webhook"],
  ] as const)("refuses %s %j and names the field", (kind, config, field) => {
    let thrown: unknown = null;
    try {
      readConfig(kind, config as Record<string, string>, null);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(AppError);
    expect((thrown as AppError).params.field).toBe(field);
  });

  test("takes the key out of an address that was pasted whole", () => {
    const hook = `https://open.feishu.cn/open-apis/bot/v2/hook/${KEYS.feishuHook}`;
    const robot = `https://oapi.dingtalk.com/robot/send?access_token=${KEYS.dingTalkToken}`;
    const group = `https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${KEYS.weComKey}`;
    expect(readConfig("feishu", { hook }, null)).toEqual({ hook: KEYS.feishuHook, secret: "" });
    expect(readConfig("dingtalk", { token: robot }, null).token).toBe(KEYS.dingTalkToken);
    expect(readConfig("wecom", { key: group }, null).key).toBe(KEYS.weComKey);
    expect(readConfig("bark", { key: `https://api.day.app/${KEYS.barkKey}/text` }, null).key).toBe(KEYS.barkKey);
    const discord = `https://discord.com/api/webhooks/${KEYS.discordWebhook}`;
    expect(readConfig("discord", { webhook: discord }, null).webhook).toBe(KEYS.discordWebhook);
  });

  test("has a label and a help text for each of its fields, in both languages", () => {
    for (const texts of [zh.notify, en.notify]) {
      for (const kind of TARGET_KINDS) {
        expect(texts.kind).toHaveProperty(kind);
        for (const { name } of fieldsOf(kind)) {
          expect(texts.field, `${kind}.${name}`).toHaveProperty(`${kind}.${name}.label`);
          expect(texts.field, `${kind}.${name}`).toHaveProperty(`${kind}.${name}.hint`);
        }
      }
      for (const event of NOTIFICATION_EVENTS) expect(texts.eventName).toHaveProperty(event);
    }
  });
});

describe("a test message", () => {
  test("arrives at once, also at a target that is switched off, and the target shows it", async () => {
    const { id } = await addWebhook();
    await setTargetEnabled(alice(), { id, enabled: false });
    await testTarget(alice(), { id }, sendMail);
    expect(receivers.received[0]?.body).toMatchObject({ type: "test", title: "测试消息" });
    const [target] = await listTargets(alice(), say);
    expect(target?.lastSentAt).toBeGreaterThan(1_700_000_000);
  });

  test("that is refused says why, here and at the target", async () => {
    const { id } = await addWebhook();
    receivers.setMood("broken");
    expect((await refusalOf(testTarget(alice(), { id }, sendMail))).messageKey).toBe("notifyRefused");
    const [target] = await listTargets(alice(), say);
    expect(target).toMatchObject({ lastError: "notifyRefused 503", lastSentAt: null });
  });

  test("can be sent five times in five minutes", async () => {
    const { id } = await addWebhook();
    for (let count = 0; count < 5; count++) await testTarget(alice(), { id }, sendMail);
    expect((await refusalOf(testTarget(alice(), { id }, sendMail))).messageKey).toBe("notifyTestsTooMany");
    expect(receivers.received).toHaveLength(5);
  });
});

describe("binding WxPusher by QR code (B258)", () => {
  const letTimePass = () =>
    api.database.sql`update one_time_secrets set payload = payload || '{"askedAt":0}' where kind = 'wxpusher-bind'`;

  test("the scan is found by asking, at most every ten seconds, and becomes a target once", async () => {
    const { image, expiresAt } = await startWxPusherBinding(alice());
    expect(image).toMatch(/^data:image\/gif;base64,/);
    expect(expiresAt - Date.now() / 1000).toBeGreaterThan(500);
    expect(await checkWxPusherBinding(alice())).toEqual({ state: "waiting" });
    expect(receivers.received.filter(({ service }) => service === "wxpusher-scan")).toHaveLength(0);
    await letTimePass();
    expect(await checkWxPusherBinding(alice())).toEqual({ state: "waiting" });
    receivers.scan(KEYS.wxPusherUid);
    await letTimePass();
    const states = await Promise.all([1, 2, 3].map(() => checkWxPusherBinding(alice())));
    expect(states.filter(({ state }) => state === "bound").length).toBeGreaterThan(0);
    expect(await checkWxPusherBinding(alice())).toMatchObject({ state: "bound" });
    expect(receivers.received.filter(({ service }) => service === "wxpusher-scan")).toHaveLength(2);
    const targets = await listTargets(alice(), say);
    expect(targets).toHaveLength(1);
    expect(targets[0]).toMatchObject({ kind: "wxpusher", config: { uid: KEYS.wxPusherUid }, enabled: true });
  });

  test("WxPusher's own call binds whose code it was, and nobody else can make it", async () => {
    await startWxPusherBinding(alice());
    const { extra } = receivers.received.find(({ service }) => service === "wxpusher-code")?.body ?? {};
    const tell = (told: string) =>
      call(table, "POST /api/user/setting/wxpusher", {
        body: { action: "app_subscribe", data: { uid: KEYS.wxPusherUid, extra: told, appId: 1 } },
      });
    for (const wrong of [
      `${api.bob.id}.${extra.split(".")[1]}`,
      `${api.alice.id}.${"x".repeat(32)}`,
      "",
      "9999999999.x",
    ]) {
      expect((await tell(wrong)).json.success).toBe(wrong === "");
    }
    expect(await listTargets(alice(), say)).toEqual([]);
    expect((await tell(extra)).json.success).toBe(true);
    expect((await tell(extra)).json.success).toBe(true);
    expect(await listTargets(alice(), say)).toHaveLength(1);
    expect(await checkWxPusherBinding(alice())).toMatchObject({ state: "bound" });
  });

  test("a code that is over, or was never made, is said to be", async () => {
    expect(await checkWxPusherBinding(alice())).toEqual({ state: "expired" });
    await startWxPusherBinding(alice());
    await api.database.sql`update one_time_secrets set expires_at = 0`;
    expect(await checkWxPusherBinding(alice())).toEqual({ state: "expired" });
  });

  test("without an application token, or with one that is refused, nobody is left waiting", async () => {
    await api.database.sql`update options set value = ${seal("AT_wrong")} where key = 'WxPusherAppToken'`;
    expect((await refusalOf(startWxPusherBinding(alice()))).messageKey).toBe("notifyRefused");
    await api.database.sql`delete from options where key = 'WxPusherAppToken'`;
    expect((await refusalOf(startWxPusherBinding(alice()))).messageKey).toBe("notifyWxPusherOff");
  });
});

describe("PUT /api/user/setting", () => {
  const put = (body: unknown, as = api.alice) => call(table, "PUT /api/user/setting", { as, body });
  const email = { notify_type: "email", quota_warning_threshold: 500_000, notification_email: "alice@weir.example" };
  const hook = () => ({
    notify_type: "webhook",
    quota_warning_threshold: 1,
    webhook_url: `${receivers.url}/hook`,
    webhook_secret: KEYS.webhookSecret,
    accept_unset_model_ratio_model: true,
  });

  test("makes the chosen kind the account's target and switches the other off (contract §1.6)", async () => {
    expect((await put(email)).json).toEqual({ success: true, message: "" });
    expect(await listTargets(alice(), say)).toMatchObject([
      { kind: "email", config: { address: "alice@weir.example" }, enabled: true },
    ]);
    expect((await put(hook())).json.success).toBe(true);
    expect(await listTargets(alice(), say)).toMatchObject([
      { kind: "email", enabled: false },
      { kind: "webhook", config: { url: `${receivers.url}/hook` }, enabled: true },
    ]);
    expect((await put({ ...hook(), webhook_secret: "" })).json.success).toBe(true);
    expect(await listTargets(alice(), say)).toHaveLength(2);
    const self = await call(table, "GET /api/user/self", { as: api.alice });
    expect(JSON.parse(self.json.data.setting)).toMatchObject({
      notify_type: "webhook",
      quota_warning_threshold: 1,
      accept_unset_model_ratio_model: true,
    });
    expect(self.json.data.setting).not.toContain(KEYS.webhookSecret);
  });

  test.each([
    [{}, "notifyTypeUnknown"],
    [{ notify_type: "pigeon", quota_warning_threshold: 1 }, "notifyTypeUnknown"],
    [{ notify_type: "email" }, "thresholdNotPositive"],
    [{ notify_type: "email", quota_warning_threshold: 0 }, "thresholdNotPositive"],
    [{ notify_type: "email", quota_warning_threshold: "1" }, "thresholdNotPositive"],
    [{ notify_type: "email", quota_warning_threshold: 1, notification_email: "nobody" }, "emailInvalid"],
    [{ notify_type: "webhook", quota_warning_threshold: 1 }, "webhookUrlInvalid"],
    [{ notify_type: "webhook", quota_warning_threshold: 1, webhook_url: "file:///etc/passwd" }, "egressUrlInvalid"],
  ])("refuses %j with a message and changes nothing", async (body, key) => {
    const { status, json } = await put(body);
    expect([status, json.success, json.message]).toEqual([200, false, zh.errors[key as "emailInvalid"]]);
    expect(await listTargets(alice(), say)).toEqual([]);
    const [row] = await api.database.sql`select setting from users where id = ${api.alice.id}`;
    expect(row?.setting).toEqual({});
  });

  test("needs a sign-in", async () => {
    expect((await call(table, "PUT /api/user/setting", { body: email })).status).toBe(401);
  });
});

describe("language, threshold and the limit of requests at the same time", () => {
  test("are shown, and those that are the owner's are saved", async () => {
    await api.database.sql`update users set concurrency_limit = 7 where id = ${api.alice.id}`;
    expect(await getPreferences(alice())).toEqual({
      language: "zh",
      threshold: null,
      siteThreshold: 1_000,
      acceptsUnpriced: false,
      budgetWarnings: [80, 95],
      concurrencyLimit: 7,
      email: "alice@weir.example",
    });
    await savePreferences(alice(), { language: "en", threshold: 250_000 });
    expect(await getPreferences(alice())).toMatchObject({ language: "en", threshold: 250_000 });
    await savePreferences(alice(), { language: "en", threshold: null, acceptsUnpriced: true });
    expect(await getPreferences(alice())).toMatchObject({ threshold: null, acceptsUnpriced: true });
    await savePreferences(alice(), { language: "en", threshold: null });
    expect(await getPreferences(alice())).toMatchObject({ acceptsUnpriced: true });
    const bad = savePreferences(alice(), { language: "en", threshold: 0 });
    expect((await refusalOf(bad)).messageKey).toBe("thresholdNotPositive");
  });
});

describe("the notice centre", () => {
  const tell = (userId: number, key: string) =>
    notify(api.database.db, {
      userId,
      event: "topped_up",
      params: { amount: 500_000, balance: 500_000 },
      dedupeKey: key,
    });

  test("lists the reader's own messages in the reader's language, newest first, with what is unread", async () => {
    await tell(api.alice.id, "a");
    await tell(api.alice.id, "b");
    await tell(api.bob.id, "c");
    const read = { as: api.alice, headers: { "accept-language": "en" } };
    const { json } = await call(table, "GET /api/user/notification", read);
    expect(json.data.unread).toBe(2);
    expect(json.data.items).toHaveLength(2);
    expect(json.data.items[0]).toMatchObject({ title: "Top-up received", path: "/topup", read: false });
    expect(json.data.items[0].id).toBeGreaterThan(json.data.items[1].id);
    const first = json.data.items[0].id;
    const [foreign] = (await listNotices(contextOf(api.bob), "zh")).items;
    const ids = [first, foreign?.id ?? 0];
    await call(table, "POST /api/user/notification/read", { as: api.alice, body: { ids } });
    expect((await listNotices(alice(), "zh")).unread).toBe(1);
    expect((await listNotices(contextOf(api.bob), "zh")).unread).toBe(1);
    await call(table, "POST /api/user/notification/read", { as: api.alice, body: { ids: null } });
    expect((await listNotices(alice(), "zh")).unread).toBe(0);
  });

  test("shows an announcement once per content and reader", async () => {
    expect(await findAnnouncement(alice())).toBeNull();
    await api.database.db.insert(options).values({ key: "Notice", value: "Maintenance on Sunday" });
    const found = await findAnnouncement(alice());
    expect(found).toMatchObject({ text: "Maintenance on Sunday", seen: false });
    const body = { fingerprint: found?.fingerprint };
    const seen = await call(table, "POST /api/user/notification/announcement", { as: api.alice, body });
    expect(seen.json.success).toBe(true);
    expect(await findAnnouncement(alice())).toMatchObject({ seen: true });
    expect(await findAnnouncement(contextOf(api.bob))).toMatchObject({ seen: false });
    await api.database.sql`update options set value = 'Moved to Monday' where key = 'Notice'`;
    expect(await findAnnouncement(alice())).toMatchObject({ seen: false });
  });
});
