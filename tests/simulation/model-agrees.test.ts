// What the simulation took for the database is what PostgreSQL does: every statement of some interleavings is carried out
// there too, in the same order, and gives the same answer and the same balances.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Ask, LeaseKey, SettlementStore } from "@/lib/billing/billing-store";
import { NodeNotRegistered } from "@/lib/billing/billing-store";
import { createLeaseStore } from "@/lib/billing/lease-queries";
import { reconcile } from "@/lib/billing/reconcile";
import { retireNode } from "@/lib/billing/retire-commands";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import type { SettlementRow } from "@/lib/billing/settlement-row";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { UNUSED_LOG_STORE } from "@/lib/testing/log-store";
import { rewriteBooks } from "@/lib/testing/rewrite-books";
import { NOT_REGISTERED, type Traced } from "./faulty-server";
import { runInterleaving } from "./interleaving";

const SEEDS = 12;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function empty(): Promise<void> {
  await rewriteBooks(
    database.sql,
    "truncate users, tokens, leases, nodes, usage_logs, log_outbox, settled_requests, usage_hourly, ledger_entries cascade",
  );
  stores.clear();
}

/** `hasStore`: which processes have a log store; absent = as this one. */
type Place = { postings: { count: number }; hasStore?: (nodeId: string) => boolean };

/** The settler's part of each process. */
const stores = new Map<string, SettlementStore>();

function storeOf(nodeId: string): SettlementStore {
  const store = stores.get(nodeId) ?? createSettlementStore(database.sql);
  stores.set(nodeId, store);
  return store;
}

/** The same statement on PostgreSQL. */
async function carryOut({ name, args }: Traced, { postings, hasStore }: Place): Promise<unknown> {
  const { sql } = database;
  const leases = createLeaseStore(sql);
  const [first, second, third] = args;
  const node = String(first);
  if (hasStore) process.env.LOG_STORE_URL = hasStore(node) ? UNUSED_LOG_STORE : "";
  const post = (userId: number, amount: number) => sql`
    insert into ledger_entries (user_id, amount, kind, reference)
    values (${userId}, ${amount}, 'grant', ${`trace:${userId}:${++postings.count}`})`;
  switch (name) {
    case "addUser":
      await sql`insert into users (id, username, quota) values (${Number(first)}, ${`u${first}`}, ${Number(second)})`;
      await post(Number(first), Number(second));
      return undefined;
    case "addToken":
      await sql`
        insert into tokens (id, user_id, name, key_hash, key_cipher, key_hint, remain_quota)
        values (${Number(first)}, ${Number(second)}, 't', 'hash', '', '', ${Number(third)})`;
      return undefined;
    case "post":
      await sql`update users set quota = quota + ${Number(second)} where id = ${Number(first)}`;
      await post(Number(first), Number(second));
      return undefined;
    case "acquire":
      return leases.acquire(node, second as LeaseKey, third as Ask);
    case "trim":
      return leases.trim(node, second as LeaseKey, Number(third));
    case "leasesOf":
      return leases.leasesOf(node);
    case "heartbeat":
      return leases.heartbeat(node, "");
    case "leave":
      return leases.leave(node);
    case "book":
      return storeOf(node)
        .book(node, second as SettlementRow[])
        .catch((error: unknown) => {
          if (error instanceof NodeNotRegistered) return NOT_REGISTERED;
          throw error;
        });
    case "retire":
      return retireNode(sql, node, second as SettlementRow[], third as SettlementRow[]);
    default:
      throw new Error(`no such statement: ${name}`);
  }
}

/** Sets come in any order. */
function comparable(result: unknown): unknown {
  if (Array.isArray(result)) return result.map((item) => JSON.stringify(sortKeys(item))).sort();
  if (typeof result !== "object" || result === null) return result;
  return Object.fromEntries(Object.entries(sortKeys(result)).map(([key, value]) => [key, comparable(value)]));
}

const sortKeys = (value: object) => Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Compares some interleavings; resolves to the number of statements. */
async function compare(seeds: number, hasStore?: Place["hasStore"]): Promise<number> {
  let compared = 0;
  for (let seed = 1, done = 0; done < seeds; seed++) {
    const { trace, hadFailover, database: model } = await runInterleaving(seed);
    if (hadFailover) continue;
    done += 1;
    await empty();
    const place = { postings: { count: 0 }, ...(hasStore && { hasStore }) };
    for (const [index, statement] of trace.entries()) {
      const result = await carryOut(statement, place);
      const where = `seed ${seed}, statement ${index}: ${statement.name}`;
      expect(comparable(result), where).toEqual(comparable(statement.result));
      compared += 1;
    }
    const users = await database.sql`
      select id, quota, reserved, used_quota as used, request_count as count from users order by id`;
    expect([...users], `seed ${seed}`).toEqual([...model.users()].map(([id, balance]) => ({ id, ...balance })));
    const tokens = await database.sql`select remain_quota as quota, reserved, used_quota as used from tokens`;
    expect([...tokens]).toMatchObject([...model.tokens().values()].map(({ count: _, userId: __, ...rest }) => rest));
    const costs = await database.sql`
      select user_id as id, sum(cost)::bigint as cost, sum(unbilled_cost)::bigint as unbilled,
        sum(unknown_costs)::bigint as unknown
      from usage_hourly group by user_id order by user_id`;
    const metered = [...model.metered()].sort(([a], [b]) => a - b).map(([id, sums]) => ({ id, ...sums }));
    expect([...costs], `seed ${seed}`).toEqual(metered);
    expect((await reconcile(database.sql)).differences).toEqual([]);
  }
  return compared;
}

test("PostgreSQL answers every statement of some interleavings as the model does, and ends with the same balances", async () => {
  expect(await compare(SEEDS)).toBeGreaterThan(SEEDS * 50);
}, 120_000);

test("the same where some processes have a log store and others do not: what one booked, the other does not book again", async () => {
  // The simulation's time: what is older than two days is looked for in the log store itself.
  vi.useFakeTimers({ toFake: ["Date"], now: 1_790_003_600_000 });
  const isOdd = (nodeId: string) => Number.parseInt(nodeId.replaceAll(/[^0-9a-f]/g, "").slice(-1), 16) % 2 === 1;
  expect(await compare(SEEDS, isOdd)).toBeGreaterThan(SEEDS * 50);
  expect(await compare(SEEDS, (nodeId) => !isOdd(nodeId))).toBeGreaterThan(SEEDS * 50);
}, 240_000);
