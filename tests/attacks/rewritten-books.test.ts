/**
 * Who: whoever can write to the database as its owner, with the triggers switched off: a hand that wants a charge, a balance
 * or a payment to look otherwise. With what: 28 changes of rows that real requests, a payment and a code have left. What
 * must hold: the check of the books names each of them by its check and its row. Of what the triggers guard, a statement
 * that does not switch them off changes nothing. What no sum can show is in docs/security.md.
 */
import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { redemptions, topUps } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { type Difference, reconcile } from "@/lib/billing/reconcile";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { sealLedger } from "@/lib/billing/seal-ledger-commands";
import { creditOrder } from "@/lib/topup/order-commands";
import { chatBody, setUpRelay } from "../relay/harness";

const relay = setUpRelay({ prices: "fake-gpt,fake-slow", channels: [{}] });
const HOUR = 3_600;
const hour = Math.floor(Date.now() / 1_000 / HOUR) * HOUR;
let user: number;

beforeAll(async () => {
  const caller = await relay.addCaller({}, { unlimitedQuota: false, remainQuota: 500_000, grantedQuota: 500_000 });
  user = caller.user;
  await relay.inForce();
  for (const more of [{}, { stream: true }]) {
    expect((await relay.post(caller.token.key, chatBody("fake-gpt", more))).status).toBe(200);
  }
  const { db, sql } = relay.database;
  const order = { userId: user, amount: 1, money: 7, currency: "CNY", quota: 300, tradeNo: "paid", provider: "epay" };
  await db.insert(topUps).values(order);
  const paid = { tradeNo: "paid", cents: 700, provider: "epay" } as const;
  expect(await creditOrder(db, paid)).toMatchObject({ outcome: "credited" });
  await db.insert(redemptions).values({ userId: user, key: "code", name: "c", quota: 40, status: 3, usedUserId: user });
  const entry = { userId: user, actorId: null, amount: 40, kind: "redemption", reference: "redemption:1" } as const;
  await postLedgerEntry(db, entry);
  // As two nights do it: the second seals what the first has seen.
  for (let night = 0; night < 2; night++) await sql.begin(sealLedger);
});

class Undo extends Error {}

/** What the check finds with a change in place, which is taken back. */
async function findAfter(change: string): Promise<{ differences: Difference[] }> {
  let differences: Difference[] = [];
  await relay.database.sql
    .begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx.unsafe(change);
      await tx`set local session_replication_role = default`;
      // The check's own transaction is a part of this one.
      const within = new Proxy(tx, {
        get: (target, name) =>
          name === "begin" ? (_how: string, run: (inner: unknown) => unknown) => run(tx) : Reflect.get(target, name),
      }) as unknown as Parameters<typeof reconcile>[0];
      const balances = await reconcile(within);
      const hours = await reconcileHours(within, [{ from: hour - HOUR, until: hour + 2 * HOUR }]);
      differences = [...balances.differences, ...hours.differences];
      throw new Undo();
    })
    .catch((error) => {
      if (!(error instanceof Undo)) throw error;
    });
  return { differences };
}

const newest = "id = (select max(id) from usage_logs where type = 2)";
const ofRow = "request [0-9a-z-]+: ";

type Tampering = { what: string; check: string; change: string; detail?: RegExp };

