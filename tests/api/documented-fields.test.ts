/**
 * Every field of a body that the OpenAPI document names is taken or refused: sent with a value that is not there yet it is seen in the
 * row that comes back, or the call says why not. None is dropped in silence.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { describeApi } from "@/app/api/openapi.json/document";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { documentPath } from "@/lib/http/openapi/naming";
import { call, createPerson, setUpApi, type Table } from "./harness";

const api = setUpApi();
type Row = Record<string, unknown> & { id: number };
type Case = {
  /** The value to send, or what is expected of the row for it. */
  value: unknown;
  /** What the row has then; absent = the value under the same name. */
  becomes?: Record<string, unknown>;
  /** Fields that go along. */
  with?: Record<string, unknown>;
  /** Part of the refusal's text. */
  refused?: RegExp;
  /** Why nothing is seen of it: it selects, proves, or is only compared. Then a wrong value must be refused. */
  checked?: { wrong: unknown };
};
type Cases = Record<string, Case>;

const soon = Math.floor(Date.now() / 1_000) + 86_400;
const limits: Cases = {
  requests_per_minute: { value: 7 },
  tokens_per_minute: { value: 8 },
  concurrency_limit: { value: 9 },
  budget_day: { value: 11 },
  budget_week: { value: 12 },
  budget_month: { value: 13 },
};

const tokenFields: Cases = {
  ...limits,
  requests_per_minute: { value: 7, becomes: { rate_limit_count: 7, rate_limit_seconds: 60 } },
  name: { value: "another" },
  expired_time: { value: soon },
  remain_quota: { value: 4_321 },
  unlimited_quota: { value: true },
  model_limits_enabled: { value: true, with: { model_limits: "gpt-4o" } },
  model_limits: { value: "gpt-4o", with: { model_limits_enabled: true } },
  user_id: { value: 1, checked: { wrong: 2_000_000_000 } },
  operation_limits: { value: "chat" },
  allow_ips: { value: "192.0.2.1" },
  deny_ips: { value: "192.0.2.2" },
  group: { value: "vip" },
  rate_limit_count: { value: 3 },
  rate_limit_seconds: { value: 30 },
  rate_limit_message: { value: "slow down" },
};
const channelFields: Cases = {
  type: { value: 14 },
  key: { value: "sk-new", becomes: { key: "" } },
  openai_organization: { value: "org" },
  test_model: { value: "gpt-4o" },
  status: { value: 2 },
  name: { value: "another" },
  weight: { value: 5 },
  base_url: { value: "https://other.example" },
  other: { value: "2024-01-01" },
  models: { value: "gpt-4o,gpt-4o-mini" },
  group: { value: "default,vip" },
  groups: { value: ["default", "vip"], with: { group: null }, becomes: { group: "default,vip" } },
  model_mapping: { value: '{"gpt-4o":"m"}' },
  status_code_mapping: { value: '{"400":"500"}' },
  priority: { value: 6 },
  auto_ban: { value: 0 },
  tag: { value: "tagged" },
  setting: { value: '{"proxy":"http://192.0.2.9:1"}' },
  param_override: { value: '{"temperature":0}' },
  requests_per_minute: { value: 7 },
  tokens_per_minute: { value: 8 },
  concurrency_limit: { value: 9 },
};
const codeFields: Cases = { name: { value: "another" }, quota: { value: 77 }, expired_time: { value: soon } };

type Place = {
  line: string;
  table: Table;
  cases: Cases;
  make: () => Promise<Row>;
  send: (row: Row, body: object) => Promise<{ json: Answer; row: Row | undefined }>;
};
type Answer = { success: boolean; message: string };

const by = (table: Table, line: string, body?: object) =>
  call(table, line, { as: api.root, ...(body ? { body } : {}) });
const newest = async (table: Table, line: string): Promise<Row> => {
  const { data } = (await by(table, line)).json;
  const rows: Row[] = Array.isArray(data) ? data : data.items;
  return rows.reduce((last, row) => (row.id > last.id ? row : last));
};
const read = async (table: Table, base: string, id: number) => (await by(table, `GET ${base}/${id}`)).json.data as Row;

let count = 0;
const token = { name: "key", remain_quota: 500 };
const channel = {
  type: 1,
  name: "c",
  key: "sk-old",
  models: "gpt-4o",
  group: "default",
  base_url: "https://api.example",
};
const fresh = () => ({ ...channel, key: `sk-${++count}`, tag: `t${count}` });

