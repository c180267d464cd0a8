import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channels, notificationTargets, tokens, users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { ALERTS_MAX, deleteAlert, muteAlert, saveAlert, setAlertEnabled, testAlert } from "./commands";
import { evaluateAlerts } from "./evaluate-commands";
import { listAlertChoices, listAlerts, listFirings } from "./queries";
import type { SaveAlertInput } from "./schemas";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

// The middle of an hour, so that windows begin within one.
const NOW = Math.floor(Date.now() / 3_600_000) * 3_600 + 1_800;
const MINUTE = 60;

let alice = 0;
let bob = 0;
let admin = 0;
let key = 0;
let foreignKey = 0;
let channel = 0;
beforeEach(async () => {
  const { sql, db } = database;
  await rewriteBooks(
    sql,
    "truncate users, tokens, channels, usage_logs, usage_hourly, channel_hourly, alert_rules, alert_firings, notification_targets, notifications, notification_deliveries, rate_counters, audit_entries, job_positions restart identity cascade",
  );
  const made = await db
    .insert(users)
    .values([
      { username: "alice", quota: 1_000 },
      { username: "bob" },
      { username: "admin", role: 10 },
      { username: "root", role: 100 },
    ])
    .returning({ id: users.id });
  [alice = 0, bob = 0, admin = 0] = made.map(({ id }) => id);
  const keyOf = (userId: number, name: string) => ({ userId, name, keyHash: name, keyCipher: "", keyHint: "" });
  const keys = await db
    .insert(tokens)
    .values([keyOf(alice, "laptop"), keyOf(bob, "server")])
    .returning({ id: tokens.id });
  [key = 0, foreignKey = 0] = keys.map(({ id }) => id);
  const [row] = await db
    .insert(channels)
    .values({ name: "main", type: 1, keyCipher: "" })
    .returning({ id: channels.id });
  channel = row?.id ?? 0;
});

const as = (id: number, role = 1): ServiceContext => ({
  db: database.db,
  sql: database.sql,
  clientIp: "::1",
  actor: { type: "user", id, username: "u", role, group: "default", via: "session" },
});

const spendRule = {
  scope: "own",
  metric: "spend",
  subject: "account",
  threshold: 100,
} as const satisfies SaveAlertInput;
const errorRule = {
  scope: "own",
  metric: "error_rate",
  subject: "account",
  threshold: 1_000,
  windowSeconds: 900,
  minRequests: 4,
} as const satisfies SaveAlertInput;

type Row = { at?: number; type?: number; user?: number; token?: number; quota?: number; ms?: number; other?: object };
let next = 0;
async function log(rows: Row[]): Promise<void> {
  for (const { at = NOW - MINUTE, type = 2, user = alice, token = key, quota = 0, ms = 100, other = {} } of rows) {
    next += 1;
    await database.sql`insert into usage_logs (request_id, created_at, type, user_id, token_id, channel_id, model_name, quota,
        use_time_ms, other)
      values (${`r${next}`}, ${at}, ${type}, ${user}, ${token}, ${channel}, 'm', ${quota}, ${ms}, ${JSON.stringify(other)}::text::jsonb)`;
  }
}
const charge = (hour: number, quota: number, user = alice, token = key) =>
  database.sql`insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota)
    values (${hour}, ${user}, ${token}, ${channel}, 'm', 'default', 1, ${quota})`;
const told = () => database.sql<{ userId: number; event: string; params: Record<string, unknown> }[]>`
  select user_id as "userId", event, params from notifications order by id`;
const events = async () => (await told()).map(({ event }) => event);