const TAMPERINGS = (
  [
    ["a balance", "users.quota", "update users set quota = quota + 7 where used_quota > 0"],
    ["what a user has used", "users.used_quota", "update users set used_quota = used_quota + 7 where used_quota > 0"],
    [
      "a user's requests",
      "users.request_count",
      "update users set request_count = request_count + 1 where used_quota > 0",
    ],
    [
      "what is reserved of a balance",
      "users.reserved",
      "update users set reserved = reserved + 7 where used_quota > 0",
    ],
    [
      "what a key has used",
      "tokens.used_quota",
      "update tokens set used_quota = used_quota + 7, remain_quota = remain_quota - 7",
    ],
    [
      "an hour's sum of a user",
      "usage_user_hours.quota",
      `with summed as (insert into job_positions (job, position) values ('usage-user-sums', 10800))
        insert into usage_user_hours select user_id, 7200, 'm', 'g', 1, 7, 1 from tokens limit 1`,
    ],
    ...(["quota", "cost"] as const).map((column): [string, string, string] => [
      `a day's ${column} of a model at a channel`,
      `usage_channel_model_spans.${column}`,
      `with summed as (insert into job_positions (job, position) values ('usage-channel-model-sums', 180000))
        insert into usage_channel_model_spans (hours, start, channel_id, model_name, count, quota, cost, unbilled_cost, unknown_costs)
        select 24, 86400, id, 'm', 1, 0, 0, 0, 0 from channels;
        update usage_channel_model_spans set ${column} = 7`,
    ]),
    ["what is reserved of a key", "tokens.reserved", "update tokens set reserved = reserved + 7"],
    ["what a channel has used", "channels.used_quota", "update channels set used_quota = used_quota + 7"],
    [
      "a row's charge",
      "usage_logs.quota",
      `update usage_logs set quota = quota + 1 where ${newest}`,
      /user \d+, token \d+/,
    ],
    ["a row's user", "usage_logs.quota", `update usage_logs set user_id = user_id + 1 where ${newest}`],
    ["a row that is gone", "usage_logs.quota", `delete from usage_logs where ${newest}`],
    ["an hour's requests", "usage_logs.quota", "update usage_hourly set count = count + 1"],
    ["a paid order that was never credited", "top_ups.quota", "delete from ledger_entries where kind = 'topup'"],
    ["a refund that was never booked", "top_ups.reversed_quota", "update top_ups set reversed_quota = 9"],
    ["a used code's sum", "redemptions.quota", "update redemptions set quota = 41"],
    // What no check found before.
    [
      "a ratio, ten times as high",
      "usage_logs.lines",
      `update usage_logs set other = jsonb_set(other, '{model_ratio}', to_jsonb((other->>'model_ratio')::numeric * 10)) where ${newest}`,
      /another price than the ratios/,
    ],
    [
      "lines that do not add up",
      "usage_logs.lines",
      `update usage_logs set other = jsonb_set(other, '{lines,0,amount}', '99') where ${newest}`,
      new RegExp(`${ofRow}its lines add up to`),
    ],
    [
      "a row's tokens",
      "usage_logs.tokens",
      `update usage_logs set prompt_tokens = prompt_tokens + 1000 where ${newest}`,
      /model fake-gpt, group default, completion/,
    ],
    [
      "a row's model",
      "usage_logs.quota",
      `update usage_logs set model_name = 'fake-slow' where ${newest}`,
      /model fake-slow/,
    ],
    ["a row that nobody sees any more", "usage_logs.hidden", `update usage_logs set hidden = true where ${newest}`],
    ["an hour's tokens", "usage_logs.tokens", "update usage_hourly set completion_tokens = completion_tokens + 5"],
    ["a key that is gone", "tokens.used_quota", "delete from tokens"],
    ["the money of an order", "top_ups.money", "update top_ups set money = 70"],
    [
      "a ledger entry together with the balance",
      "ledger_entries.sealed",
      `update ledger_entries set amount = amount + 500 where reference = 'topup:paid';
      update users set quota = quota + 500 where used_quota > 0; update top_ups set quota = quota + 500`,
      /an entry among ids 0 to \d+ was changed/,
    ],
    [
      "1,000 more everywhere",
      "usage_logs.lines",
      `update usage_logs set quota = quota + 1000 where ${newest};
      update usage_hourly set quota = quota + 1000 where ctid = (select min(ctid) from usage_hourly);
      update users set quota = quota - 1000, used_quota = used_quota + 1000 where used_quota > 0;
      update tokens set used_quota = used_quota + 1000, remain_quota = remain_quota - 1000;
      update channels set used_quota = used_quota + 1000`,
      new RegExp(`${ofRow}its lines add up to`),
    ],
    [
      "the time of clearing, moved to now",
      "job_positions.logs-cleared",
      "insert into job_positions (job, position) values ('logs-cleared', floor(extract(epoch from now())))",
    ],
  ] satisfies [string, string, string, RegExp?][]
).map(([what, check, change, detail]): Tampering => ({ what, check, change, ...(detail ? { detail } : {}) }));