/** Rows by which a call's effect is seen. */
const PLACES: Place[] = [
  {
    line: "POST /api/token",
    table: tokenApi,
    cases: { ...tokenFields, status: { value: 2 } },
    make: async () => ({ id: 0 }),
    send: async (_row, body) => {
      const { json } = await by(tokenApi, "POST /api/token/", { ...token, ...body });
      return { json, row: json.data };
    },
  },
  {
    line: "PUT /api/token",
    table: tokenApi,
    cases: {
      ...tokenFields,
      id: { value: 1, checked: { wrong: 0 } },
      status: { value: 2, refused: /status_only/ },
      seen_remain_quota: { value: 400, with: { remain_quota: 450 }, becomes: { remain_quota: 550 } },
      used_quota: { value: 0, with: { remain_quota: 450 }, becomes: { remain_quota: 450 } },
    },
    make: async () => (await by(tokenApi, "POST /api/token/", token)).json.data,
    send: async (row, body) => {
      const { json } = await by(tokenApi, "PUT /api/token/", { id: row.id, ...body });
      return { json, row: json.data };
    },
  },
  {
    line: "POST /api/redemption",
    table: redemptionApi,
    cases: { ...codeFields, count: { value: 3, becomes: { made: 3 } } },
    make: async () => ({ id: 0 }),
    send: async (_row, body) => {
      const { json } = await by(redemptionApi, "POST /api/redemption/", { name: "code", quota: 5, ...body });
      return { json, row: { ...(await newest(redemptionApi, "GET /api/redemption/")), made: json.data?.length } };
    },
  },
  {
    line: "PUT /api/redemption",
    table: redemptionApi,
    cases: { ...codeFields, id: { value: 1, checked: { wrong: 0 } }, status: { value: 2, refused: /status_only/ } },
    make: async () => {
      await by(redemptionApi, "POST /api/redemption/", { name: "code", quota: 5 });
      return newest(redemptionApi, "GET /api/redemption/");
    },
    send: async (row, body) => {
      const { json } = await by(redemptionApi, "PUT /api/redemption/", { id: row.id, ...body });
      return { json, row: json.data };
    },
  },
  {
    line: "POST /api/user",
    table: userApi,
    cases: {
      username: { value: "newcomer" },
      password: { value: "password-9", checked: { wrong: "short" } },
      display_name: { value: "New" },
      group: { value: "vip" },
      quota: { value: 900 },
      ...limits,
      role: { value: 10, refused: /manage/ },
    },
    make: async () => ({ id: 0 }),
    send: async (_row, body) => {
      const { json } = await by(userApi, "POST /api/user/", {
        username: `u${++count}`,
        password: "password-8",
        ...body,
      });
      return { json, row: await newest(userApi, "GET /api/user/") };
    },
  },
  {
    line: "PUT /api/user",
    table: userApi,
    cases: {
      ...limits,
      id: { value: 1, checked: { wrong: 0 } },
      username: { value: "renamed" },
      display_name: { value: "Renamed" },
      password: { value: "password-9", checked: { wrong: "short" } },
      group: { value: "vip" },
      quota: { value: 900 },
      seen_quota: { value: -100, with: { quota: 50 }, becomes: { quota: 150 } },
      used_quota: { value: 0, with: { quota: 50 }, becomes: { quota: 50 } },
      role: { value: 10, refused: /manage/ },
    },
    make: async () => ({ id: (await createPerson(api.database, `p${++count}`, 1)).id }),
    send: async (row, body) => {
      const { json } = await by(userApi, "PUT /api/user/", { id: row.id, ...body });
      return { json, row: await read(userApi, "/api/user", row.id) };
    },
  },
  {
    line: "POST /api/channel",
    table: channelApi,
    cases: {
      ...channelFields,
      id: { value: 1, checked: { wrong: 0 }, with: { key: "" } },
      copy_from: { value: 1, checked: { wrong: 2_000_000_000 }, with: { key: "" } },
      mode: { value: "multi_to_single", with: { key: "sk-1\nsk-2" }, becomes: { made: 1 } },
    },
    make: async () => ({ id: 0 }),
    send: async (_row, body) => {
      const [before] = await api.database.sql`select count(*)::int as made from channels`;
      const { json } = await by(channelApi, "POST /api/channel/", { ...fresh(), ...body });
      const [after] = await api.database.sql`select count(*)::int as made from channels`;
      return { json, row: { ...(await newest(channelApi, "GET /api/channel/")), made: after?.made - before?.made } };
    },
  },
  {
    line: "PUT /api/channel",
    table: channelApi,
    cases: { ...channelFields, id: { value: 1, checked: { wrong: 0 } } },
    make: async () => {
      await by(channelApi, "POST /api/channel/", fresh());
      return newest(channelApi, "GET /api/channel/");
    },
    send: async (row, body) => {
      const { json } = await by(channelApi, "PUT /api/channel/", { id: row.id, ...body });
      return { json, row: json.data };
    },
  },
  {
    line: "PUT /api/channel/tag",
    table: channelApi,
    cases: {
      ...Object.fromEntries(
        ["weight", "priority", "model_mapping", "models", "group", "groups"].map((name) => [
          name,
          channelFields[name] as Case,
        ]),
      ),
      tag: { value: "no such tag", refused: /./ },
      new_tag: { value: "moved", becomes: { tag: "moved" } },
    },
    make: async () => {
      await by(channelApi, "POST /api/channel/", fresh());
      return newest(channelApi, "GET /api/channel/");
    },
    send: async (row, body) => {
      const { json } = await by(channelApi, "PUT /api/channel/tag", { tag: row.tag, ...body });
      return { json, row: await read(channelApi, "/api/channel", row.id) };
    },
  },
];

