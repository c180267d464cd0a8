import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { readPools, watchPools } from "@/db/pool-watch";
import { options } from "@/db/schema";
import { createTestDatabase, type TestDatabase } from "./database";

let database: TestDatabase;
let pools = 0;
const opened: DatabaseHandle[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  watchPools();
});
afterAll(async () => {
  await Promise.all(opened.map(({ end }) => end()));
  await database.drop();
});

function open(max: number): { pool: DatabaseHandle; figures: () => object } {
  const name = `watched-${++pools}`;
  const pool = createDatabase({ url: database.url, max, applicationName: name });
  opened.push(pool);
  return { pool, figures: () => readPools().find((one) => one.name === name) ?? {} };
}

/** Ends what was held on to. */
function gate(): { opens: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opens = new Promise<void>((done) => {
    open = done;
  });
  return { opens, open };
}

test("a transaction uses one connection from its BEGIN to its COMMIT, and what comes to a full pool waits", async () => {
  const { pool, figures } = open(2);
  expect(figures()).toMatchObject({ max: 2, inUse: 0, waiting: 0, waits: 0 });
  const { opens, open: finish } = gate();
  const began = [gate(), gate()];
  const transactions = began.map((first) =>
    pool.sql.begin(async (tx) => {
      await tx`select 1`;
      first.open();
      await opens;
    }),
  );
  expect(figures()).toMatchObject({ inUse: 2, waiting: 0 });
  await Promise.all(began.map((first) => first.opens));
  expect(figures()).toMatchObject({ inUse: 2, waiting: 0, waits: 0 });
  const third = pool.db.select().from(options).execute();
  await Promise.resolve();
  expect(figures()).toMatchObject({ inUse: 2, waiting: 1, waits: 1 });
  finish();
  await Promise.all([...transactions, third]);
  expect(figures()).toMatchObject({ inUse: 0, waiting: 0, waits: 1 });
});

test("a statement that fails, a transaction that is rolled back and a connection that is lost leave nothing in use", async () => {
  const { pool, figures } = open(1);
  await expect(pool.sql`select nothing from nowhere`).rejects.toThrow();
  await expect(pool.sql.begin((tx) => tx`select nothing from nowhere`)).rejects.toThrow();
  await expect(pool.sql`select pg_terminate_backend(pg_backend_pid(), 5000)`).rejects.toThrow();
  expect(figures()).toMatchObject({ inUse: 0, waiting: 0 });
  expect(await pool.sql`select 1 as one`).toEqual([{ one: 1 }]);
  expect(figures()).toMatchObject({ inUse: 0, waiting: 0 });
});

test("a borrowed connection is in use until it is given back", async () => {
  const { pool, figures } = open(1);
  const borrowed = await pool.sql.reserve();
  await borrowed`select 1`;
  expect(figures()).toMatchObject({ inUse: 1, waiting: 0 });
  const second = pool.sql`select 1`.execute();
  expect(figures()).toMatchObject({ inUse: 1, waiting: 1 });
  borrowed.release();
  await second;
  expect(figures()).toMatchObject({ inUse: 0, waiting: 0 });
});

test("a pool that has ended is not shown any more", async () => {
  const { pool, figures } = open(1);
  await pool.sql`select 1`;
  await pool.end();
  expect(figures()).toEqual({});
});
