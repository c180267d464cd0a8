import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres, { type Sql } from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { createTestDatabase, type TestDatabase } from "./database";

const FILE = "book-settlements.sql";
const [NAME, OLD_NAME] = ["fresh", "old"].map((name) => `weir_test_${name}_${randomBytes(6).toString("hex")}`);

let server: TestDatabase;
let folder: string;
beforeAll(async () => {
  server = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "weir-functions-"));
  await Promise.all([NAME, OLD_NAME].map((name) => server.sql.unsafe(`create database ${name}`)));
});
afterAll(async () => {
  for (const name of [NAME, OLD_NAME]) await server.sql.unsafe(`drop database if exists ${name} with (force)`);
  await rm(folder, { recursive: true });
  await server.drop();
});

function urlOf(name: string | undefined): string {
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function on<Result>(name: string | undefined, run: (sql: Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(urlOf(name), { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end();
  }
}

/** The function in the database, and the version (xmin) of its row, which every replacement changes. */
function functionOf(name: string | undefined, called = "weir_book_settlements") {
  return on(name, async (sql) => {
    const rows = await sql<{ text: string; version: string }[]>`
      select prosrc as text, xmin::text as version from pg_proc where proname = ${called}`;
    expect(rows.length).toBeLessThanOrEqual(1);
    return rows[0];
  });
}

test("a fresh database and one that migrations alone made end with the function of the file; a second start changes nothing", async () => {
  // Nothing is in the folder yet.
  await migrateDatabase(urlOf(OLD_NAME), { functions: folder });
  const old = await functionOf(OLD_NAME);
  const files = (await readdir("db/functions")).filter((file) => file.endsWith(".sql")).sort();
  expect(files).toContain(FILE);
  for (const name of [NAME, OLD_NAME]) {
    expect(await migrateDatabase(urlOf(name))).toEqual({ functions: files });
  }
  const [fresh, brought] = [await functionOf(NAME), await functionOf(OLD_NAME)];
  expect(fresh?.text).toBe(brought?.text);
  expect(await readFile(join("db/functions", FILE), "utf8")).toContain(fresh?.text);
  expect(old?.text).not.toBe(brought?.text);
  for (const name of [NAME, OLD_NAME]) expect(await migrateDatabase(urlOf(name))).toEqual({ functions: [] });
  expect(await functionOf(NAME)).toEqual(fresh);
  expect(await functionOf(OLD_NAME)).toEqual(brought);
});

test("a function is applied when its text changes, and none is when one of them fails", async () => {
  const write = (file: string, answer: string) =>
    writeFile(
      join(folder, file),
      `create or replace function weir_${file[0]}() returns int language sql as $$ ${answer} $$;`,
    );
  const start = () => migrateDatabase(urlOf(NAME), { functions: folder });
  await write("a.sql", "select 1");
  await write("b.sql", "select 1");
  expect(await start()).toEqual({ functions: ["a.sql", "b.sql"] });
  await write("b.sql", "select 2");
  expect(await start()).toEqual({ functions: ["b.sql"] });
  await write("a.sql", "select 3");
  await write("b.sql", "select nothing_there");
  await expect(start()).rejects.toThrow("nothing_there");
  expect((await functionOf(NAME, "weir_a"))?.text).toContain("select 1");
  await write("b.sql", "select 4");
  expect(await start()).toEqual({ functions: ["a.sql", "b.sql"] });
  expect((await functionOf(NAME, "weir_b"))?.text).toContain("select 4");
});

test("processes that start at the same moment take turns", async () => {
  await writeFile(
    join(folder, "c.sql"),
    "create or replace function weir_c() returns int language sql as $$ select 5 $$;",
  );
  const outcomes = await Promise.all([1, 2, 3].map(() => migrateDatabase(urlOf(NAME), { functions: folder })));
  expect(outcomes.flatMap(({ functions }) => functions)).toEqual(["c.sql"]);
});