const document = describeApi({ title: "Weir", serverUrl: "https://weir.example" }, "en");

/** The fields that the document names for a call's JSON body. */
function documented(line: string): string[] {
  const [method = "", path = ""] = line.split(" ");
  const operation = document.paths[path]?.[method.toLowerCase() as "post"];
  const schema = operation?.requestBody?.content?.["application/json"]?.schema as { properties?: object } | undefined;
  return Object.keys(schema?.properties ?? {});
}

/** The fields of a proof go along with any call that may ask for one (contract §1.2), and have tests of their own. */
const PROOF = /^(confirm|proof|step_up|current)_?/;

beforeAll(async () => {
  const { sql } = api.database;
  await sql`insert into options (key, value) values
    ('GroupRatio', '{"default":1,"vip":2}'), ('UserUsableGroups', '{"default":"d","vip":"v"}')
    on conflict (key) do update set value = excluded.value`;
});

describe("a documented field is taken or refused", () => {
  const all = PLACES.flatMap((place) =>
    Object.entries(place.cases).map(([field, one]) => ({ name: `${place.line} ${field}`, place, field, one })),
  );

  test.each(all)("$name", async ({ place, field, one }) => {
    const row = await place.make();
    const body = { ...one.with, [field]: one.value };
    if (one.checked) {
      const wrong = await place.send(row, { ...one.with, [field]: one.checked.wrong });
      expect(wrong.json.success, JSON.stringify(wrong.json)).toBe(false);
      return;
    }
    const { json, row: after } = await place.send(row, body);
    if (one.refused) {
      expect(json).toMatchObject({ success: false, message: expect.stringMatching(one.refused) });
      return;
    }
    expect(json, JSON.stringify(json)).toMatchObject({ success: true });
    expect(after).toMatchObject(one.becomes ?? { [field]: one.value });
  });

  test.each(PLACES)("$line has a case for each of its fields, and for no other", ({ line, cases }) => {
    const fields = documented(line).filter((field) => !PROOF.test(field));
    expect(fields.length).toBeGreaterThan(2);
    expect(Object.keys(cases).sort()).toEqual(fields.sort());
  });
});

