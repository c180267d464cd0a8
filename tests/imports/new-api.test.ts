import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256Hex, unseal, verifyPassword } from "@/lib/crypto";
import type { TestDatabase } from "@/lib/testing/database";
import { describeReport } from "@/tools/import/describe-report";
import type { ImportReport } from "@/tools/import/run-import";
import { contentOf, dropAfterAll, emptyDatabase, expectBooksInOrder, freshWeir, importInto, left } from "./harness";
import { BCRYPT, keyOf, newApi, PASSWORD, SPRING } from "./new-api-rows";
import { fillPostgres, fillSqlite } from "./source-database";

const folder = mkdtempSync(join(tmpdir(), "weir-import-"));
const file = join(folder, "one-api.db");
let postgresSource = "";
dropAfterAll();

beforeAll(async () => {
  fillSqlite(file, "new-api", newApi);
  postgresSource = await emptyDatabase();
  await fillPostgres(postgresSource, "new-api", newApi);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("a database of new-api into a fresh Weir", () => {
  let weir: TestDatabase;
  let report: ImportReport;
  beforeAll(async () => {
    weir = await freshWeir();
    report = await importInto(weir, `sqlite:${file}`, { withLogs: true });
  });

  test("accounts keep passwords, balances, roles, bindings, inviters and earnings; the books add up", async () => {
    const [two] = await weir.sql`select * from users where username = 'person2'`;
    expect(two).toMatchObject({
      password_hash: BCRYPT,
      email: "two@there.example",
      quota: 2_000_000,
      used_quota: 2_000,
      request_count: 2,
      github_id: "4242",
      github_server: "api.github.com",
      oidc_issuer: "configured:https://id.there.example/.well-known/openid-configuration",
      wechat_server: "wechat.there.example",
      linux_do_server: "connect.linux.do",
      access_token_hash: sha256Hex("system-token-of-two-0123456789ab"),
      aff_quota: 300,
      aff_history_quota: 1_000,
      created_at: SPRING,
      setting: { quota_warning_threshold: 5_000, accept_unset_model_ratio_model: true },
    });
    expect(await verifyPassword(PASSWORD, two?.password_hash)).toBe(true);
    expect(
      await weir.sql`select role, status, "group", display_name, email from users where username = 'person3'`,
    ).toEqual([{ role: 10, status: 2, group: "vip", display_name: "Drei 三 🙂", email: null }]);
    expect(await weir.sql`select quota, github_id from users where username = 'person4'`).toEqual([
      { quota: -500, github_id: null },
    ]);
    const entries = await weir.sql`select amount from ledger_entries where reference like 'import:%:user:2'`;
    expect(entries).toEqual([{ amount: 2_002_000 }]);
    await expectBooksInOrder(weir);
  });

  test("what cannot move is left out for a reason that the report names", () => {
    expect(left(report, "users")).toEqual({
      "deleted there": 1,
      "the user name is taken here (capital letters make no difference)": 1,
      "the balance, or what was used, is beyond 9007199254740991 or no number": 1,
    });
    expect(left(report, "tokens")).toMatchObject({ "deleted there": 1, "the user was not imported": 1 });
    expect(left(report, "channels")).toEqual({
      "the channel type 99 does not exist here": 1,
      "refused as a channel: Choose at least one model": 1,
      "refused as a channel: Enter the key of the channel": 1,
    });
    expect(left(report, "options")).toMatchObject({
      "CompletionRatio: refused (CompletionRatio is not valid JSON)": 1,
      "no such option: console_setting.api_info": 1,
    });
    expect(report.extras).toEqual({ tables: { midjourneys: 1, user_subscriptions: 1 }, missing: [], columns: {} });
  });

  test("the report has no secret in it", () => {
    const text = JSON.stringify(report);
    for (const secret of [keyOf(1), "sk-upstream", "sk-several", "mail-secret", BCRYPT, "JBSWY3DPEHPK3PXP"])
      expect(text).not.toContain(secret);
  });

  test("keys have the same secret, limits, models, addresses and state; none is open to more than it was", async () => {
    const rows = await weir.sql`select * from tokens`;
    const byName = (name: string) => rows.find((row) => row.name === name);
    expect(byName("key 1")).toMatchObject({
      key_hash: sha256Hex(keyOf(1)),
      remain_quota: 500,
      used_quota: 100,
      granted_quota: 600,
    });
    expect(unseal(byName("key 1")?.key_cipher)).toBe(keyOf(1));
    expect(byName("key 2")).toMatchObject({
      unlimited_quota: true,
      model_limits_enabled: true,
      model_limits: "gpt-4o,gpt-4o-mini",
      group: "vip",
    });
    expect(byName("key 3")).toMatchObject({
      status: 2,
      allow_ips: "10.0.0.1\n192.168.0.0/16",
      expired_time: SPRING,
    });
    expect(byName("key 7")).toMatchObject({ status: 4, remain_quota: -40 });
    expect(byName("key 8")).toMatchObject({ status: 2, allow_ips: "" });
    expect(byName("key 9")).toMatchObject({ expired_time: 0, group: "" });
    expect(rows).toHaveLength(7);
  });

  test("channels keep their keys, each in its state, and are switched off where a rule of theirs is lost", async () => {
    const rows = await weir.sql`select * from channels order by id`;
    const byName = (name: string) => rows.find((row) => row.name === name);
    expect(byName("upstream 1")).toMatchObject({
      priority: 5,
      weight: 3,
      group: "default,vip",
      tag: "first",
      status: 1,
    });
    expect(unseal(byName("upstream 1")?.key_cipher)).toBe("sk-upstream-1");
    const keys =
      await weir.sql`select status from channel_keys where channel_id = ${byName("upstream 2")?.id} order by id`;
    expect(keys.map(({ status }) => status)).toEqual([1, 2, 3]);
    expect(JSON.parse(byName("upstream 2")?.setting)).toEqual({
      proxy: "http://10.0.0.9:3128",
      pass_through_body_enabled: true,
      multi_key_mode: "random",
    });
    expect(byName("upstream 3")).toMatchObject({
      status: 3,
      other_info: { status_reason: "quota", status_time: 1_740_000_000 },
    });
    expect(byName("upstream 5")).toMatchObject({ status: 2, model_mapping: "" });
    expect(unseal(byName("upstream 6")?.key_cipher)).toHaveLength(2_048);
    expect(byName("channel 9")).toMatchObject({ type: 14, group: "default" });
  });

  test("settings are taken, secret ones sealed; codes, orders and authenticators are there", async () => {
    const options = await weir.sql`select key, value, sealed from options order by key`;
    expect(options.find(({ key }) => key === "SystemName")?.value).toBe("Riverside");
    expect(options.find(({ key }) => key === "SMTPToken")).toMatchObject({ sealed: true });
    expect(unseal(options.find(({ key }) => key === "SMTPToken")?.value)).toBe("mail-secret");
    expect((await weir.sql`select key, status from redemptions order by key`).map(({ status }) => status)).toEqual([
      1, 3, 2, 2,
    ]);
    expect(await weir.sql`select trade_no, status, quota, provider from top_ups order by id`).toEqual([
      { trade_no: "USR2NOabc1", status: "success", quota: 5_000_000, provider: "epay" },
      { trade_no: "USR2NOabc2", status: "success", quota: 2_250_000, provider: "stripe" },
      { trade_no: "USR2NOabc3", status: "expired", quota: 2_500_000, provider: "epay" },
    ]);
    const [factor, ...others] =
      await weir.sql`select u.username, secret_cipher, enabled_at from totp_factors join users u on u.id = user_id`;
    expect(others).toEqual([]);
    expect(unseal(factor?.secret_cipher)).toBe("JBSWY3DPEHPK3PXP");
  });

  test("logs give used quota its hour, model and channel, and change no balance", async () => {
    const [sums] =
      await weir.sql`select sum(quota)::bigint as quota, count(*)::int as rows from usage_logs where type = 2`;
    expect(sums).toEqual({ quota: 30 * 10 + 300 + 10, rows: 33 });
    const [first] = await weir.sql`select used_quota from channels where name = 'upstream 1'`;
    expect(first?.used_quota).toBe(300);
    expect(await weir.sql`select quota, used_quota from users where username = 'person2'`).toEqual([
      { quota: 2_000_000, used_quota: 2_000 },
    ]);
    const [row] = await weir.sql`select * from usage_logs where request_id like 'import:%:1'`;
    const [ofOthers] = await weir.sql`select token_id from usage_logs where request_id like 'import:%:40'`;
    expect(row?.token_id).toBeGreaterThan(0);
    expect(ofOthers, "the key of another user").toEqual({ token_id: 0 });
    expect(row).toMatchObject({
      use_time_ms: 2_000,
      first_token_ms: 321,
      is_stream: true,
      token_name: "key 1",
      username: "person2",
    });
    expect(left(report, "logs")).toEqual({
      "the user was not imported": 1,
      "no time, or one in the future": 1,
      "the type 42 is unknown": 1,
      "the charge is beyond 9007199254740991 or no number": 1,
    });
  });

  test("twice is once: a second run brings nothing and changes nothing", async () => {
    const before = await contentOf(weir);
    const again = await importInto(weir, `sqlite:${file}`, { withLogs: true });
    expect(await contentOf(weir)).toEqual(before);
    expect(again.kinds.users).toEqual(report.kinds.users);
    expect(describeReport(report)).toContain("Done. From new-api into a fresh Weir.");
    expect(describeReport(again)).toContain("imported into before; the figures are of all runs");
  });

  test("the same content in PostgreSQL comes out the same, and is known to be the same source", async () => {
    const other = await freshWeir();
    await importInto(other, postgresSource, { withLogs: true });
    expect(JSON.stringify(await contentOf(other)).replaceAll(/import:\d+:/g, "")).toBe(
      JSON.stringify(await contentOf(weir)).replaceAll(/import:\d+:/g, ""),
    );
    await expectBooksInOrder(other);
    const before = await contentOf(weir);
    await importInto(weir, postgresSource, { withLogs: true });
    expect(await contentOf(weir)).toEqual(before);
  });
});

test("a dry run says what an import then does, and writes nothing", async () => {
  const weir = await freshWeir();
  const before = await contentOf(weir);
  const dry = await importInto(weir, `sqlite:${file}`, { withLogs: true, dryRun: true });
  expect(await contentOf(weir)).toEqual(before);
  expect(await weir.sql`select from import_sources`).toHaveLength(0);
  const done = await importInto(weir, `sqlite:${file}`, { withLogs: true });
  for (const kind of ["users", "tokens", "channels", "redemptions", "topups", "logs"] as const)
    expect(dry.kinds[kind], kind).toEqual(done.kinds[kind]);
});

test("logs that come later are booked as if they had come at once", async () => {
  const weir = await freshWeir();
  await importInto(weir, `sqlite:${file}`);
  await expectBooksInOrder(weir);
  await importInto(weir, `sqlite:${file}`, { withLogs: true });
  await expectBooksInOrder(weir);
  expect(await weir.sql`select from usage_logs where type = 2`).toHaveLength(33);
});

test("a run that is cut off in any batch and begun again ends as one that was not", async () => {
  const whole = await freshWeir();
  await importInto(whole, `sqlite:${file}`, { withLogs: true });
  const weir = await freshWeir();
  for (const kind of ["users", "factors", "tokens", "channels", "redemptions", "topups", "logs"] as const) {
    const cutOff = importInto(weir, `sqlite:${file}`, {
      withLogs: true,
      onProgress: (done) => {
        if (done === kind) throw new Error("cut off");
      },
    });
    await expect(cutOff).rejects.toThrow("cut off");
    await expectBooksInOrder(weir);
  }
  await importInto(weir, `sqlite:${file}`, { withLogs: true });
  expect(await contentOf(weir)).toEqual(await contentOf(whole));
  await expectBooksInOrder(weir);
});

describe("into a Weir that is in use", () => {
  test("names, keys, codes and settings that are there stay as they are, and are reported", async () => {
    const weir = await freshWeir();
    await weir.sql`insert into users (username, email, quota) values ('Person2', 'other@here.example', 0), ('x', 'root@there.example', 0)`;
    await weir.sql`insert into options (key, value) values ('SystemName', 'Here')`;
    await weir.sql`insert into redemptions (user_id, key, name, quota) values (1, ${`${"0".repeat(31)}1`}, 'mine', 1)`;
    const report = await importInto(weir, `sqlite:${file}`);
    expect(left(report, "users")).toMatchObject({
      "the user name is taken here (capital letters make no difference)": 2,
    });
    expect(left(report, "tokens")).toMatchObject({ "the user was not imported": 6 });
    expect(left(report, "redemptions")).toMatchObject({ "the code is here already": 1 });
    expect(report.kinds.options).toMatchObject({
      moved: 0,
      leftOut: { "SystemName: kept as it is here (--options takes it)": { examples: ["Here → Riverside"] } },
    });
    expect(await weir.sql`select value from options where key = 'SystemName'`).toEqual([{ value: "Here" }]);
    await expectBooksInOrder(weir);
  });

  test("with rename, taken names get a number and keys go with their owners; an address that is taken stays with who has it", async () => {
    const weir = await freshWeir();
    await weir.sql`insert into users (username, email, quota) values ('Person2', 'two@there.example', 0)`;
    await importInto(weir, `sqlite:${file}`, { onCollision: "rename", withOptions: true });
    expect(
      await weir.sql`select username, email from users where username in ('person2-2', 'root-2') order by 1`,
    ).toEqual([
      { username: "person2-2", email: null },
      { username: "root-2", email: "root@there.example" },
    ]);
    expect(
      await weir.sql`select from tokens t join users u on u.id = t.user_id where u.username = 'person2-2'`,
    ).toHaveLength(5);
    expect(await weir.sql`select value from options where key = 'SystemName'`).toEqual([{ value: "Riverside" }]);
    await expectBooksInOrder(weir);
  });

  test("where a dollar is another number of units, nothing moves", async () => {
    const weir = await freshWeir();
    await weir.sql`insert into users (username, quota) values ('someone', 0)`;
    await weir.sql`insert into options (key, value) values ('QuotaPerUnit', '1000')`;
    await expect(importInto(weir, `sqlite:${file}`)).rejects.toThrow("A dollar is 500000 units there and 1000 here");
    expect(await weir.sql`select from users`).toHaveLength(2);
  });
});
