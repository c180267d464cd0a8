import { sql as drizzleSql } from "drizzle-orm";
import { expect, vi } from "vitest";
import { channels, tokens, users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { completeByUser } from "@/lib/log-store/by-user-commands";
import { countShards, createLogStore } from "@/lib/log-store/clickhouse/client";
import { insertRows } from "@/lib/log-store/clickhouse/insert";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { LINES_PER_OUTBOX, toStoreRow } from "@/lib/log-store/clickhouse/rows";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import type { TestDatabase } from "@/lib/testing/database";
import type { listFailureGroups } from "@/lib/usage-log/failure-queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { CAUSES, MODELS, randomRows, type TestRow } from "./log-store-rows";

// The same log in several places, which are to answer alike.

const DAY = 86_400;
const FIRST_OUTBOX = 1_048_576;

/** `split`: some of it in PostgreSQL, in the store, and in the outbox. */
export type Place = { name: "PostgreSQL" | "ClickHouse" | "split" | "cluster"; database: TestDatabase; url: string };

export function testRows(count: number, now: number, random: () => number): TestRow[] {
  return randomRows(count, now, random).map((json, place) => ({
    id: (FIRST_OUTBOX + Math.floor(place / 100)) * LINES_PER_OUTBOX + (place % 100),
    json,
  }));
}

export const contextOf = ({ database }: Place, role: number, id: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `user'${id}`, role, group: "default", via: "session" },
  clientIp: "",
});

/** The result of a reader in each place; the first is PostgreSQL alone. */
export async function everywhere<Result>(
  places: readonly Place[],
  read: (place: Place) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const place of places) {
    vi.stubEnv("LOG_STORE_URL", place.url);
    results.push(await read(place));
  }
  vi.unstubAllEnvs();
  return results;
}

export async function expectSame(
  places: readonly Place[],
  what: unknown,
  read: (place: Place) => Promise<unknown>,
): Promise<unknown> {
  const [inPostgres, ...others] = await everywhere(places, read);
  for (const [place, other] of others.entries()) {
    expect(other, `${places[place + 1]?.name}: ${JSON.stringify(what)}`).toEqual(inPostgres);
  }
  return inPostgres;
}

export async function fillPlace({ name, database, url }: Place, rows: TestRow[], now: number): Promise<void> {
  const { db } = database;
  await db.insert(users).values([1, 2, 3, 4].map((id) => ({ id, username: `user'${id}`, role: id === 4 ? 100 : 1 })));
  await db
    .insert(channels)
    .values(
      [1, 2, 3].map((id) => ({ id, name: `channel ${id}`, keyCipher: "x", models: "gpt-4o,gpt_4o,deepseek-chat" })),
    );
  await db.insert(tokens).values(
    [1, 2, 3, 4].flatMap((user) =>
      [0, 1].map((index) => {
        const id = user * 10 + index;
        return { id, userId: user, keyHash: sha256Hex(`key${id}`), keyCipher: "x", keyHint: "x", name: "main" };
      }),
    ),
  );
  if (name === "PostgreSQL") await intoPostgres(database, rows);
  if (name === "ClickHouse" || name === "cluster") await intoStore(database, url, rows);
  if (name === "split") {
    await intoPostgres(database, rows.slice(0, 300));
    await intoStore(database, url, rows.slice(300, 1_000));
    // The last shipment is still in the outbox, as while a batch is being sent.
    await intoOutbox(database, rows.slice(900), now);
  }
  await database.sql`
    insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens,
      completion_tokens, cost, unbilled_cost, unknown_costs)
    select created_at - created_at % 3600, user_id, token_id, channel_id, model_name, "group", count(*) filter (where type = 2),
      sum(quota), sum(prompt_tokens), sum(completion_tokens), coalesce(sum(cost), 0), sum(unbilled_cost),
      sum(coalesce(unknown_costs, (type = 2)::int))
    from json_populate_recordset(null::usage_logs, ${JSON.stringify(rows.map(({ json }) => json))}::text::json)
    where type in (2, 5) or type = 4 and starts_with(request_id, 'end:') group by 1, 2, 3, 4, 5, 6`;
}

