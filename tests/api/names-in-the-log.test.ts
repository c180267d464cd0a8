/**
 * Accounts that were renamed, erased, and made anew with a name that another had: rows and sums by a name are those of the account that
 * has it, wherever they are read, and an erased account's name is nowhere in the database.
 */
import { beforeAll, describe, expect, test } from "vitest";
import * as dataApi from "@/app/api/data/[[...path]]/route";
import * as logApi from "@/app/api/log/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { reconcile } from "@/lib/billing/reconcile";
import type { ServiceContext } from "@/lib/context";
import { eraseNames } from "@/lib/jobs/erase-names";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { countByTime } from "@/lib/usage-log/bar-queries";
import { readLogs } from "@/lib/usage-log/batch-queries";
import { listLogs } from "@/lib/usage-log/queries";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { updateUser } from "@/lib/user/commands";
import { call, createPerson, setUpApi } from "./harness";

const api = setUpApi();
const HOUR = 3_600;
const now = Math.floor(Date.now() / 1_000);
const root = (): ServiceContext => ({
  ...api.database,
  actor: { type: "user", id: api.root.id, username: "root", role: 100, group: "default", via: "session", proved: true },
  clientIp: "",
});

/** Books requests in several hours under the name that the account had then. */
async function book(userId: number, username: string, count: number, quota: number): Promise<void> {
  const gateway = await startBillingProcess(api.database.url);
  for (let n = 0; n < count; n++) {
    await gateway.settler.settle(
      settlementOf({ userId, username, quota, createdAt: now - (n % 5) * HOUR, hidden: n === 1 }),
    );
  }
  await gateway.stop();
}

const rename = (id: number, username: string) => updateUser(root(), { id, username });
const erase = (id: number) => call(userApi, `DELETE /api/user/${id}`, { as: api.root });

/** What every reader says of a name: requests, of which `hidden` are in no list, and their quota. */
async function readings(username: string) {
  const span = { startTimestamp: now - 30 * HOUR, endTimestamp: now + 60 };
  const search = { ...span, username, scope: "all" as const };
  const window = { from: now - 30 * HOUR, until: now + 60 };
  const batches: { username: string }[] = [];
  for await (const rows of readLogs(root(), search)) batches.push(...rows);
  const board = { ...window, granularity: "hour" as const, timeZone: "Asia/Kolkata", scope: "all" as const, username };
  const bars = await countByTime(root(), search);
  const query = new URLSearchParams({
    username,
    start_timestamp: `${span.startTimestamp}`,
    end_timestamp: `${span.endTimestamp}`,
  });
  const wire = async (path: string) => (await call(logApi, `GET /api/log${path}?${query}`, { as: api.root })).json.data;
  const data = (await call(dataApi, `GET /api/data/?${query}`, { as: api.root })).json.data as {
    count: number;
    quota: number;
  }[];
  const rows = await listLogs(root(), search);
  return {
    listed: rows.total,
    names: [...new Set([...rows.items, ...batches].map((row) => row.username))],
    batches: batches.length,
    bars: bars?.bars.reduce((sum, { requests }) => sum + requests, 0),
    sums: [
      (await sumLogs(root(), search)).quota,
      (await sumLogs(root(), { scope: "all", username })).quota,
      (await wire("/stat")).quota,
      (await readDashboard(root(), { ...board, dimension: "token" })).totals.quota,
      data.reduce((sum, { quota }) => sum + quota, 0),
    ],
    wire: (await wire("/")).total,
  };
}

const expected = (name: string, count: number, quota: number) => ({
  // One of them is hidden: charged, and in no list.
  listed: Math.max(0, count - 1),
  names: count === 0 ? [] : [name],
  batches: Math.max(0, count - 1),
  bars: Math.max(0, count - 1),
  sums: Array(5).fill(count * quota),
  wire: Math.max(0, count - 1),
});

let renamed: number;
let erased: number;
let anew: number;
beforeAll(async () => {
  renamed = (await createPerson(api.database, "before", 1)).id;
  await book(renamed, "before", 6, 10);
  await rename(renamed, "after");
  erased = (await createPerson(api.database, "wanda", 1)).id;
  await book(erased, "wanda", 8, 100);
  await erase(erased);
  anew = (await createPerson(api.database, "wanda", 1)).id;
  await book(anew, "wanda", 3, 7);
});

describe("rows and sums by a user's name are those of the account that has it", () => {
  test("a renamed account's are all under its new name", async () => {
    expect(await readings("after")).toEqual(expected("after", 6, 10));
    expect(await readings("before")).toEqual(expected("before", 0, 10));
  });

  test("an erased account's are under the name that it has now, and not under the one that somebody else took", async () => {
    expect(await readings(`deleted@${erased}`)).toEqual(expected(`deleted@${erased}`, 8, 100));
    expect(await readings("wanda")).toEqual(expected("wanda", 3, 7));
  });

  test("a name that is taken over by a rename brings no rows with it", async () => {
    await rename(anew, "wanda2");
    const taker = (await createPerson(api.database, "taker", 1)).id;
    await book(taker, "taker", 2, 5);
    await rename(taker, "wanda");
    expect(await readings("wanda")).toEqual(expected("wanda", 2, 5));
    expect(await readings("wanda2")).toEqual(expected("wanda2", 3, 7));
  });

  test("an administrator who looks at their own rows sees none by naming somebody else", async () => {
    expect((await sumLogs(root(), { scope: "own", username: "after" })).quota).toBe(0);
    expect((await listLogs(root(), { scope: "own", username: "after" })).total).toBe(0);
  });
});