describe("evaluation", () => {
  test("spend over a window is exact: whole hours from their sums, the part of an hour from the log", async () => {
    const id = await saveAlert(as(alice), { ...spendRule, windowSeconds: 21_600, threshold: 59 });
    const firstHour = NOW - 1_800 - 5 * 3_600;
    await charge(firstHour, 40);
    // Of the hour before it, half lies in the window, as the log tells.
    await charge(firstHour - 3_600, 1_000);
    await log([
      { at: firstHour - 1, quota: 20 },
      { at: firstHour - 1_801, quota: 500 },
    ]);
    expect(await evaluateAlerts(database.sql, NOW)).toBe(1);
    expect(await listAlerts(as(alice))).toMatchObject([{ id, lastValue: 60, firingSince: NOW }]);
    expect(await told()).toEqual([
      {
        userId: alice,
        event: "alert_fired",
        params: {
          rule: "spend",
          subject: "account:",
          metric: "spend",
          value: "spend:60",
          comparison: "above",
          threshold: "spend:59",
          window: 21_600,
        },
      },
    ]);
  });

  test("an alert fires once, whatever number of processes evaluate it, and a restart repeats no message", async () => {
    await saveAlert(as(alice), spendRule);
    await charge(NOW - 1_800, 101);
    const counts = await Promise.all([0, 1, 2, 3].map(() => evaluateAlerts(database.sql, NOW)));
    expect(counts.reduce((sum, one) => sum + one, 0)).toBe(1);
    for (const minutes of [1, 2, 3]) await evaluateAlerts(database.sql, NOW + minutes * MINUTE);
    expect(await events()).toEqual(["alert_fired"]);
    expect(await listFirings(as(alice))).toMatchObject([{ startedAt: NOW, endedAt: null, value: 101, notified: true }]);
  });

  test("error rates need enough requests, count what callers saw, and end with one message", async () => {
    await saveAlert(as(alice), { ...errorRule, subject: "key", subjectId: key, name: "Errors" });
    await log([{ type: 5 }, { type: 5 }, { type: 5 }]);
    await log([{ user: bob, token: foreignKey }]);
    await evaluateAlerts(database.sql, NOW);
    expect(await listAlerts(as(alice))).toMatchObject([{ lastValue: null, firingSince: null }]);
    await log([{ other: { outcome: "cut" } }, {}, {}, {}]);
    await evaluateAlerts(database.sql, NOW + MINUTE);
    expect(await listAlerts(as(alice))).toMatchObject([{ lastValue: 5_714, firingSince: NOW + MINUTE }]);
    await log(Array.from({ length: 40 }, () => ({})));
    await evaluateAlerts(database.sql, NOW + 3 * MINUTE);
    const messages = await told();
    expect(messages.map(({ event }) => event)).toEqual(["alert_fired", "alert_resolved"]);
    expect(messages[1]?.params).toMatchObject({
      rule: "Errors",
      subject: "key:laptop",
      value: "error_rate:851",
      minutes: 2,
    });
    expect(await listFirings(as(alice))).toMatchObject([{ endedAt: NOW + 3 * MINUTE, endValue: 851 }]);
  });

  test("latency is the 95th percentile of whole answers; a balance is what is there", async () => {
    await saveAlert(as(alice), { ...errorRule, metric: "latency", threshold: 5_000 });
    await saveAlert(as(alice), { ...spendRule, metric: "balance", comparison: "below", threshold: 1_001 });
    await log([
      ...Array.from({ length: 19 }, () => ({ ms: 100 })),
      { ms: 9_000 },
      { ms: 8_000 },
      { type: 5, ms: 60_000 },
    ]);
    await evaluateAlerts(database.sql, NOW);
    expect((await listAlerts(as(alice))).map(({ lastValue }) => lastValue)).toEqual([1_000, 8_000]);
  });

  test("a channel is judged by the attempts at it, also those that another channel made up for", async () => {
    await saveAlert(as(admin, 10), { ...errorRule, scope: "site", subject: "channel", subjectId: channel });
    const attempts = [
      { channel, outcome: "failed", ms: 5 },
      { channel: channel + 1, outcome: "ok", ms: 5 },
    ];
    await log(Array.from({ length: 4 }, () => ({ other: { admin_info: { attempts } } })));
    await evaluateAlerts(database.sql, NOW);
    expect(await listAlerts(as(admin, 10))).toMatchObject([{ lastValue: 10_000, subjectName: "main" }]);
  });

  test("site and model rules see everybody's requests", async () => {
    await saveAlert(as(admin, 10), { ...spendRule, scope: "site", subject: "site" });
    await saveAlert(as(admin, 10), { ...spendRule, scope: "site", subject: "model", modelName: "m" });
    await saveAlert(as(admin, 10), { ...errorRule, scope: "site", subject: "user", subjectId: bob });
    await charge(NOW - 1_800, 70);
    await charge(NOW - 1_800, 50, bob, foreignKey);
    await log(Array.from({ length: 4 }, () => ({ user: bob, type: 5 })));
    await evaluateAlerts(database.sql, NOW);
    expect((await listAlerts(as(admin, 10))).map(({ lastValue }) => lastValue)).toEqual([10_000, 120, 120]);
  });

  test("the rules of who is no administrator any more, or is banned, rest", async () => {
    await saveAlert(as(admin, 10), { ...spendRule, scope: "site", subject: "site" });
    await saveAlert(as(alice), spendRule);
    await database.sql`update users set role = 1 where id = ${admin}`;
    await database.sql`update users set status = 2 where id = ${alice}`;
    expect(await evaluateAlerts(database.sql, NOW)).toBe(0);
  });

  test("an administrator's rule on an account rests once that is no longer below", async () => {
    const rule = { scope: "site", metric: "balance", subject: "user", subjectId: alice, comparison: "below" } as const;
    await saveAlert(as(admin, 10), { ...rule, threshold: 5_000 });
    await database.sql`update users set role = 10 where id = ${alice}`;
    expect(await evaluateAlerts(database.sql, NOW)).toBe(0);
    await database.sql`update users set role = 1 where id = ${alice}`;
    expect(await evaluateAlerts(database.sql, NOW)).toBe(1);
  });

  test("messages go to the chosen targets, else to those that want alerts", async () => {
    const targetOf = async (userId: number, wanted: string[]) => {
      const values = { userId, kind: "wecom", configCipher: seal("{}"), events: wanted };
      const [row] = await database.db
        .insert(notificationTargets)
        .values(values)
        .returning({ id: notificationTargets.id });
      return row?.id ?? 0;
    };
    const chosen = await targetOf(alice, []);
    const wanting = await targetOf(alice, ["alert_fired"]);
    await targetOf(alice, ["topped_up"]);
    const foreign = await targetOf(bob, ["alert_fired"]);
    await expect(saveAlert(as(alice), { ...spendRule, targetIds: [foreign] })).rejects.toMatchObject({
      code: "invalid",
    });
    await saveAlert(as(alice), { ...spendRule, targetIds: [chosen] });
    await saveAlert(as(alice), spendRule);
    await charge(NOW - 1_800, 101);
    await evaluateAlerts(database.sql, NOW);
    const rows = await database.sql<
      { target: number }[]
    >`select target_id as target from notification_deliveries order by id`;
    expect(rows.map(({ target }) => target).sort()).toEqual([chosen, wanting].sort());
  });
});