test("books that real requests have left agree", async () => {
  expect(TAMPERINGS).toHaveLength(28);
  const { differences } = await findAfter("select 1");
  expect(differences).toEqual([]);
});

describe("the check of the books names", () => {
  test.each(TAMPERINGS.map((one) => [one.what, one.check, one] as const))("%s (%s)", async (_what, check, one) => {
    const { change, detail = /^/ } = one;
    const { differences } = await findAfter(change);
    const named = differences.filter((difference) => difference.check === check);
    expect(named.length, JSON.stringify(differences)).toBeGreaterThan(0);
    expect(named.map((difference) => difference.detail ?? "").join("\n")).toMatch(detail);
  });

  // The same ways to lie in the other fields that a charge is computed from.
  const set = (path: string, value: string) =>
    `update usage_logs set other = jsonb_set(other, '{${path}}', ${value}) where ${newest}`;
  test.each([
    ["completion ratio", set("completion_ratio", "'20'"), /another price/],
    ["group ratio", set("group_ratio", "'0.1'"), /not its quantity/],
    ["a line's price", set("lines,0,unitPrice", "'5'"), /not its quantity/],
    ["a line's quantity", set("lines,0,quantity", "'5'"), /its lines have 5 and/],
    ["no line at all", set("lines", "'[]'"), /its lines add up to 0/],
  ])("a changed %s", async (_what, change: string, detail: RegExp) => {
    const { differences } = await findAfter(change);
    expect(differences).toMatchObject([{ check: "usage_logs.lines", detail: expect.stringMatching(detail) }]);
    // By its hour the row is looked at again in the next night.
    expect((differences[0]?.hour ?? 1) % HOUR).toBe(0);
  });

  test.each(["ledger_entries", "usage_logs", "log_clearings"])(
    "a trigger of %s that is switched off",
    async (table) => {
      const { differences } = await findAfter(`alter table ${table} disable trigger ${table}_append_only`);
      expect(new Set(differences.map(({ check }) => check))).toEqual(new Set(["append_only.triggers"]));
    },
  );
});

describe("what is append-only refuses", () => {
  test.each([
    "update ledger_entries set amount = amount + 1",
    "delete from ledger_entries",
    "truncate ledger_entries",
    `update usage_logs set quota = quota + 1 where ${newest}`,
    `delete from usage_logs where ${newest}`,
    "truncate usage_logs",
    "do $$ begin execute format('delete from %s', (select tableoid::regclass from usage_logs limit 1)); end $$",
  ])("%s", async (change) => {
    await expect(relay.database.sql.unsafe(change)).rejects.toThrow("is append-only");
  });

  test("a clearing that is on record may remove rows, and only those before its time", async () => {
    const { sql } = relay.database;
    await sql
      .begin(async (tx) => {
        await tx`select weir_note_cleared(${hour - HOUR}::bigint, 'request')`;
        const old = { request_id: randomUUID(), created_at: hour - 2 * HOUR, user_id: user };
        await tx`insert into usage_logs ${tx(old)}`;
        const gone = await tx`delete from usage_logs where created_at < ${hour - HOUR}`;
        expect(gone.count).toBe(1);
        expect(await tx`select until, reason from log_clearings`).toEqual([{ until: hour - HOUR, reason: "request" }]);
        await expect(
          tx.savepoint((inner) => inner`delete from usage_logs where ${inner.unsafe(newest)}`),
        ).rejects.toThrow("is append-only");
        throw new Undo();
      })
      .catch((error) => {
        if (!(error instanceof Undo)) throw error;
      });
  });
});
