import { desc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import { auditEntries, options, optionVersions, usageLogs, users } from "@/db/schema";
import { priceUsage, resolvePrice } from "@/lib/billing/price";
import type { ServiceContext } from "@/lib/context";
import { checkOptionText } from "@/lib/option/check";
import { revertOption, saveOptions } from "@/lib/option/commands";
import { listOptionVersions, listOptionViews, loadOptions } from "@/lib/option/queries";
import { definitionOf, type OptionKey, optionKeys, parseOption } from "@/lib/option/registry";
import { startMailServer } from "@/lib/testing/mail-server";
import { countLogsBefore } from "@/lib/usage-log/clear-queries";
import { sendTestMail } from "@/lib/user/send-test-mail";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { call, setUpApi } from "./harness";

const api = setUpApi();

const put = (body: unknown, as = api.root) => call(optionApi, "PUT /api/option/", { as, body });
const set = async (key: string, value: unknown) => (await put({ key, value })).json;
const list = async (): Promise<{ key: string; value: string }[]> =>
  (await call(optionApi, "GET /api/option/", { as: api.root })).json.data;
const read = async (key: string) => (await list()).find((option) => option.key === key)?.value;

const session = { id: "00000000-0000-0000-0000-000000000000", confirmedAt: Math.floor(Date.now() / 1000) };

/** The context of the settings page, right after a sign-in. */
const asRoot = (): ServiceContext => ({
  db: api.database.db,
  sql: api.database.sql,
  clientIp: "203.0.113.9",
  actor: { type: "user", id: api.root.id, username: "root", role: 100, group: "default", via: "session", session },
});

describe("GET /api/option/", () => {
  test("is a list of key and text, for a super administrator alone (A199, A093)", async () => {
    const rows = await list();
    expect(rows.length).toBeGreaterThan(90);
    expect(rows.every((row) => typeof row.key === "string" && typeof row.value === "string")).toBe(true);
    expect(rows.every((row) => Object.keys(row).length === 2)).toBe(true);
    expect(rows.find((row) => row.key === "PasswordLoginEnabled")?.value).toBe("true");
    for (const as of [api.admin, api.alice]) {
      const answer = await call(optionApi, "GET /api/option/", { as });
      expect(answer.json).toEqual({ success: false, message: "无权进行此操作，权限不足" });
    }
    expect((await call(optionApi, "GET /api/option/")).status).toBe(401);
  });

  test("secrets are left out, also right after they were set (A098)", async () => {
    const secrets = optionKeys().filter((key) => definitionOf(key).secret);
    expect(secrets).toEqual(expect.arrayContaining(["SMTPToken", "EpayKey", "oidc.client_secret", "TelegramBotToken"]));
    await set("ServerAddress", "https://weir.example");
    for (const key of secrets) expect(await set(key, `s3cret-${key}`)).toEqual({ success: true, message: "" });
    const keys = (await list()).map((row) => row.key);
    expect(keys.filter((key) => (secrets as string[]).includes(key))).toEqual([]);
    expect(keys.filter((key) => /(Token|Secret|Key)$/.test(key))).toEqual([
      "TurnstileSiteKey",
      // A number of sessions.
      "RealtimeSessionsPerKey",
    ]);
    expect(JSON.stringify(await list())).not.toContain("s3cret");
    const [row] = await api.database.db.select().from(options).where(eq(options.key, "SMTPToken"));
    expect([row?.sealed, row?.value.includes("s3cret")]).toEqual([true, false]);
  });

  test("defaults of a fresh install: price, minimum top-up, SMTP port, dashboard, monitoring (A221, A230, A232, B307, B310)", async () => {
    const keys = ["Price", "MinTopUp", "SMTPPort", "DataExportInterval", "DataExportDefaultTime"];
    expect(await Promise.all(keys.map(read))).toEqual(["7.3", "1", "587", "5", "hour"]);
    expect(await Promise.all(["ChannelDisableThreshold", "RetryTimes"].map(read))).toEqual(["5", "3"]);
  });
});

const ROUND_TRIPS: [ids: string, values: Record<string, string>][] = [
  [
    "A094",
    {
      GitHubClientId: "id",
      LinuxDOClientId: "id",
      WeChatServerAddress: "https://wx.example",
      TurnstileSiteKey: "site",
      PasswordLoginEnabled: "false",
      PasswordRegisterEnabled: "false",
      EmailVerificationEnabled: "true",
      RegisterEnabled: "false",
      GitHubOAuthEnabled: "true",
      LinuxDOOAuthEnabled: "true",
      WeChatAuthEnabled: "true",
      TelegramOAuthEnabled: "true",
      TurnstileCheckEnabled: "true",
    },
  ],
  [
    "A095",
    { EmailDomainRestrictionEnabled: "true", EmailAliasRestrictionEnabled: "true", EmailDomainWhitelist: "a.example" },
  ],
  [
    "A096",
    {
      SMTPServer: "mail.example",
      SMTPPort: "465",
      SMTPAccount: "me",
      SMTPFrom: "me@x.example",
      SMTPSSLEnabled: "true",
    },
  ],
  ["A097", { WeChatAccountQRCodeImageURL: "https://wx.example/qr.png", TelegramBotName: "bot" }],
  [
    "A099",
    {
      ServerAddress: "https://weir.example",
      WorkerUrl: "https://worker.example",
      PayAddress: "https://pay.example",
      EpayId: "1001",
      CustomCallbackAddress: "https://call.example",
      Price: "6.5",
      MinTopUp: "2",
      TopupGroupRatio: '{"default":1,"vip":0.9}',
    },
  ],
  [
    "A100",
    { Notice: "**hi**", SystemName: "Site", Logo: "/l.png", Footer: "<b>f</b>", About: "a", HomePageContent: "h" },
  ],
  [
    "A101",
    {
      TopUpLink: "https://shop.example",
      ChatLink: "https://chat.example",
      ChatLink2: "https://chat2.example",
      QuotaPerUnit: "1000000",
      RetryTimes: "3",
      DisplayInCurrencyEnabled: "false",
      DisplayTokenStatEnabled: "false",
      DefaultCollapseSidebar: "true",
      Chats: '[{"Chat":"https://chat.example/?key={key}"}]',
    },
  ],
  [
    "A102",
    {
      DrawingEnabled: "false",
      MjNotifyEnabled: "true",
      MjAccountFilterEnabled: "true",
      MjForwardUrlEnabled: "false",
      MjModeClearEnabled: "true",
      MjActionCheckSuccessEnabled: "false",
    },
  ],
  ["A103", { CheckSensitiveEnabled: "false", CheckSensitiveOnPromptEnabled: "false", SensitiveWords: "one\ntwo" }],
  [
    "A104",
    { LogConsumeEnabled: "false", DataExportEnabled: "false", DataExportInterval: "10", DataExportDefaultTime: "week" },
  ],
  [
    "A105",
    {
      ChannelDisableThreshold: "7.5",
      QuotaRemindThreshold: "2000",
      AutomaticDisableChannelEnabled: "true",
      AutomaticEnableChannelEnabled: "true",
    },
  ],
  ["A106", { QuotaForNewUser: "1", PreConsumedQuota: "2", QuotaForInviter: "3", QuotaForInvitee: "4" }],
  [
    "A107",
    {
      GroupRatio: '{"default":1,"pro":2}',
      UserUsableGroups: '{"default":"d"}',
      ModelPrice: '{"m":0.1}',
      ModelRatio: '{"n":1.5}',
      CompletionRatio: '{"n":4}',
    },
  ],
];

describe("round trips (A094, A095, A096, A097, A099, A100, A101, A102, A103, A104, A105, A106, A107)", () => {
  test.each(ROUND_TRIPS)("each option of its group comes back as it was put (%s)", async (_ids, values) => {
    for (const [key, value] of Object.entries(values))
      expect(await set(key, value), key).toMatchObject({ success: true });
    for (const [key, value] of Object.entries(values)) {
      // Prices come with the built-in ones.
      if (/^(Model|Completion)(Ratio|Price)$/.test(key))
        expect(JSON.parse((await read(key)) ?? ""), key).toMatchObject(JSON.parse(value));
      else expect(await read(key), key).toBe(value);
    }
    const reset = Object.keys(values).map((key) => ({ key, value: null }));
    for (const { error } of await saveOptions(asRoot(), reset)) expect(error).toBeNull();
  });
});

describe("PUT /api/option/ (A200)", () => {
  test("only a super administrator may, and nothing changes for others", async () => {
    for (const as of [api.admin, api.alice]) {
      expect((await put({ key: "SystemName", value: "theirs" }, as)).json.success).toBe(false);
    }
    expect(await read("SystemName")).toBe("Weir");
  });

  test("booleans and numbers are taken as text", async () => {
    expect(await set("MjNotifyEnabled", true)).toMatchObject({ success: true });
    expect(await set("RetryTimes", 4)).toMatchObject({ success: true });
    expect([await read("MjNotifyEnabled"), await read("RetryTimes")]).toEqual(["true", "4"]);
    await saveOptions(
      asRoot(),
      ["MjNotifyEnabled", "RetryTimes"].map((key) => ({ key, value: null })),
    );
  });

  test.each([
    ["not JSON", "{"],
    ["a list", "[]"],
    ["nothing", ""],
    ["no key", '{"value":"1"}'],
    ["an empty key", '{"key":"","value":"1"}'],
    ["no value", '{"key":"Price"}'],
    ["an object for a value", '{"key":"Price","value":{"a":1}}'],
    ["null for a value", '{"key":"Price","value":null}'],
  ])("a malformed body answers 400: %s", async (_what, body) => {
    const answer = await put(body);
    expect([answer.status, answer.json]).toEqual([400, { success: false, message: "无效的参数" }]);
  });

  test.each([
    ["an unknown key", "NoSuchOption", "1", "未知的设置项 NoSuchOption"],
    ["a name of Object.prototype", "__proto__", "1", "未知的设置项 __proto__"],
    ["the password of nobody", "Root.password", "1", "未知的设置项 Root.password"],
    ["a switch that is neither on nor off", "RegisterEnabled", "yes", "RegisterEnabled 的值无效"],
    ["JSON that is none", "GroupRatio", "{a", "GroupRatio 不是合法的 JSON 字符串"],
    ["a negative ratio", "GroupRatio", '{"default":-1}', "GroupRatio 的值无效"],
    ["a ratio in quotes", "ModelRatio", '{"m":"1"}', "ModelRatio 的值无效"],
    ["a list for a map", "TopupGroupRatio", "[1]", "TopupGroupRatio 的值无效"],
    ["a map for a list", "Chats", "{}", "Chats 的值无效"],
    ["an interval below a minute (A158)", "DataExportInterval", "0", "DataExportInterval 的值无效"],
    ["a negative threshold (A159)", "QuotaRemindThreshold", "-1", "QuotaRemindThreshold 的值无效"],
    ["a negative time (A159)", "ChannelDisableThreshold", "-0.1", "ChannelDisableThreshold 的值无效"],
    ["a script for an address", "ServerAddress", "javascript:alert(1)", "ServerAddress 的值无效"],
    ["another granularity (A104)", "DataExportDefaultTime", "year", "DataExportDefaultTime 的值无效"],
    ["a number with an exponent", "Price", "1e3", "Price 的值无效"],
  ])("refuses %s and keeps what was", async (_what, key, value, message) => {
    const before = await list();
    expect(await set(key, value)).toEqual({ success: false, message });
    expect(await list()).toEqual(before);
  });

  test("a refusal is in the caller's language", async () => {
    const answer = await call(optionApi, "PUT /api/option/", {
      as: api.root,
      body: { key: "GroupRatio", value: "{a" },
      headers: { "accept-language": "en-GB" },
    });
    expect(answer.json.message).toBe("GroupRatio is not valid JSON");
  });

  test.each([
    ["GitHubOAuthEnabled", "GitHubClientId"],
    ["LinuxDOOAuthEnabled", "LinuxDOClientId"],
    ["oidc.enabled", "oidc.client_id"],
    ["WeChatAuthEnabled", "WeChatServerAddress"],
    ["TelegramOAuthEnabled", "TelegramBotToken"],
    ["TurnstileCheckEnabled", "TurnstileSiteKey"],
    ["EmailDomainRestrictionEnabled", "EmailDomainWhitelist"],
  ])("%s needs %s first (contract §3.3)", async (key, needed) => {
    await saveOptions(asRoot(), [{ key: needed, value: null }]);
    if (needed === "EmailDomainWhitelist") await set(needed, "");
    expect(await set(key, "true")).toEqual({ success: false, message: `无法启用 ${key}，请先填写 ${needed}` });
    expect(await read(key)).toBe("false");
    await set(needed, needed.endsWith("Address") ? "https://x.example" : "something");
    expect(await set(key, "true")).toMatchObject({ success: true });
    await saveOptions(
      asRoot(),
      [key, needed].map((name) => ({ key: name, value: null })),
    );
  });

  test("trailing slashes and blanks around addresses are not kept (A150)", async () => {
    await set("ServerAddress", " https://weir.example/// ");
    for (const key of ["WorkerUrl", "PayAddress", "WeChatServerAddress"]) await set(key, "https://x.example/path/");
    expect(await read("ServerAddress")).toBe("https://weir.example");
    for (const key of ["WorkerUrl", "PayAddress", "WeChatServerAddress"]) {
      expect(await read(key)).toBe("https://x.example/path");
    }
  });

  test.each([
    "https://example.com/weir",
    "https://weir.example/v1/",
    "https://weir.example/login?a=b",
    "https://weir.example#top",
    "https://me:word@weir.example",
  ])(
    "a server address with more than a host is refused, and one that was stored before goes on being used: %s",
    async (address) => {
      await set("ServerAddress", "https://weir.example");
      const answer = await set("ServerAddress", address);
      expect(answer).toMatchObject({
        success: false,
        message: expect.stringContaining("ServerAddress 必须是不带路径的地址"),
      });
      expect(await read("ServerAddress")).toBe("https://weir.example");
      expect(parseOption("ServerAddress", address)).toBe(address.replace(/\/$/, ""));
      expect(checkOptionText({ control: "site", choices: [] }, address)).toEqual({ reason: "site" });
    },
  );

  test.each(["https://weir.example", "http://10.0.0.1:3000/", "https://[::1]:3000", "https://例子.example", ""])(
    "one with a host alone is taken: %j",
    async (address) => {
      expect(await set("ServerAddress", address)).toMatchObject({ success: true });
      expect(checkOptionText({ control: "site", choices: [] }, address)).toBeNull();
    },
  );

  test("payment settings need a server address first (A148)", async () => {
    await set("ServerAddress", "");
    expect(await set("EpayId", "1002")).toEqual({ success: false, message: "请先填写服务器地址" });
    await set("ServerAddress", "https://weir.example");
    expect(await set("EpayId", "1002")).toMatchObject({ success: true });
  });

  test("an empty text for a secret leaves it as it is (A088)", async () => {
    await set("SMTPToken", "kept");
    await set("SMTPToken", "");
    expect((await loadOptions(api.database.db)).SMTPToken).toBe("kept");
  });
});

test("POST /api/option/rest_model_ratio puts the built-in ratios back (A201, A085)", async () => {
  await set("ModelRatio", '{"gpt-4o":99}');
  await set("CompletionRatio", '{"gpt-4o":3}');
  const reset = (as = api.root) => call(optionApi, "POST /api/option/rest_model_ratio", { as });
  expect((await reset(api.admin)).json.success).toBe(false);
  const ratioOf = async (key: string) => JSON.parse((await read(key)) ?? "")["gpt-4o"];
  expect(await ratioOf("ModelRatio")).toBe(99);
  expect((await reset()).json).toEqual({ success: true, message: "模型倍率已恢复为内置值" });
  expect([await ratioOf("ModelRatio"), await ratioOf("CompletionRatio")]).toEqual([1.25, 3]);
});

describe("versions of an option", () => {
  const versions = (key: OptionKey) => listOptionVersions(asRoot(), key).then((page) => page.items);

  test("every change is kept with who, from where and what, in the caller's order", async () => {
    await saveOptions(asRoot(), [{ key: "ModelPrice", value: '{"a":1,"b":2}' }]);
    await saveOptions(asRoot(), [{ key: "ModelPrice", value: '{"a":1,"b":3,"c":4}' }]);
    const [latest] = await versions("ModelPrice");
    expect(latest).toMatchObject({ actorId: api.root.id, actorName: "root", clientIp: "203.0.113.9", secret: false });
    expect(latest?.difference).toEqual({
      kind: "keys",
      more: 0,
      changes: [
        { key: "b", before: "2", after: "3" },
        { key: "c", before: null, after: "4" },
      ],
    });
  });

  test("text is compared line by line", async () => {
    await set("SensitiveWords", "one\ntwo\nthree");
    await set("SensitiveWords", "one\n2\nthree");
    const [latest] = await versions("SensitiveWords");
    expect(latest?.difference).toEqual({
      kind: "lines",
      more: 0,
      lines: [
        { sign: " ", text: "one" },
        { sign: "-", text: "two" },
        { sign: "+", text: "2" },
        { sign: " ", text: "three" },
      ],
    });
  });

  test("saving the same again makes no version", async () => {
    await set("SystemName", "Same");
    const before = (await versions("SystemName")).length;
    await set("SystemName", " Same ");
    expect((await versions("SystemName")).length).toBe(before);
  });

  test("a version is brought back by one step, which is a version itself", async () => {
    await set("Notice", "first");
    await set("Notice", "second");
    const [, first] = await versions("Notice");
    await revertOption(asRoot(), first?.id ?? 0);
    expect(await read("Notice")).toBe("first");
    expect((await versions("Notice"))[0]?.difference).toMatchObject({
      lines: [
        { sign: "-", text: "second" },
        { sign: "+", text: "first" },
      ],
    });
    await expect(revertOption(asRoot(), 999_999_999)).rejects.toMatchObject({ messageKey: "optionVersionNotFound" });
  });

  test("a version whose value is no longer allowed is not brought back", async () => {
    await api.database.db.insert(optionVersions).values({ key: "RetryTimes", before: "0", after: "many" });
    const [bad] = await versions("RetryTimes");
    await expect(revertOption(asRoot(), bad?.id ?? 0)).rejects.toMatchObject({ messageKey: "optionInvalid" });
  });

  test("back to the default removes what was set", async () => {
    await set("About", "text");
    await saveOptions(asRoot(), [{ key: "About", value: null }]);
    expect(await api.database.db.select().from(options).where(eq(options.key, "About"))).toEqual([]);
    expect((await versions("About"))[0]).toMatchObject({ toDefault: true });
  });

  test("versions of secrets are sealed and never shown, and can be brought back", async () => {
    await set("EpayKey", "key-one");
    await set("EpayKey", "key-two");
    const all = await versions("EpayKey");
    expect(JSON.stringify(all)).not.toMatch(/key-(one|two)/);
    expect(all[0]).toMatchObject({ secret: true, difference: null });
    const rows = await api.database.db.select().from(optionVersions).where(eq(optionVersions.key, "EpayKey"));
    expect(rows.every((row) => row.sealed && !`${row.before}${row.after}`.includes("key-"))).toBe(true);
    await revertOption(asRoot(), all[1]?.id ?? 0);
    expect((await loadOptions(api.database.db)).EpayKey).toBe("key-one");
  });

  test("pages go back by key, ten at a time, for a super administrator alone", async () => {
    for (let i = 0; i < 12; i++) await set("Footer", `footer ${i}`);
    const first = await listOptionVersions(asRoot(), "Footer");
    const second = await listOptionVersions(asRoot(), "Footer", first.next);
    expect([first.items.length, second.items.length >= 2, second.next]).toEqual([10, true, null]);
    const ctx = { ...asRoot(), actor: { ...asRoot().actor, role: 10 } } as ServiceContext;
    await expect(listOptionVersions(ctx, "Footer")).rejects.toMatchObject({ code: "forbidden" });
    await expect(listOptionViews(ctx)).rejects.toMatchObject({ code: "forbidden" });
    await expect(saveOptions(ctx, [])).rejects.toMatchObject({ code: "forbidden" });
    await expect(revertOption(ctx, 1)).rejects.toMatchObject({ code: "forbidden" });
  });
});

describe("saving several", () => {
  test("each is saved on its own; a refusal does not hold up the others (A131, A213)", async () => {
    const results = await saveOptions(asRoot(), [
      { key: "QuotaForNewUser", value: "-5" },
      { key: "QuotaForInviter", value: "50" },
      { key: "Nothing", value: "1" },
    ]);
    expect(results.map(({ key, error }) => [key, error?.messageKey ?? null])).toEqual([
      ["QuotaForNewUser", "optionInvalid"],
      ["QuotaForInviter", null],
      ["Nothing", "optionUnknown"],
    ]);
    expect([await read("QuotaForNewUser"), await read("QuotaForInviter")]).toEqual(["0", "50"]);
  });

  test.each([
    ["claude.default_max_tokens", "{", "optionNotJson"],
    ["claude.default_max_tokens", '{"default": 0}', "optionNotTokens"],
    ["claude.default_max_tokens", '{"default": "8192"}', "optionNotTokens"],
    ["claude.model_headers_settings", '{"claude": {"x-api-key": ["k"]}}', "optionNotHeaders"],
    ["claude.model_headers_settings", '{"claude": {"x-a": "one\\r\\nx-b: two"}}', "optionNotHeaders"],
    ["claude.model_headers_settings", '{"claude": ["x-a"]}', "optionNotHeaders"],
    ["claude.thinking_adapter_budget_tokens_percentage", "80", "optionInvalid"],
    ["gemini.safety_settings", '{"default": "NEVER"}', "optionNotThresholds"],
    ["gemini.safety_settings", '{"HARASSMENT": "OFF"}', "optionNotThresholds"],
    ["gemini.version_settings", '{"default": "v1/../v2"}', "optionNotVersions"],
    ["gemini.version_settings", "[]", "optionNotVersions"],
  ])("what an upstream could not be sent is refused with what it should be: %s = %s", async (key, value, reason) => {
    const before = await read(key);
    const [result] = await saveOptions(asRoot(), [{ key, value }]);
    expect(result?.error?.messageKey).toBe(reason);
    expect([zh.errors, en.errors].every((texts) => reason in texts)).toBe(true);
    expect(await read(key)).toBe(before);
  });

  test("a switch may be turned on along with what it needs", async () => {
    const results = await saveOptions(asRoot(), [
      { key: "oidc.enabled", value: "true" },
      { key: "oidc.client_id", value: "client" },
    ]);
    expect(results.every(({ error }) => error === null)).toBe(true);
  });

  test("what somebody else saved in the meantime is not overwritten", async () => {
    await set("RetryTimes", "2");
    const [late] = await saveOptions(asRoot(), [{ key: "RetryTimes", value: "5", base: "0" }]);
    expect(late?.error).toMatchObject({ code: "conflict", messageKey: "optionChanged" });
    expect(await read("RetryTimes")).toBe("2");
    const [intime] = await saveOptions(asRoot(), [{ key: "RetryTimes", value: "5", base: "2" }]);
    expect(intime?.error).toBeNull();
  });

  test("of twenty at once with the same base exactly one is saved", async () => {
    await set("MinTopUp", "3");
    const attempts = Array.from({ length: 20 }, (_, index) =>
      saveOptions(asRoot(), [{ key: "MinTopUp", value: String(100 + index), base: "3" }]),
    );
    const results = (await Promise.all(attempts)).flat();
    expect(results.filter(({ error }) => error === null)).toHaveLength(1);
  });
});

test("every change stands in the audit log, of maps only what differs, of secrets only that", async () => {
  await set("GroupRatio", '{"default":1,"vip":1,"svip":1}');
  await set("GroupRatio", '{"default":1,"vip":0.8,"svip":1}');
  await set("WorkerValidKey", "hush-hush");
  const rows = await api.database.db.select().from(auditEntries).orderBy(desc(auditEntries.id)).limit(2);
  expect(rows[0]).toMatchObject({ action: "option.set", subject: "option:WorkerValidKey", actorId: api.root.id });
  expect(JSON.stringify(rows)).not.toContain("hush-hush");
  expect(rows[1]).toMatchObject({ subject: "option:GroupRatio", before: { vip: 1 }, after: { vip: 0.8 } });
});

test("the settings page gets every option with a card, and no secret's value (A088)", async () => {
  await set("SMTPToken", "never-shown");
  const views = await listOptionViews(asRoot());
  expect(JSON.stringify(views)).not.toContain("never-shown");
  expect(views.find((view) => view.key === "SMTPToken")).toMatchObject({ secret: true, value: "", isSet: true });
  expect(views.find((view) => view.key === "DataExportInterval")).toMatchObject({
    control: "number",
    min: 1,
    unit: "minutes",
  });
});

test("with a fixed price and a ratio set the charge is the fixed price (A134)", async () => {
  await set("ModelPrice", '{"both-model":0.5}');
  await set("ModelRatio", '{"both-model":99}');
  const price = resolvePrice("both-model", 1, await loadOptions(api.database.db));
  if (!price) throw new Error("no price");
  const tokens = { promptTokens: 1_000, completionTokens: 1_000, cachedTokens: 0, cacheWriteTokens: 0 };
  const usage = { ...tokens, audioPromptTokens: 0, audioCompletionTokens: 0, estimated: false };
  expect(priceUsage(usage, price).quota).toBe(0.5 * price.quotaPerUnit);
});

describe("the test message", () => {
  test("goes to the caller's own address by the settings as saved, in the caller's language", async () => {
    const server = await startMailServer({ plainOnly: true });
    try {
      const saved = { SMTPServer: "127.0.0.1", SMTPPort: String(server.port), SMTPFrom: "site@weir.example" };
      for (const [key, value] of Object.entries(saved)) await set(key, value);
      await saveOptions(
        asRoot(),
        ["SMTPAccount", "SMTPToken", "SMTPSSLEnabled"].map((key) => ({ key, value: null })),
      );
      expect(await sendTestMail(asRoot(), "zh")).toEqual({
        to: "root@weir.example",
        error: null,
        answer: expect.stringMatching(/^250 /),
      });
      expect(server.latestTo("root@weir.example").mail.subject).toContain("测试邮件");
      await sendTestMail(asRoot(), "en");
      expect(server.latestTo("root@weir.example").mail.subject).toContain("Test message");
    } finally {
      await server.stop();
    }
  });

  test("that the server refuses shows what the server said, and one without a server why it was not reached", async () => {
    const server = await startMailServer({ plainOnly: true, refuse: ["root@weir.example"] });
    try {
      const saved = { SMTPServer: "127.0.0.1", SMTPPort: String(server.port), SMTPFrom: "site@weir.example" };
      for (const [key, value] of Object.entries(saved)) await set(key, value);
      const refused = await sendTestMail(asRoot(), "en");
      expect(refused.error).toMatchObject({ messageKey: "mailRejected" });
      expect(refused.answer).toMatch(/^550 .*no such mailbox/);
    } finally {
      await server.stop();
    }
    const gone = await sendTestMail(asRoot(), "en");
    expect(gone.error).toMatchObject({ messageKey: "mailUnreachable" });
    expect(gone.answer).toContain("ECONNREFUSED");
  });

  test("is refused without an address, without a server and for others", async () => {
    await set("SMTPServer", "");
    await expect(sendTestMail(asRoot(), "en")).rejects.toMatchObject({ messageKey: "mailNotConfigured" });
    await api.database.db.update(users).set({ email: "" }).where(eq(users.id, api.root.id));
    await expect(sendTestMail(asRoot(), "en")).rejects.toMatchObject({ messageKey: "testMailNoAddress" });
    const ctx = { ...asRoot(), actor: { ...asRoot().actor, role: 10 } } as ServiceContext;
    await expect(sendTestMail(ctx, "en")).rejects.toMatchObject({ code: "forbidden" });
  });
});

test("the preview of clearing logs counts what is older, and is for administrators", async () => {
  const now = Math.floor(Date.now() / 1000);
  const row = { userId: api.alice.id, username: "alice", type: 2, content: "" };
  const rows = [0, 1, 2].map((index) => ({
    ...row,
    requestId: `count-${index}`,
    createdAt: now - 1_000 * (index + 1),
  }));
  await api.database.db.insert(usageLogs).values(rows);
  expect(await countLogsBefore(asRoot(), now - 1_500)).toEqual({ count: 2, more: false });
  await expect(countLogsBefore(asRoot(), 0)).rejects.toMatchObject({ messageKey: "logTargetMissing" });
  const ctx = { ...asRoot(), actor: { ...asRoot().actor, role: 1 } } as ServiceContext;
  await expect(countLogsBefore(ctx, now)).rejects.toMatchObject({ code: "forbidden" });
});
