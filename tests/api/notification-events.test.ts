import { beforeEach, expect, test } from "vitest";
import { GET, POST, PUT } from "@/app/api/user/[[...path]]/route";
import { redemptions, topUps } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { notifyLowBalances } from "@/lib/notify/low-balance-commands";
import { creditOrder } from "@/lib/topup/order-commands";
import { call, PASSWORD, setUpApi } from "./harness";

const api = setUpApi();
const table = { GET, POST, PUT, DELETE: GET };

beforeEach(async () => {
  await api.database.sql`truncate notifications, notification_deliveries restart identity cascade`;
});

const toldTo = (userId: number) =>
  api.database.sql<{ event: string; params: Record<string, unknown> }[]>`
    select event, params from notifications where user_id = ${userId} order by id`;

test("a redeemed code is told with what it brought and what there is now", async () => {
  const key = "0123456789abcdef0123456789abcdef";
  await api.database.db.insert(redemptions).values({ userId: api.root.id, key, name: "gift", quota: 700 });
  const { json } = await call(table, "POST /api/user/topup", { as: api.bob, body: { key } });
  expect(json).toMatchObject({ success: true, data: 700 });
  expect(await toldTo(api.bob.id)).toEqual([{ event: "code_redeemed", params: { amount: 700, balance: 700 } }]);
});

test("a paid order is told once, its share to the inviter under a masked name", async () => {
  const { sql, db } = api.database;
  await sql`insert into options (key, value) values ('AffiliateDividendPercent', '10')
    on conflict (key) do update set value = excluded.value`;
  await sql`update users set inviter_id = ${api.alice.id} where id = ${api.bob.id}`;
  await db.insert(topUps).values({ userId: api.bob.id, amount: 1, money: 7.3, tradeNo: "T1", quota: 5_000 });
  const paid = { provider: "epay", tradeNo: "T1", cents: 730 } as const;
  expect((await creditOrder(db, paid)).outcome).toBe("credited");
  expect((await creditOrder(db, paid)).outcome).toBe("ignored");
  expect(await toldTo(api.bob.id)).toMatchObject([{ event: "topped_up", params: { amount: 5_000 } }]);
  expect(await toldTo(api.alice.id)).toEqual([{ event: "dividend", params: { amount: 500, invitee: "b***b" } }]);
});

test("a balance that an administrator changes is told to its owner", async () => {
  const [row] = await api.database.sql`select quota from users where id = ${api.alice.id}`;
  const quota = Number(row?.quota) + 250;
  const body = { id: api.alice.id, username: "alice", quota };
  expect((await call(table, "PUT /api/user/", { as: api.root, body })).json.success).toBe(true);
  const params = { amount: 250, balance: quota };
  expect(await toldTo(api.alice.id)).toEqual([{ event: "quota_adjusted", params }]);
});

test("a changed password is told, whoever changed it", async () => {
  const body = { id: api.alice.id, username: "alice", password: "another-pass" };
  expect((await call(table, "PUT /api/user/", { as: api.root, body })).json.success).toBe(true);
  expect((await toldTo(api.alice.id)).map(({ event }) => event)).toEqual(["password_changed"]);
  const own = { password: "another-pass", original_password: PASSWORD };
  expect((await call(table, "PUT /api/user/self", { as: api.bob, body: own })).json.success).toBe(true);
  expect((await toldTo(api.bob.id)).map(({ event }) => event)).toContain("password_changed");
});

test("a balance that falls below the threshold is told when the hour's sums show use (contract §5.4)", async () => {
  const { sql, db } = api.database;
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
  await sql`insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count)
    values (${hour}, ${api.admin.id}, 1, 1, 'm', 'default', 1)`;
  await db.transaction((tx) =>
    postLedgerEntry(tx, { userId: api.admin.id, amount: 999, kind: "grant", reference: "grant:1", actorId: null }),
  );
  expect(await notifyLowBalances(sql)).toBe(1);
  expect(await toldTo(api.admin.id)).toEqual([{ event: "balance_low", params: { balance: 999, threshold: 1_000 } }]);
});