describe("rules", () => {
  test("nobody watches, reads, changes or tests what is another's", async () => {
    const refused = { code: "invalid", messageKey: "alertSubjectMissing" };
    await expect(saveAlert(as(alice), { ...spendRule, subject: "key", subjectId: foreignKey })).rejects.toMatchObject(
      refused,
    );
    const site = { ...spendRule, scope: "site", subject: "site" } as const;
    await expect(saveAlert(as(alice), site)).rejects.toMatchObject({ code: "forbidden" });
    await expect(saveAlert(as(alice), { ...spendRule, subject: "user", subjectId: bob })).rejects.toMatchObject(
      refused,
    );
    const ofRoot = { ...site, subject: "user", subjectId: 4 } as const;
    await expect(saveAlert(as(admin, 10), ofRoot)).rejects.toMatchObject(refused);
    const id = await saveAlert(as(alice), spendRule);
    const missing = { code: "not_found", messageKey: "alertNotFound" };
    await expect(saveAlert(as(bob), { ...spendRule, id })).rejects.toMatchObject(missing);
    await expect(setAlertEnabled(as(bob), { id, enabled: false })).rejects.toMatchObject(missing);
    await expect(muteAlert(as(bob), { id, seconds: 60 })).rejects.toMatchObject(missing);
    await expect(deleteAlert(as(bob), { id })).rejects.toMatchObject(missing);
    await expect(testAlert(as(bob), { id })).rejects.toMatchObject(missing);
    expect(await listAlerts(as(bob))).toEqual([]);
    expect(await listFirings(as(bob))).toEqual([]);
    expect((await listAlertChoices(as(bob))).keys).toEqual([{ id: foreignKey, name: "server" }]);
    expect((await listAlertChoices(as(bob))).channels).toEqual([]);
  });

  test.each([
    [{ threshold: -1 }, "alertThresholdInvalid"],
    [{ threshold: 1.5 }, "alertThresholdInvalid"],
    [{ metric: "error_rate", threshold: 10_001 }, "alertThresholdInvalid"],
    [{ windowSeconds: 299 }, "alertWindowInvalid"],
    [{ coolDownSeconds: 0 }, "alertCoolDownInvalid"],
    [{ subject: "key" }, "alertSubjectMissing"],
    [{ name: "x".repeat(65) }, "alertNameTooLong"],
  ] as const)("%j is refused and changes nothing", async (change, messageKey) => {
    await expect(saveAlert(as(alice), { ...spendRule, ...change } as SaveAlertInput)).rejects.toMatchObject({
      messageKey,
    });
    expect(await listAlerts(as(alice))).toEqual([]);
  });

  test("an account has a bounded number of rules, also when they are made at once", async () => {
    await database.sql`insert into alert_rules (user_id, scope, name, metric, subject, comparison, threshold, window_seconds, cool_down_seconds)
      select ${alice}, 'own', '', 'spend', 'account', 'above', 1, 300, 300 from generate_series(1, ${ALERTS_MAX - 1})`;
    const results = await Promise.allSettled([0, 1, 2].map(() => saveAlert(as(alice), spendRule)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("a changed or switched-off rule starts anew, and a held-back message is sent when the mute ends", async () => {
    const id = await saveAlert(as(alice), spendRule);
    await charge(NOW - 1_800, 101);
    await evaluateAlerts(database.sql, NOW);
    await saveAlert(as(alice), { ...spendRule, id, threshold: 90 });
    expect(await listAlerts(as(alice))).toMatchObject([{ firingSince: null, lastValue: null }]);
    await database.sql`update alert_rules set notified_at = 0, muted_until = ${NOW + 300}`;
    await evaluateAlerts(database.sql, NOW + MINUTE);
    expect(await events()).toEqual(["alert_fired"]);
    await evaluateAlerts(database.sql, NOW + 300);
    expect(await events()).toEqual(["alert_fired", "alert_fired"]);
    await setAlertEnabled(as(alice), { id, enabled: false });
    expect(await evaluateAlerts(database.sql, NOW + 600)).toBe(0);
  });

  test("a test is a message of the rule's own, and there are only a few", async () => {
    const id = await saveAlert(as(alice), { ...spendRule, name: "Daily" });
    for (let i = 0; i < 5; i++) await testAlert(as(alice), { id });
    await expect(testAlert(as(alice), { id })).rejects.toMatchObject({ code: "rate_limited" });
    expect((await told())[0]?.params).toMatchObject({ rule: "TEST · Daily" });
    expect(await listFirings(as(alice))).toEqual([]);
  });
});
