import type { ISql, Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "@/db/connect";
import { createTestDatabase, type TestDatabase } from "./database";

let first: TestDatabase;
let second: TestDatabase;
beforeAll(async () => {
  first = await createTestDatabase();
  second = await createTestDatabase();
});
afterAll(async () => {
  await first.drop();
  await second.drop();
});

test("each test database is migrated and apart from the others", async () => {
  await first.sql`insert into options (key, value) values ('SystemName', '"one"')`;
  expect(await first.sql`select count(*)::int as count from options`).toEqual([{ count: 1 }]);
  expect(await second.sql`select count(*)::int as count from options`).toEqual([{ count: 0 }]);
});

test("bigint columns arrive as whole numbers", async () => {
  const [row] = await first.sql`select 123456789012::bigint as amount`;
  expect(row).toEqual({ amount: 123456789012 });
});

describe("the driver, repaired (patches/README.md)", () => {
  const lost = { code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED|ECONNRESET)$/) };

  /** One connection, so that the next query sees the state that the previous one left. */
  async function withPool(work: (pool: Sql) => Promise<void>): Promise<void> {
    const pool = connect(first.url, { max: 1, onnotice: () => {} });
    try {
      await work(pool);
    } finally {
      await pool.end({ timeout: 1 });
    }
  }

  /** Terminates the client's server session and waits until it has ended. */
  async function cut(sql: ISql): Promise<void> {
    const [session] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    const [row] = await first.sql<
      { ended: boolean }[]
    >`select pg_terminate_backend(${session?.pid ?? 0}, 5000) as ended`;
    expect(row).toEqual({ ended: true });
  }

  const worksOn = async (pool: Sql) => {
    for (const value of [1, 2, 3]) expect(await pool`select ${value}::int as value`).toEqual([{ value }]);
  };

  test("a query that is over lets go of its parameters, so that batches do not pile up in memory", async () => {
    const query = first.sql`select length(${"a long batch"}::text) as length`;
    const kept = query as unknown as { args: unknown; parameters: unknown };
    expect(kept.args).toEqual(["a long batch"]);
    expect(await query).toEqual([{ length: 12 }]);
    expect(kept).toMatchObject({ args: null, parameters: null });
  });

  test("a transaction whose connection is cut fails; the process lives, and every later query is answered", () =>
    withPool(async (pool) => {
      const transaction = pool.begin(async (tx) => {
        await cut(tx);
        await tx`select 1`;
      });
      await expect(transaction).rejects.toMatchObject(lost);
      await worksOn(pool);
    }));

  test("a query whose connection is cut fails alone; the next ones do not fail with its error", () =>
    withPool(async (pool) => {
      await expect(pool`select pg_terminate_backend(pg_backend_pid())`).rejects.toMatchObject(lost);
      await worksOn(pool);
    }));

  test("statements of a transaction that lost its connection never run within another transaction", () =>
    withPool(async (pool) => {
      await pool`create table if not exists written (by text)`;
      let dead: ISql = pool;
      const lostTransaction = pool.begin(async (tx) => {
        dead = tx;
        await cut(tx);
        await new Promise(() => {});
      });
      await expect(lostTransaction).rejects.toMatchObject(lost);
      await pool.begin(async (tx) => {
        await tx`insert into written values ('living')`;
        await expect(dead`insert into written values ('dead')`).rejects.toMatchObject(lost);
      });
      expect(await pool`select by from written`).toEqual([{ by: "living" }]);
    }));

  test("a transaction has its connection to itself, also when it begins behind a full pipeline", () =>
    withPool(async (pool) => {
      await pool`select 1`;
      const before = Array.from({ length: 100 }, () => pool`select 1`.execute());
      const transaction = pool.begin(async (tx) => (await tx`select pg_current_xact_id()::text as id`)[0]);
      const after = pool`select pg_current_xact_id()::text as id`;
      await Promise.all(before);
      expect(await transaction).not.toEqual((await after)[0]);
      const open = first.sql`select 1 from pg_stat_activity where state like 'idle in transaction%' and datname = current_database()`;
      expect(await open).toEqual([]);
    }));

  test("a reserved connection that is cut fails, and never speaks on the connection of another", () =>
    withPool(async (pool) => {
      const held = await pool.reserve();
      await cut(held);
      await expect(held`select 1`).rejects.toMatchObject(lost);
      await worksOn(pool);
      await expect(held`select 1`).rejects.toMatchObject(lost);
      held.release();
      await worksOn(pool);
    }));
});