/** Calls whose fields each have a command of their own that needs them, or tests by name elsewhere. */
const OWN_TESTS = [
  ...["POST /api/channel/batch", "POST /api/channel/batch/tag", "POST /api/channel/tag/enabled"],
  ...["POST /api/channel/tag/disabled", "POST /api/channel/fetch_models", "POST /api/channel/copy/{id}"],
  ...["POST /api/channel/keys/{id}", "PUT /api/channel/keys/{id}", "DELETE /api/channel/keys/{id}"],
  ...["DELETE /api/channel/circuits/{id}", "PUT /api/option", "POST /api/user/login", "POST /api/user/login/2fa"],
  ...["POST /api/user/passkey/login/begin", "POST /api/user/passkey/login/finish"],
  ...["POST /api/user/passkey/register/finish", "PUT /api/user/passkey", "POST /api/user/2fa/enable"],
  ...["POST /api/user/confirm", "POST /api/user/confirm/passkey/finish", "POST /api/user/register"],
  ...["POST /api/user/reset", "PUT /api/user/self", "PUT /api/user/setting", "POST /api/user/setting/wxpusher"],
  ...["POST /api/user/notification/read", "POST /api/user/notification/announcement", "POST /api/user/aff_transfer"],
  ...["POST /api/user/topup", "POST /api/user/amount", "POST /api/user/pay", "POST /api/user/stripe/amount"],
  ...["POST /api/user/stripe/pay", "POST /api/user/manage", "POST /api/token/batch"],
];

test("every call of /api with a body is one of these", () => {
  const lines = routeTables().flatMap(({ base, routes }) =>
    base.startsWith("/api/")
      ? routes
          .filter(({ body }) => body instanceof z.ZodType)
          .map((row) => `${row.method} ${documentPath(base, row.path)}`)
      : [],
  );
  expect(lines.sort()).toEqual([...PLACES.map(({ line }) => line), ...OWN_TESTS].sort());
});

describe("a code's time", () => {
  const past = Math.floor(Date.now() / 1_000) - 60;

  test("in the past is refused, and no code is made", async () => {
    const { json } = await by(redemptionApi, "POST /api/redemption/", { name: "late", quota: 5, expired_time: past });
    expect(json).toMatchObject({ success: false, message: expect.stringContaining("过期时间") });
    expect(await api.database.sql`select 1 from redemptions where name = 'late'`).toEqual([]);
    for (const wrong of [-2, 1.5, 1e12, "soon"]) {
      expect(
        (await by(redemptionApi, "POST /api/redemption/", { name: "late", quota: 5, expired_time: wrong })).json
          .success,
      ).toBe(false);
    }
  });

  test("that is over has the code credit nothing and say so; 0 and -1 never end", async () => {
    const make = async (more: object) =>
      (await by(redemptionApi, "POST /api/redemption/", { name: "timed", quota: 5, ...more })).json.data[0] as string;
    const ended = await make({ expired_time: soon });
    await api.database.sql`update redemptions set expired_time = ${past} where key = ${ended}`;
    const redeem = async (key: string) =>
      (await call(userApi, "POST /api/user/topup", { as: api.alice, body: { key } })).json;
    expect(await redeem(ended)).toMatchObject({ success: false, message: expect.stringContaining("过期") });
    expect(await api.database.sql`select quota from users where id = ${api.alice.id}`).toEqual([{ quota: 0 }]);
    for (const never of [{}, { expired_time: 0 }, { expired_time: -1 }])
      expect(await redeem(await make(never))).toMatchObject({ data: 5 });
    // Its row sent back whole is no attempt to set a time that is over, and a new time makes it good again.
    const [row] = await api.database.sql<
      Row[]
    >`select id, name, quota, status, expired_time from redemptions where key = ${ended}`;
    expect((await by(redemptionApi, "PUT /api/redemption/", { ...row, name: "again" })).json.success).toBe(true);
    expect((await by(redemptionApi, "PUT /api/redemption/", { ...row, expired_time: past + 1 })).json.success).toBe(
      false,
    );
    await by(redemptionApi, "PUT /api/redemption/", { ...row, expired_time: soon });
    expect(await redeem(ended)).toMatchObject({ success: true, data: 5 });
  });
});

describe("a key's limit of requests", () => {
  test("by two fields that say different things is refused; a whole row with requests_per_minute is not", async () => {
    const two = { name: "k", requests_per_minute: 5, rate_limit_count: 9 };
    expect((await by(tokenApi, "POST /api/token/", two)).json).toMatchObject({ success: false });
    const { data } = (await by(tokenApi, "POST /api/token/", { name: "k", requests_per_minute: 5 })).json;
    expect((await by(tokenApi, "PUT /api/token/", { ...data, requests_per_minute: 5 })).json.data).toMatchObject({
      rate_limit_count: 5,
    });
    expect((await by(tokenApi, "PUT /api/token/", { id: data.id, requests_per_minute: 0 })).json.data).toMatchObject({
      rate_limit_count: 0,
    });
  });
});
