import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import * as logApi from "@/app/api/log/[[...path]]/route";
import { auditEntries, channels, usageHourly, usageLogs } from "@/db/schema";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { LOG_COUNT_MAX } from "@/lib/usage-log/schemas";
import { call, type Person, setUpApi } from "./harness";

const api = setUpApi();
const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
let sequence = 0;

type Row = Partial<typeof usageLogs.$inferInsert>;

/** Inserts a log row and adds it to the hourly sums, as a settlement does. */
async function write(owner: Person, fields: Row = {}): Promise<void> {
  sequence += 1;
  const row = {
    requestId: `request-${sequence}`,
    createdAt: now - 100,
    userId: owner.id,
    username: owner.username,
    tokenId: 1,
    tokenName: "main",
    channelId: 7,
    modelName: "gpt-4o",
    group: "default",
    quota: 10,
    promptTokens: 3,
    completionTokens: 4,
    useTimeMs: 1600,
    other: { model_ratio: 1, admin_info: { use_channel: ["7"] } },
    ...fields,
  };
  await api.database.db.insert(usageLogs).values(row);
  if (fields.type !== undefined) return;
  const { userId = 0, tokenId = 0, channelId = 0, modelName = "", group = "", quota = 0, createdAt = now } = row;
  const hour = createdAt - (createdAt % 3_600);
  await api.database.db
    .insert(usageHourly)
    .values({ hour, userId, tokenId, channelId, modelName, group, quota, count: 1 })
    .onConflictDoUpdate({
      target: [
        usageHourly.hour,
        usageHourly.userId,
        usageHourly.tokenId,
        usageHourly.channelId,
        usageHourly.modelName,
        usageHourly.group,
      ],
      set: { quota: sql`usage_hourly.quota + ${quota}` },
    });
}

beforeAll(async () => {
  await api.database.db.insert(channels).values({ id: 7, name: "seven", keyCipher: "x" });
  await write(api.alice);
  await write(api.alice, { createdAt: now - 2 * DAY, modelName: "gpt-4o-mini", tokenName: "second", quota: 20 });
  await write(api.alice, { createdAt: now - 4 * DAY, quota: 40 });
  await write(api.alice, { type: 5, quota: 0, content: "upstream said no" });
  await write(api.alice, { hidden: true, quota: 1000 });
  await write(api.bob, { channelId: 8, modelName: "gpt_4o", group: "vip", quota: 80 });
  await write(api.bob, { createdAt: now - 5, quota: 160, modelName: "gpt-4o", channelId: 8 });
});

const get = async (as: Person, path: string) => (await call(logApi, `GET /api/log/${path}`, { as })).json;
const quotas = async (as: Person, path: string): Promise<number[]> =>
  (await get(as, path)).data.items.map(({ quota }: { quota: number }) => quota);

describe("all logs (administrators)", () => {
  test("pages count from 1, 0 is the first too; items, page, page_size, total; newest first (contract §13.2, B250)", async () => {
    const { data } = await get(api.admin, "?p=1&page_size=4");
    expect([data.page, data.page_size, data.total, data.items.length]).toEqual([1, 4, 6, 4]);
    expect(data.items[0].quota).toBe(160);
    expect((await get(api.admin, "?p=0&page_size=4")).data).toEqual(data);
    expect((await get(api.admin, "?p=2&page_size=4")).data.items).toHaveLength(2);
    expect((await get(api.admin, "?page_size=5000")).data.page_size).toBe(100);
    expect((await get(api.admin, "")).data.page_size).toBe(10);
  });

  test("a row in the wire's names and units (B145)", async () => {
    const { data } = await get(api.admin, "?username=alice&type=2&page_size=1");
    expect(data.items[0]).toMatchObject({
      user_id: api.alice.id,
      username: "alice",
      created_at: now - 100,
      type: 2,
      channel: 7,
      channel_name: "seven",
      token_name: "main",
      token_id: 1,
      model_name: "gpt-4o",
      group: "default",
      quota: 10,
      prompt_tokens: 3,
      completion_tokens: 4,
      use_time: 2,
      is_stream: false,
    });
    expect(JSON.parse(data.items[0].other)).toEqual({ model_ratio: 1, admin_info: { use_channel: ["7"] } });
  });

  test.each([
    ["type=5", 1],
    ["type=0", 6],
    ["type=2", 5],
    ["type=1", 0],
    ["username=bob", 2],
    ["token_name=second", 1],
    ["group=vip", 1],
    ["channel=8", 2],
    ["channel=0", 6],
    ["model_name=gpt-4o", 4],
    ["model_name=gpt-4o%25", 5],
    ["model_name=gpt_4o%25", 1],
    [`start_timestamp=${now - 3 * DAY}`, 5],
    [`end_timestamp=${now - 3 * DAY}`, 1],
    ["start_timestamp=", 6],
    ["username=&token_name=&model_name=&group=&channel=&type=", 6],
  ])(
    "filter %s finds %i; what was typed is taken literally but for the percent sign (B098, B250)",
    async (query, total) => {
      const { data } = await get(api.admin, `?${query}`);
      expect(data.total).toBe(total);
      expect(data.items).toHaveLength(total);
    },
  );

  test("a number that cannot be read is no filter; any other filter that makes no sense is refused (B250)", async () => {
    const all = await quotas(api.admin, "");
    for (const query of ["start_timestamp=nonsense", "channel=NaN", "type=", "end_timestamp=null"]) {
      expect(await quotas(api.admin, `?${query}`)).toEqual(all);
    }
    for (const query of ["channel=-1", "type=99", `username=${"x".repeat(2_000)}`]) {
      expect(await get(api.admin, `?${query}`)).toEqual({
        success: false,
        message: expect.stringMatching(/^参数 \w+ 无效$/),
      });
    }
  });

  test("rows that only keep a settlement from repeating are never listed", async () => {
    expect(await quotas(api.admin, "?username=alice")).not.toContain(1000);
  });

  test("administrators may look at their own alone", async () => {
    expect((await get(api.admin, "self")).data.total).toBe(0);
  });
});

