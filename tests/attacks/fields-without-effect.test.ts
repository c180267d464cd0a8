/**
 * Who: a program that sends a limit under a name that Weir does not know, or without what gives it effect, and believes that it holds.
 * What must hold, for every body of /api: a field that does nothing is named in the reply, a limit that would do nothing is refused
 * and nothing is made or changed; what a body leaves out has the defaults that the document says; the document says what is required.
 */
import { beforeAll, describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { describeApi } from "@/app/api/openapi.json/document";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { documentPath } from "@/lib/http/openapi/naming";
import { call, setUpApi, type Table } from "../api/harness";

const api = setUpApi();
type Body = Record<string, unknown>;
type Schema = {
  properties?: Record<string, Body & { description?: string; default?: unknown; enum?: unknown[]; anyOf?: Body[] }>;
  required?: string[];
  anyOf?: Schema[];
};

const document = describeApi({ title: "Weir", serverUrl: "https://weir.example" }, "en");
const chinese = describeApi({ title: "Weir", serverUrl: "https://weir.example" }, "zh");
const bodyOf = (line: string, of = document): Schema => {
  const [method = "", path = ""] = line.split(" ");
  return of.paths[path]?.[method.toLowerCase()]?.requestBody?.content["application/json"]?.schema as Schema;
};

/** Every call of /api that reads a JSON body by a schema. */
const CALLS = routeTables().flatMap(({ base, routes, handler }) =>
  base.startsWith("/api/")
    ? routes.flatMap(({ method, path, body, access }) =>
        body
          ? [
              {
                line: `${method} ${documentPath(base, path)}`,
                table: { [method]: handler } as unknown as Table,
                access,
              },
            ]
          : [],
      )
    : [],
);

let count = 0;
/** What a call cannot do without, made anew each time. */
const LEAST: Record<string, () => Body> = {
  "POST /api/token": () => ({ name: "key" }),
  "POST /api/redemption": () => ({ name: "code" }),
  "POST /api/user": () => ({ username: `u${++count}`, password: "password-8" }),
  "POST /api/channel": () => ({ type: 1, name: "c", key: `sk-${++count}`, models: "gpt-4o" }),
};
const TABLES: Record<string, Table> = {
  "POST /api/token": tokenApi,
  "POST /api/redemption": redemptionApi,
  "POST /api/user": userApi,
  "POST /api/channel": channelApi,
};
const send = async (line: string, body: Body, headers: Record<string, string> = { "accept-language": "en" }) =>
  (await call(TABLES[line] as Table, line, { as: api.root, body, headers })).json;
const rowsOf = async () =>
  (
    await api.database.sql`select (select count(*) from tokens)::int + (select count(*) from redemptions)::int
      + (select count(*) from users)::int + (select count(*) from channels)::int as made`
  )[0]?.made as number;

beforeAll(async () => {
  await api.database.sql`insert into options (key, value) values
    ('GroupRatio', '{"default":1,"vip":2}'), ('UserUsableGroups', '{"default":"d","vip":"v"}')
    on conflict (key) do update set value = excluded.value`;
});

describe("a limit that would have no effect is refused, and nothing is made (B327)", () => {
  const misspelt: [line: string, field: string, value: unknown, meant: string | null][] = [
    ["POST /api/token", "budget_monthly", 5, "budget_month"],
    ["POST /api/token", "monthly_budget", 5, "budget_month"],
    ["POST /api/token", "budgetMonth", 5, "budget_month"],
    ["POST /api/token", "budgt_day", 5, "budget_day"],
    ["POST /api/token", "daily_budget", 5, "budget_day"],
    ["POST /api/token", "models", ["gpt-4o"], "model_limits"],
    ["POST /api/token", "allowed_models", "gpt-4o", "model_limits"],
    ["POST /api/token", "request_per_minute", 5, "requests_per_minute"],
    ["POST /api/token", "rpm", 5, "requests_per_minute"],
    ["POST /api/token", "rpm_limit", 5, "requests_per_minute"],
    ["POST /api/token", "tpm_limit", 5, "tokens_per_minute"],
    ["POST /api/token", "max_budget", 5, "remain_quota"],
    ["POST /api/token", "quota", 5, "remain_quota"],
    ["POST /api/token", "max_parallel_requests", 5, "concurrency_limit"],
    ["POST /api/token", "concurency_limit", 5, "concurrency_limit"],
    ["POST /api/token", "ip_whitelist", "192.0.2.1", "allow_ips"],
    ["POST /api/token", "allowed_ips", "192.0.2.1", "allow_ips"],
    ["POST /api/token", "expires_at", 5, "expired_time"],
    ["POST /api/token", "expiredTime", 5, "expired_time"],
    ["POST /api/token", "soft_limit_usd", 5, null],
    ["POST /api/token", "model_whitelist", ["gpt-4o"], "model_limits"],
    ["POST /api/token", "model_limits_enable", true, "model_limits_enabled"],
    ["POST /api/token", "allow_model_names", ["gpt-4o"], null],
    ["POST /api/user", "models", ["gpt-4o"], null],
    ["POST /api/user", "allowed_ips", "192.0.2.1", null],
    ["POST /api/user", "budget_monthly", 5, "budget_month"],
    ["POST /api/user", "max_budget", 5, "quota"],
    ["POST /api/channel", "max_rpm", 5, null],
    ["POST /api/channel", "rpm", 5, "requests_per_minute"],
    ["POST /api/redemption", "expires", 5, "expired_time"],
    ["POST /api/redemption", "max_uses", 5, null],
  ];
  test.each(misspelt)("%s %s", async (line, field, value, meant) => {
    const before = await rowsOf();
    const answer = await send(line, { ...LEAST[line]?.(), [field]: value });
    expect(answer).toMatchObject({ success: false, message: expect.stringContaining(field) });
    if (meant !== null) expect(answer.message).toContain(meant);
    expect(await rowsOf()).toBe(before);
  });

  // A form that anybody may send has no limits to set: what a browser's extension or an older client adds must not stop a sign-in.
  test.each(CALLS)("$line: whatever the call is, where it needs a sign-in", async ({ line, table, access }) => {
    const least = LEAST[line]?.() ?? exampleOf(bodyOf(line));
    const target = line.replace("{id}", "1");
    const answer = await call(table, target, {
      as: api.root,
      body: { ...least, monthly_spend_limit: 5 },
      headers: { "accept-language": "en" },
    });
    const refused = { success: false, message: expect.stringContaining("monthly_spend_limit") };
    if (access === "public") expect(answer.json).not.toMatchObject(refused);
    else expect(answer.json).toMatchObject(refused);
  });

  test("a list of models without its switch is refused for a new key and for one that has it off, and says how", async () => {
    const before = await rowsOf();
    const refused = { success: false, message: expect.stringContaining("model_limits_enabled: true") };
    expect(await send("POST /api/token", { name: "k", model_limits: "gpt-4o" })).toMatchObject(refused);
    expect(await rowsOf()).toBe(before);
    const { data } = await send("POST /api/token", { name: "k" });
    const put = async (body: Body) =>
      (await call(tokenApi, "PUT /api/token/", { as: api.root, body, headers: { "accept-language": "en" } })).json;
    expect(await put({ id: data.id, model_limits: "gpt-4o", name: "other" })).toMatchObject(refused);
    const [row] = await api.database.sql`select name, model_limits from tokens where id = ${data.id}`;
    expect(row).toEqual({ name: "k", model_limits: "" });
    const both = { id: data.id, model_limits: "gpt-4o", model_limits_enabled: true };
    expect((await put(both)).data).toMatchObject({ model_limits: "gpt-4o", model_limits_enabled: true });
    // While it is on, the list alone is enough.
    expect((await put({ id: data.id, model_limits: "gpt-4o-mini" })).data).toMatchObject({
      model_limits: "gpt-4o-mini",
    });
    // A form that switches it off and keeps the list says so itself, and is told what that means.
    const off = await put({ id: data.id, model_limits: "gpt-4o", model_limits_enabled: false });
    expect(off).toMatchObject({ success: true, warnings: [{ field: "model_limits", code: "no_effect" }] });
  });

  const harmless: [line: string, body: Body][] = [
    // What consoles and scripts for other gateways send of channels, keys and accounts beside what bounds something.
    ["POST /api/channel", { allow_service_tier: true, allow_safety_identifier: true, allow_inference_geo: true }],
    ["POST /api/channel", { upstream_model_update_check_enabled: true, upstream_model_update_ignored_models: ["a"] }],
    ["POST /api/channel", { upstream_model_update_last_detected_models: "a,b", model_headers: '{"x":"y"}' }],
    ["POST /api/channel", { channel_info: { is_multi_key: true, multi_key_mode: "random" }, header_override: "{}" }],
    ["POST /api/channel", { settings: '{"allow_speed":true}', remark: "r", vertex_key_type: "json", proxy: "p" }],
    ["POST /api/token", { cross_group_retry: true, backup_group: "vip", setting: { heartbeat: {} }, remark: "r" }],
    ["POST /api/token", { record_ip_log: true, quota_warning_type: "percent", model_mapping: "{}" }],
    ["POST /api/user", { remark: "r", sidebar_modules: "{}", permissions: {}, spend_alert: true }],
  ];
  test.each(harmless)("%s %j bounds nothing, and is only named", async (line, body) => {
    const answer = await send(line, { ...LEAST[line]?.(), ...body });
    expect(answer, JSON.stringify(answer)).toMatchObject({ success: true });
    expect(answer.warnings.map((one: { field: string }) => one.field).sort()).toEqual(Object.keys(body).sort());
  });

  test("what an account's settings say in other consoles is only named", async () => {
    const body = { notify_type: "email", quota_warning_threshold: 500_000, accept_unset_model_ratio_model: false };
    const more = { record_ip_log: true, upstream_model_update_notify_enabled: true, gotify_priority: 5 };
    const answer = await call(userApi, "PUT /api/user/setting", { as: api.alice, body: { ...body, ...more } });
    expect(answer.json, JSON.stringify(answer.json)).toMatchObject({ success: true });
    expect(answer.json.warnings).toHaveLength(3);
  });

  test("what a call that only switches a key or code leaves as it was is named", async () => {
    const headers = { "accept-language": "en" };
    const key = (await send("POST /api/token", { name: "k" })).data;
    const put = async (table: Table, line: string, body: Body) =>
      (await call(table, `PUT /api/${line}/?status_only=1`, { as: api.root, body, headers })).json;
    const row = { ...key, key: undefined };
    const stale = await put(tokenApi, "token", { ...row, status: 2, used_quota: 3 });
    expect(stale).toMatchObject({ success: true, data: { status: 2 } });
    expect(stale.warnings).toBeUndefined();
    const more = await put(tokenApi, "token", { id: key.id, status: 1, budget_month: 5, requests_per_minute: 9 });
    expect(more.warnings.map((one: { field: string }) => one.field).sort()).toEqual([
      "budget_month",
      "requests_per_minute",
    ]);
    expect(more.warnings[0].message).toContain("only the status is changed");
    expect(await api.database.sql`select budget_month::int as b from tokens where id = ${key.id}`).toEqual([{ b: 0 }]);
    await send("POST /api/redemption", { name: "switched" });
    const [code] = await api.database.sql`select id from redemptions where name = 'switched'`;
    const off = await put(redemptionApi, "redemption", { id: code?.id, status: "disabled", quota: 5 });
    expect(off).toMatchObject({ success: true, warnings: [{ field: "quota", code: "no_effect" }] });
  });

  test("what forms of other consoles send for fields left empty is no limit", async () => {
    for (const value of [0, "", null, false, [], {}, -1]) {
      const answer = await send("POST /api/channel", { ...LEAST["POST /api/channel"]?.(), max_input_tokens: value });
      expect(answer, JSON.stringify(value)).toMatchObject({
        success: true,
        warnings: [{ field: "max_input_tokens", code: "unknown_field" }],
      });
    }
  });
});

describe("a field that does nothing is named", () => {
  test.each(Object.keys(LEAST))(
    "%s: unknown fields, with the name that was meant, in the language of the request",
    async (line) => {
      const answer = await send(line, { ...LEAST[line]?.(), nmae: "x", note: "y" });
      expect(answer.success, JSON.stringify(answer)).toBe(true);
      const named = Object.fromEntries(
        answer.warnings.map((one: { field: string; message: string }) => [one.field, one.message]),
      );
      expect(Object.keys(named).sort()).toEqual(["nmae", "note"]);
      expect(named.note).toContain("not a field of this call");
      if (line !== "POST /api/user") expect(named.nmae).toContain("did you mean name");
      const inChinese = await send(line, { ...LEAST[line]?.(), note: "y" }, {});
      expect(inChinese.warnings[0].message).toContain("没有参数 note");
    },
  );

  test("what only Weir sets is named when it is sent with another value, and not in a row that is sent back as it was read", async () => {
    const { data } = await send("POST /api/token", { name: "k" });
    const put = async (body: Body) => (await call(tokenApi, "PUT /api/token/", { as: api.root, body })).json;
    expect((await put({ ...data, name: "new" })).warnings).toBeUndefined();
    const changed = await put({ ...data, key_hint: "other", created_time: 5 });
    expect(changed.warnings.map((one: { field: string; code: string }) => [one.field, one.code]).sort()).toEqual([
      ["created_time", "read_only"],
      ["key_hint", "read_only"],
    ]);
    const user = (await send("POST /api/user", LEAST["POST /api/user"]?.() ?? {})).data;
    const same = await call(userApi, "PUT /api/user/", { as: api.root, body: user });
    expect(same.json).toMatchObject({ success: true });
    expect(same.json.warnings).toBeUndefined();
    const banned = await call(userApi, "PUT /api/user/", { as: api.root, body: { ...user, status: 2 } });
    expect(banned.json.warnings).toMatchObject([{ field: "status", code: "read_only" }]);
  });

  const effectless: [line: string, body: Body, field: string][] = [
    ["POST /api/token", { unlimited_quota: true, remain_quota: 5 }, "remain_quota"],
    ["POST /api/token", { rate_limit_seconds: 30 }, "rate_limit_seconds"],
    ["POST /api/token", { rate_limit_message: "slow" }, "rate_limit_message"],
    ["POST /api/token", { key: "sk-mine" }, "key"],
    ["POST /api/redemption", { key: "mine" }, "key"],
    ["POST /api/channel", { mode: "one_for_all" }, "mode"],
    ["POST /api/channel", { status: 3 }, "status"],
    ["POST /api/channel", { used_quota: 5 }, "used_quota"],
  ];
  test.each(effectless)("%s %j", async (line, body, field) => {
    const answer = await send(line, { ...LEAST[line]?.(), ...body });
    expect(answer, JSON.stringify(answer)).toMatchObject({ success: true });
    expect(answer.warnings.map((one: { field: string }) => one.field)).toEqual([field]);
  });

  test("a call in which every field does something has no warnings", async () => {
    for (const line of Object.keys(LEAST)) expect((await send(line, LEAST[line]?.() ?? {})).warnings).toBeUndefined();
  });
});

describe("the document says of every body what the call really does", () => {
  test("a key of which only the name is said may spend 500,000 and never expires", async () => {
    const { data } = await send("POST /api/token", { name: "x" });
    expect(data).toMatchObject({ remain_quota: 500_000, unlimited_quota: false, expired_time: -1, status: 1 });
    expect((await send("POST /api/redemption", { name: "x" })).data).toHaveLength(1);
    expect(await api.database.sql`select quota, expired_time from redemptions where name = 'x'`).toEqual([
      { quota: 100_000, expired_time: 0 },
    ]);
  });

  test.each(Object.keys(LEAST))(
    "%s: without a required field it is refused; what is left out has the stated default",
    async (line) => {
      const { properties = {}, required = [] } = schemaOf(line);
      expect(required.sort()).toEqual(Object.keys(LEAST[line]?.() ?? {}).sort());
      for (const name of required) {
        const { [name]: _, ...rest } = LEAST[line]?.() ?? {};
        expect((await send(line, rest)).success, name).toBe(false);
      }
      const made = await send(line, LEAST[line]?.() ?? {});
      const table = line.split("/").at(-1);
      const [stored = {}] = await api.database
        .sql`select * from ${api.database.sql(`${table}s`)} order by id desc limit 1`;
      const defaults = Object.entries(properties).filter(([, property]) => property.default !== undefined);
      expect(made.success).toBe(true);
      for (const [name, { default: stated }] of defaults) {
        if (name === "count" || stored[name] === undefined) continue;
        // Empty = what stands for it, such as the user name or the usual group.
        if (stated !== "") expect(stored[name], name).toEqual(stated);
      }
      expect(defaults.length).toBeGreaterThan(1);
    },
  );

  test.each(CALLS)(
    "$line: each field has a meaning in both languages, and a body without what is required is refused",
    async ({ line, table }) => {
      for (const of of [document, chinese]) {
        for (const { properties = {} } of parts(bodyOf(line, of)))
          for (const [name, { description }] of Object.entries(properties)) expect(description, name).toBeTruthy();
      }
      const required = parts(bodyOf(line)).some(({ required: names = [] }) => names.length > 0);
      if (!required) return;
      const answer = await call(table, line.replace("{id}", "1"), { as: api.root, body: {} });
      expect(answer.json?.success ?? answer.json?.message !== "success", line).not.toBe(true);
    },
  );

  const numbers: [line: string, field: string, name: string, number: number, wrong: string][] = [
    ["POST /api/channel", "type", "anthropic", 14, "antropic"],
    ["POST /api/channel", "type", "Anthropic", 14, "?"],
    ["POST /api/channel", "type", "14", 14, "x"],
    ["POST /api/channel", "status", "disabled", 2, "off"],
    ["POST /api/token", "status", "disabled", 2, "exhausted"],
  ];
  test.each(numbers)("%s takes %s by name: %s", async (line, field, name, number, wrong) => {
    expect((await send(line, { ...LEAST[line]?.(), [field]: name })).success).toBe(true);
    const table = line.split("/").at(-1);
    const [row] = await api.database.sql`select * from ${api.database.sql(`${table}s`)} order by id desc limit 1`;
    expect(row?.[field]).toBe(number);
    expect((await send(line, { ...LEAST[line]?.(), [field]: wrong })).success).toBe(false);
  });

  test("numbers that have names are documented with them", () => {
    const named = [
      ["POST /api/channel type", "openai"],
      ["PUT /api/channel type", "anthropic"],
      ["POST /api/channel/fetch_models type", "gemini"],
      ["POST /api/channel status", "enabled"],
      ["PUT /api/channel/keys/{id} status", "disabled"],
      ["POST /api/token status", "enabled"],
      ["PUT /api/token status", "disabled"],
      ["PUT /api/redemption status", "unused"],
      ["POST /api/user role", "user"],
      ["PUT /api/user role", "admin"],
    ];
    for (const [place = "", name] of named) {
      const at = place.lastIndexOf(" ");
      const property = schemaOf(place.slice(0, at)).properties?.[place.slice(at + 1)];
      expect(JSON.stringify(property), place).toContain(`"${name}"`);
    }
  });
});

const schemaOf = (line: string): Schema => {
  const schema = bodyOf(line);
  return { ...schema, required: schema.required ?? schema.anyOf?.[0]?.required ?? [] };
};
const parts = (schema: Schema): Schema[] => (schema.properties ? [schema] : (schema.anyOf ?? []));

/** A value for each required field that its schema takes. */
function exampleOf(schema: Schema): Body {
  const [one = {}] = parts(schema);
  const names = one.required ?? [];
  return Object.fromEntries(names.map((name) => [name, valueFor(one.properties?.[name] ?? {})]));
}

function valueFor(property: Body): unknown {
  const { type, enum: choices, pattern, items, minItems, properties, anyOf, const: only } = property;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return valueFor(anyOf[0] as Body);
  if (pattern === "^[0-9a-f]{16}$") return "0123456789abcdef";
  if (type === "array") return Number(minItems) > 0 ? [valueFor((items ?? {}) as Body)] : [];
  if (properties) return exampleOf(property as Schema);
  return type === "integer" || type === "number" ? 1 : "abc";
}