export async function intoPostgres({ db }: TestDatabase, some: TestRow[]): Promise<void> {
  const whole = JSON.stringify(some.map(({ id, json }) => ({ id, ...json })));
  await db.execute(drizzleSql`
    insert into usage_logs select * from json_populate_recordset(null::usage_logs, ${whole}::text::json)`);
}

export async function intoStore({ sql }: TestDatabase, url: string, some: TestRow[]): Promise<void> {
  const store = createLogStore(parseLogStoreUrl(url));
  await migrateLogStore(store);
  const shards = await countShards(store);
  for (let at = 0; at < some.length; at += 100) {
    const batch = at / 100 + 1;
    const block = some.slice(at, at + 100).map(({ id, json }) => toStoreRow(json, { id, batch }));
    await insertRows(store, { shard: (batch % shards) + 1, rows: block, queryId: `${url}-${batch}` });
  }
  // Notes that lists may be read in the order of users.
  expect(await completeByUser(sql, store)).toBe(0);
  await store.end();
}

/** Each hundred rows are one flush; what was settled before is in it and no row. */
async function intoOutbox({ sql }: TestDatabase, some: TestRow[], now: number): Promise<void> {
  for (let at = 0; at < some.length; at += 100) {
    const block = some.slice(at, at + 100);
    const again = { ...block[0]?.json, quota: 777_777 };
    const lines = [...block.map(({ json }) => json), again].map((json) => JSON.stringify(json));
    await sql`
      insert into log_outbox (id, created_at, row_count, skipped, body)
      values (${Math.floor((block[0]?.id ?? 0) / LINES_PER_OUTBOX)}, ${now}, ${lines.length}, ${[block.length]}, ${lines.join("\n")})`;
  }
}

export function drawing(random: () => number) {
  const below = (bound: number) => Math.floor(random() * bound);
  return { below, oneOf: <Item>(items: readonly Item[]) => items[below(items.length)] as Item };
}

export const PEOPLE = [
  { role: 100, id: 4 },
  { role: 10, id: 3 },
  { role: 1, id: 1 },
  { role: 1, id: 2 },
];

/** Some of the filters at once, and values that are no search but SQL. */
export function randomSearch(rows: readonly TestRow[], now: number, random: () => number): LogSearch {
  const { below, oneOf } = drawing(random);
  const row = oneOf(rows).json;
  const evil = ["' or 1=1 --", "\\' or 1=1 --", "%' or '1'='1", "'; drop table usage_logs --", "\\", "😀'"];
  const text = (value: unknown) => (below(12) === 0 ? oneOf(evil) : String(value));
  const filters: [keyof LogSearch, () => unknown][] = [
    ["type", () => oneOf([1, 2, 3, 4, 5])],
    ["username", () => text(row.username)],
    ["tokenName", () => text(row.token_name)],
    ["group", () => text(row.group)],
    ["modelName", () => text(oneOf([...MODELS, "gpt%", "%o%", "%_4o", "%%", "%'s", '%"b\\%']))],
    ["channelId", () => 1 + below(4)],
    ["requestId", () => text(row.request_id)],
    ["statusCode", () => oneOf([400, 429, 502, 999])],
    ["errorCode", () => text(oneOf(["bad_response", "o'code"]))],
    ["errorCause", () => text(oneOf(CAUSES))],
    ["cost", () => true],
    ["unbilledCost", () => true],
    ["startTimestamp", () => now - below(5 * DAY)],
    ["endTimestamp", () => now - below(2 * DAY)],
  ];
  const chosen = filters.filter(() => below(6) === 0).map(([field, value]) => [field, value()]);
  return { ...Object.fromEntries(chosen), page: below(4), pageSize: oneOf([1, 10, 37, 100]) };
}

/** Those of equal count come in any order. */
export function sortedGroups({ groups, isPart }: Awaited<ReturnType<typeof listFailureGroups>>) {
  return { isPart, groups: groups.map((group) => JSON.stringify(group, Object.keys(group).sort())).sort() };
}
