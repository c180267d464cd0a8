// Many new settlements go to the log as arrays of its columns; few, and those that may have been booked before, as JSON.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LOG_TYPE } from "@/lib/row-status";
import { createBilledChannel, createBilledToken, createBilledUser, settlementOf } from "@/lib/testing/billing";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { toQuota } from "./quota";
import { bookSettlements } from "./settlement-batch";
import { encodeSettlement } from "./settlement-row";
import type { Settlement } from "./types";

let database: TestDatabase;
let person: { userId: number; tokenId: number; channelId: number };
beforeAll(async () => {
  database = await createTestDatabase();
  const userId = await createBilledUser(database, 1_000_000);
  const tokenId = await createBilledToken(database, userId, 100_000);
  person = { userId, tokenId, channelId: await createBilledChannel(database) };
});
afterAll(() => database.drop());

const TEXTS = [
  "",
  "NULL",
  "null",
  '"',
  "\\",
  '\\"',
  "{a,b}",
  "a,b",
  " padded ",
  "two\nlines",
  "\t\u0001",
  "é漢😀",
  "'",
];

/** So many that they go as arrays. */
function shapes(): Settlement[] {
  return [...eachShape(), ...eachShape()];
}

function eachShape(): Settlement[] {
  const plain = settlementOf({ ...person, quota: 5 });
  return [
    plain,
    { ...plain, firstTokenMs: 0, isStream: true, hidden: true, quota: toQuota(0) },
    { ...plain, cost: { quota: null, unbilled: toQuota(0), unknown: 2 } },
    { ...plain, cost: { quota: toQuota(9), unbilled: toQuota(4), unknown: 0 }, createdAt: plain.createdAt - 7_200 },
    {
      ...plain,
      type: LOG_TYPE.error,
      quota: toQuota(0),
      content: 'the upstream said "no"\\',
      failure: { status: 502, code: "bad_\"answer'", repeats: 3 },
    },
    {
      ...plain,
      objects: [{ kind: "response", id: randomUUID(), channelId: 1, keyHash: "h", lifetimeSeconds: 60 }],
    },
    ...TEXTS.map((text) => ({
      ...plain,
      username: text,
      tokenName: text,
      modelName: text,
      group: text,
      clientIp: text,
      content: text,
      other: { ...plain.other, other: text, '"other":': { other: text } },
    })),
  ];
}

async function logged(ids: readonly string[]): Promise<readonly unknown[]> {
  return database.sql`
    select (to_jsonb(usage_logs) - 'id' - 'request_id')::text as row from usage_logs
    join unnest(${[...ids]}::text[]) with ordinality as given(request_id, place) using (request_id) order by place`;
}

async function sums(): Promise<unknown> {
  const [row] = await database.sql`
    select (select jsonb_agg(to_jsonb(t) - 'accessed_time') from tokens t) as tokens, (select jsonb_agg(to_jsonb(u)) from users u) as users,
      (select jsonb_agg(to_jsonb(c)) from channels c) as channels,
      (select jsonb_agg(to_jsonb(h) order by hour, model_name, "group") from usage_hourly h) as hours`;
  return row;
}

test("rows booked as arrays are those booked as JSON, whatever is in them, and so are the sums", async () => {
  const items = shapes();
  const found = [];
  for (const isRepeat of [false, true]) {
    await database.sql`truncate usage_hourly`;
    await database.sql`update users set quota = 1000000, used_quota = 0, request_count = 0`;
    await database.sql`update tokens set remain_quota = 100000, granted_quota = 100000, used_quota = 0`;
    await database.sql`update channels set used_quota = 0`;
    const ids = items.map(() => randomUUID());
    const rows = items.map((item, place) => encodeSettlement({ ...item, requestId: ids[place] ?? "" }));
    expect(rows.every(({ columns }) => columns !== null)).toBe(true);
    expect((await bookSettlements(database.sql, null, rows, isRepeat)).inserted).toBe(items.length);
    found.push({ rows: await logged(ids), sums: await sums() });
  }
  expect(found[0]?.rows).toHaveLength(items.length);
  expect(found[0]).toEqual(found[1]);
});

test("each settlement of a batch alone is booked as well: no column depends on what others have", async () => {
  const items = shapes();
  const together = items.map((item) => encodeSettlement({ ...item, requestId: randomUUID() }));
  const alone = items.map((item) => encodeSettlement({ ...item, requestId: randomUUID() }));
  await bookSettlements(database.sql, null, together);
  for (const row of alone) await bookSettlements(database.sql, null, [row]);
  const ids = (rows: typeof together) => rows.map(({ requestId }) => requestId);
  expect(await logged(ids(alone))).toEqual(await logged(ids(together)));
});

test("text that PostgreSQL does not take is cleaned, and its batch is booked", async () => {
  const odd = { ...settlementOf({ ...person, quota: 1 }), content: "a\0b", modelName: "m\ud800" };
  const rows = [odd, ...shapes()].map((item) => encodeSettlement({ ...item, requestId: randomUUID() }));
  expect((await bookSettlements(database.sql, null, rows)).inserted).toBe(rows.length);
  const requestId = rows[0]?.requestId ?? "";
  expect(await database.sql`select content, model_name from usage_logs where request_id = ${requestId}`).toEqual([
    { content: "ab", model_name: "m\ufffd" },
  ]);
});

test.each([3, 40])(
  "of %i settlements of which some were booked before the others are booked once, also when one is there twice",
  async (size) => {
    const rows = Array.from({ length: size }, () =>
      encodeSettlement(settlementOf({ ...person, quota: 1, requestId: randomUUID() })),
    );
    const used = async () =>
      (await database.sql`select used_quota from users where id = ${person.userId}`)[0]?.used_quota;
    const before = Number(await used());
    expect((await bookSettlements(database.sql, null, rows.slice(0, 1))).inserted).toBe(1);
    expect((await bookSettlements(database.sql, null, [...rows.slice(1), ...rows.slice(-1)])).inserted).toBe(size - 1);
    expect((await bookSettlements(database.sql, null, rows)).inserted).toBe(0);
    expect(await used()).toBe(before + size);
  },
);
