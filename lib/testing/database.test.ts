import type { ISql, Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ARRAY_TYPES } from "@/db/array-types";
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

test("arrays of every type that the schema has arrive as arrays, and none is of a type whose number differs", async () => {
  const known = ARRAY_TYPES.map(([type, arrays]) => ({ type, arrays }));
  const [texts] = await first.sql`select array['a,b', '"c"'] as texts, array[[1, 2], [3, 4]]::bigint[] as numbers`;
  expect(texts).toEqual({
    texts: ["a,b", '"c"'],
    numbers: [
      [1, 2],
      [3, 4],
    ],
  });
  const given = [{ id: 1 }, { id: 2 }];
  expect(
    await first.sql`select to_json(${[1, 2]}::bigint[]) as ids, ${given.map(({ id }) => `u${id}`)}::text[] as names`,
  ).toEqual([{ ids: [1, 2], names: ["u1", "u2"] }]);
  const there = await first.sql<{ type: number; arrays: number }[]>`
    select typelem::int as type, oid::int as arrays from pg_type where oid = any(${known.map(({ arrays }) => arrays)}::oid[])`;
  expect(new Set(there.map((pair) => JSON.stringify(pair)))).toEqual(
    new Set(known.map((pair) => JSON.stringify(pair))),
  );
  const others = await first.sql`
    with used (type) as (
      select atttypid from pg_attribute join pg_class on pg_class.oid = attrelid
        where relnamespace = 'public'::regnamespace and attnum > 0
      union select unnest(coalesce(proallargtypes, proargtypes::oid[]) || prorettype) from pg_proc
        where pronamespace = 'public'::regnamespace)
    select typname from used join pg_type on pg_type.oid = type
    where typcategory = 'A' and typnamespace = 'pg_catalog'::regnamespace and type <> all(${known.map(({ arrays }) => arrays)}::oid[])
      or typtype in ('e', 'd') and typnamespace = 'public'::regnamespace`;
  expect(others).toEqual([]);
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

  test("a new connection sends nothing but what it is asked, also where it is reserved first or nobody waits for it any more", async () => {
    const sent: string[] = [];
    const quiet = () => connect(first.url, { max: 1, debug: (_id, text) => void sent.push(text) });
    const [reserved, cancelled] = [quiet(), quiet()];
    try {
      const held = await reserved.reserve();
      expect(await held`select 1 as value`).toEqual([{ value: 1 }]);
      held.release();
      const abandoned = cancelled`select 2 as value`;
      abandoned.execute();
      abandoned.cancel();
      await expect(abandoned).rejects.toMatchObject({ code: "57014" });
      await worksOn(cancelled);
      expect(new Set(sent)).toEqual(new Set(["select 1 as value", "select $1::int as value"]));
    } finally {
      await Promise.all([reserved.end({ timeout: 1 }), cancelled.end({ timeout: 1 })]);
    }
  });

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