describe("own logs", () => {
  test("only one's own, of the last 3 days, whatever is asked for (contract §13.4, B101, B297, B250)", async () => {
    for (const query of ["", "?start_timestamp=1", "?username=bob&channel=8", "?p=0"]) {
      expect((await quotas(api.alice, `self${query}`)).sort()).toEqual([0, 10, 20]);
    }
    expect(await quotas(api.alice, "self?model_name=gpt-4o-mini&token_name=second")).toEqual([20]);
  });

  test("without anything about channels (B147, B207, B208)", async () => {
    const { data } = await get(api.alice, "self");
    for (const item of data.items) {
      expect(item).toMatchObject({ channel: 0, channel_name: "", other: '{"model_ratio":1}' });
    }
  });

  test("the log of everybody and its sums are refused (B209)", async () => {
    for (const path of ["", "stat"]) expect((await get(api.alice, path)).success).toBe(false);
  });
});

describe("sums", () => {
  test("quota of the window; requests and tokens of the last minute whatever the window (B251)", async () => {
    // Includes the 1000 quota charged while logging was off.
    expect((await get(api.admin, "stat")).data).toEqual({ quota: 1310, rpm: 1, tpm: 7 });
    expect((await get(api.admin, `stat?end_timestamp=${now - DAY}`)).data).toEqual({ quota: 60, rpm: 1, tpm: 7 });
    expect((await get(api.admin, "stat?username=alice")).data).toEqual({ quota: 1070, rpm: 0, tpm: 0 });
  });

  test.each([
    ["type=5", 0],
    ["channel=8", 240],
    ["group=vip", 80],
    ["token_name=second", 20],
    ["model_name=gpt-4o", 1210],
    ["model_name=gpt-4o%25", 1230],
    ["model_name=gpt_4o", 80],
    [`start_timestamp=${now - 4 * DAY}&end_timestamp=${now - 4 * DAY}`, 40],
    [`start_timestamp=${now - 4 * DAY + 1}&end_timestamp=${now - 101}`, 20],
    [`start_timestamp=${now - 100}&end_timestamp=${now - 6}`, 1090],
  ])("whole hours and their ragged edges add up under %s", async (query, quota) => {
    expect((await get(api.admin, `stat?${query}`)).data.quota).toBe(quota);
  });

  test("the sum of whole hours outlives the log", async () => {
    const old = now - 40 * DAY;
    await write(api.bob, { createdAt: old - (old % 3_600) + 10, quota: 7, modelName: "outlives" });
    await rewriteBooks(api.database.sql, (tx) => tx`delete from usage_logs where model_name = 'outlives'`);
    expect((await get(api.admin, "stat?model_name=outlives")).data.quota).toBe(7);
  });

  test("one's own, of the last 3 days", async () => {
    expect((await get(api.alice, "self/stat?username=bob&start_timestamp=1")).data).toEqual({
      quota: 1030,
      rpm: 0,
      tpm: 0,
    });
    expect((await get(api.bob, "self/stat")).data).toEqual({ quota: 240, rpm: 1, tpm: 7 });
  });
});