/** Every table, column and value that has the text. */
async function placesOf(text: string): Promise<string[]> {
  const { sql } = api.database;
  const columns = await sql<{ table: string; column: string }[]>`
    select columns.table_name as table, column_name as column from information_schema.columns
    join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'character varying', 'json', 'jsonb', 'ARRAY')`;
  const found: string[] = [];
  for (const { table, column } of columns) {
    const [row] = await sql`select 1 from ${sql(table)} where ${sql(column)}::text ilike ${`%${text}%`} limit 1`;
    if (row) found.push(`${table}.${column}`);
  }
  return found;
}

describe("an erased account's name", () => {
  const NAME = "Xyzzyvo";
  let id: number;

  beforeAll(async () => {
    id = (await createPerson(api.database, NAME, 1)).id;
    await rename(id, `${NAME}-2`);
    await updateUser(root(), { id, quota: 1_000, displayName: `${NAME} the user` });
    // As an administrator, it changed somebody else's balance.
    const asAdmin = { ...root(), actor: { ...root().actor, id, username: `${NAME}-2` } } as ServiceContext;
    await updateUser(asAdmin, { id: api.bob.id, quota: 12_345 });
    const reference = "topup:of-a-name";
    await postLedgerEntry(api.database.db, { userId: id, amount: 5, kind: "topup", reference, actorId: null });
    await book(id, `${NAME}-2`, 6, 10);
    // A row that is on its way to a log store, among others'.
    const line = (userId: number, username: string) =>
      JSON.stringify({ request_id: `o${userId}`, user_id: userId, username, quota: 1 });
    await api.database.sql`
      insert into log_outbox (row_count, body) values (2, ${`${line(id, NAME)}\n${line(api.bob.id, "bob")}`})`;
    expect(await placesOf(NAME)).toEqual(
      expect.arrayContaining(["users.username", "log_outbox.body", "audit_entries.after"]),
    );
    expect((await placesOf(NAME)).some((place) => place.startsWith("usage_logs"))).toBe(true);
    await erase(id);
  });

  test("is in no row of any table: not in the log, nor on its way to a log store, in the ledger, statements or the audit log", async () => {
    expect(await placesOf(NAME)).toEqual([]);
    const [row] = await api.database.sql`select body from log_outbox`;
    expect(row?.body).toContain(`"username": "deleted@${id}"`);
    expect(row?.body).toContain('"username":"bob"');
    await api.database.sql`delete from log_outbox`;
  });

  test("leaves the log when a request that was running then is booked after it", async () => {
    await book(id, NAME, 2, 1);
    expect((await placesOf(NAME)).length).toBeGreaterThan(0);
    await eraseNames(api.database.sql);
    expect(await placesOf(NAME)).toEqual([]);
    await book(id, NAME, 1, 1);
    await api.database.sql`update job_positions set position = position - 7200 where starts_with(job, 'erase-names:')`;
    await eraseNames(api.database.sql);
    expect(await placesOf(NAME)).toEqual([]);
    expect(await api.database.sql`select 1 from job_positions where starts_with(job, 'erase-names:')`).toEqual([]);
  });

  test("leaves the log part by part where it has more rows than one request changes, also many of one second", async () => {
    const { sql } = api.database;
    const many = (await createPerson(api.database, `${NAME}-many`, 1)).id;
    await sql`
      insert into usage_logs (request_id, created_at, type, user_id, username)
      select 'many' || n, ${now - 40 * HOUR}::bigint + greatest(0, n - 5100), 1, ${many}, ${`${NAME}-many`}
      from generate_series(1, 5110) n`;
    await erase(many);
    const left = async () =>
      (
        await sql`select count(*)::int as rows from usage_logs where user_id = ${many} and username like ${`${NAME}%`}`
      )[0]?.rows;
    expect(await left()).toBeGreaterThan(0);
    await eraseNames(sql);
    expect(await left()).toBe(0);
    expect(await placesOf(NAME)).toEqual([]);
  });

  test("goes alone: nothing else of a row can be changed, nor the name of an account that is there", async () => {
    const { sql } = api.database;
    await expect(sql`update usage_logs set quota = 0 where user_id = ${id}`).rejects.toThrow(/append-only/);
    await expect(sql`update usage_logs set username = 'other' where user_id = ${id}`).rejects.toThrow(/append-only/);
    await expect(
      sql`update usage_logs set username = ${`deleted@${renamed}`} where user_id = ${renamed}`,
    ).rejects.toThrow(/append-only/);
    await expect(sql`
      update usage_logs set username = ${`deleted@${id}`}, quota = quota + 1 where user_id = ${id}`).rejects.toThrow(
      /append-only/,
    );
  });

  test("and the books agree", async () => {
    expect(
      (await reconcile(api.database.sql)).differences.filter(({ check }) => check.startsWith("usage_logs")),
    ).toEqual([]);
  });
});