describe("clearing", () => {
  test("removes rows up to the moment, says how many, leaves an audit entry; ordinary users may not (A202)", async () => {
    const clear = async (as: Person, query: string) => (await call(logApi, `DELETE /api/log/${query}`, { as })).json;
    expect((await clear(api.alice, `?target_timestamp=${now}`)).success).toBe(false);
    expect((await clear(api.admin, "")).success).toBe(false);
    expect((await clear(api.admin, `?target_timestamp=${now - 3 * DAY}`)).data).toBe(1);
    expect((await get(api.admin, "")).data.total).toBe(5);
    const entries = await api.database.db.select().from(auditEntries);
    expect(entries.map(({ action, after }) => [action, after])).toEqual([["log.delete", { until: now - 3 * DAY }]]);
  });

  test("drops months that are over as a whole and deletes the rest; balances and hourly sums stay (A202)", async () => {
    const { sql } = api.database;
    const months = async () =>
      (await sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_logs'::regclass`)
        .map(({ name }) => name)
        .sort();
    const startOf = (back: number) => {
      const date = new Date();
      return Math.floor(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1) / 1000);
    };
    const nameOf = (back: number) =>
      `usage_logs_${new Date(startOf(back) * 1000).toISOString().slice(0, 7).replace("-", "_")}`;
    const target = startOf(1) + 10 * DAY;
    await sql`select weir_ensure_log_partitions(${startOf(2)}::bigint, ${now}::bigint)`;
    await write(api.bob, { createdAt: startOf(2) + 100, modelName: "cleared" });
    await write(api.bob, { createdAt: startOf(1) + 100, modelName: "cleared" });
    await write(api.bob, { createdAt: target + 100, modelName: "cleared" });
    // Older than every monthly partition, so it goes to the default partition.
    await write(api.bob, { createdAt: startOf(40), modelName: "cleared" });
    const before = await months();
    expect(before).toContain(nameOf(2));
    const [books] = await sql`select sum(quota) as quota, sum(count) as count from usage_hourly`;
    const [balances] = await sql`select sum(quota) as quota, sum(used_quota) as used from users`;
    const answer = await call(logApi, `DELETE /api/log/?target_timestamp=${target}`, { as: api.admin });
    expect(answer.json).toMatchObject({ success: true, data: 3 });
    const after = await months();
    expect(after).not.toContain(nameOf(2));
    expect(after).toEqual(expect.arrayContaining([nameOf(1), nameOf(0), "usage_logs_default"]));
    expect((await get(api.admin, "?model_name=cleared")).data.total).toBe(1);
    expect(await sql`select sum(quota) as quota, sum(count) as count from usage_hourly`).toEqual([books]);
    expect(await sql`select sum(quota) as quota, sum(used_quota) as used from users`).toEqual([balances]);
    await rewriteBooks(sql, (tx) => tx`delete from usage_logs where model_name = 'cleared'`);
  });

  test("a month that somebody reads all the time is emptied row by row instead", async () => {
    const { sql, db } = api.database;
    const date = new Date();
    const inLastMonth = Math.floor(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1, 5) / 1000);
    await sql`select weir_ensure_log_partitions(${inLastMonth}::bigint, ${now}::bigint)`;
    await write(api.bob, { createdAt: inLastMonth, modelName: "busy", type: 2 });
    const thisMonth = Math.floor(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000);
    await db.transaction(async (tx) => {
      await tx.select({ id: usageLogs.id }).from(usageLogs).limit(1);
      const answer = await call(logApi, `DELETE /api/log/?target_timestamp=${thisMonth}`, { as: api.admin });
      expect(answer.json.success).toBe(true);
    });
    expect((await get(api.admin, "?model_name=busy")).data.total).toBe(0);
    const [table] =
      await sql`select to_regclass(${`usage_logs_${new Date(inLastMonth * 1000).toISOString().slice(0, 7).replace("-", "_")}`}) is not null as there`;
    expect(table?.there).toBe(true);
  });

  test("the newest minute stays, so that a repeated settlement finds its row", async () => {
    const answer = await call(logApi, `DELETE /api/log/?target_timestamp=${now + DAY}`, { as: api.admin });
    expect(answer.json.success).toBe(true);
    expect(await quotas(api.admin, "")).toEqual([160]);
  });
});

test("a total that is not counted to its end says so", async () => {
  await api.database.sql`
    insert into usage_logs (request_id, created_at, user_id, model_name)
    select 'many-' || n, ${now - 1_000}, ${api.bob.id}, 'many' from generate_series(1, ${LOG_COUNT_MAX + 1}) as n`;
  const { data } = await get(api.admin, "?model_name=many");
  expect([data.total, data.total_capped]).toEqual([LOG_COUNT_MAX, true]);
  expect((await get(api.admin, "?model_name=gpt-4o")).data.total_capped).toBe(false);
});
