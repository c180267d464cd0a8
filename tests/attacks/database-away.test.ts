// A database that refuses: every state in which it serves nobody, or takes no writes, on every way to it.
import { NextRequest } from "next/server";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as tokenTable from "@/app/api/token/[[...path]]/route";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { openSession } from "@/db/connect";
import { isDatabaseTrouble } from "@/lib/billing/sqlstate";
import { consoleDatabase, isDatabaseAway, orDatabaseAway } from "@/lib/console-database";
import { AppError } from "@/lib/errors";
import { limited } from "@/lib/http/rate-limit";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { startTroubledProxy, type TroubledProxy } from "@/lib/testing/troubled-proxy";
import { proxy } from "@/proxy";
import { call, setUpApi } from "../api/harness";

/** PostgreSQL's names of them, and PgBouncer's. */
const AWAY = {
  "08000": "connection_exception",
  "08001": "sqlclient_unable_to_establish_sqlconnection",
  "08003": "connection_does_not_exist",
  "08004": "sqlserver_rejected_establishment_of_sqlconnection",
  "08006": "connection_failure",
  "08P01": "protocol_violation, which PgBouncer says of a server that it does not reach",
  "25006": "read_only_sql_transaction",
  "53000": "insufficient_resources",
  "53100": "disk_full",
  "53200": "out_of_memory",
  "53300": "too_many_connections",
  "57P01": "admin_shutdown",
  "57P02": "crash_shutdown",
  "57P03": "cannot_connect_now",
  "57P05": "idle_session_timeout",
  "58000": "system_error",
  "58030": "io_error",
} as const;
const UNREACHABLE = [
  ...["CONNECTION_CLOSED", "CONNECTION_DESTROYED", "CONNECTION_ENDED", "CONNECTION_SILENT", "CONNECT_TIMEOUT"],
  ...["EADDRNOTAVAIL", "EAI_AGAIN", "ECONNABORTED", "ECONNREFUSED", "ECONNRESET", "EHOSTDOWN", "EHOSTUNREACH"],
  ...["ENETDOWN", "ENETUNREACH", "ENOTFOUND", "EPIPE", "ETIMEDOUT", "SERVER_UNSUITABLE"],
];
/** These are the statement's own. */
const OTHERS = ["22P02", "23505", "42P01", "42501", "57014", "28P01", "3D000", "XX000", "ENOENT", "53", "580"];
const withCode = (code: string): Error => Object.assign(new Error(code), { code });
const wrapped = (code: string): Error => new Error("Failed query", { cause: withCode(code) });

const api = setUpApi();

describe("one table says which errors mean that the database cannot serve", () => {
  test.each([...Object.keys(AWAY), ...UNREACHABLE])(
    "%s is one, also as Drizzle wraps it, for the console and the relay",
    (code) => {
      expect([
        isDatabaseAway(withCode(code)),
        isDatabaseAway(wrapped(code)),
        isDatabaseTrouble(withCode(code)),
      ]).toEqual([true, true, true]);
      expect(orDatabaseAway(withCode(code))).toMatchObject({ code: "unavailable", messageKey: "databaseAway" });
    },
  );

  test.each(OTHERS)("%s is none", (code) => {
    expect([isDatabaseAway(withCode(code)), isDatabaseAway(wrapped(code))]).toEqual([false, false]);
  });

  test("a socket's file that is missing is one, another file is not; an upstream's failure is none", () => {
    expect(isDatabaseAway(Object.assign(withCode("ENOENT"), { syscall: "connect" }))).toBe(true);
    expect(isDatabaseAway(Object.assign(withCode("ENOENT"), { syscall: "open" }))).toBe(false);
    expect(isDatabaseAway(new AppError("upstream", "egressTimeout", {}, withCode("ECONNREFUSED")))).toBe(false);
  });
});

describe("who asks then gets 503 with Retry-After and a text, never a 500", () => {
  beforeAll(async () => {
    await api.database.sql.unsafe(`
      create table refusal (state text);
      create function refuse() returns trigger language plpgsql as $$
        declare said text := (select state from refusal);
        begin
          if said is not null then raise exception 'refused' using errcode = said; end if;
          return new;
        end $$;
      create trigger refuse before insert on tokens for each row execute function refuse()`);
  });

  test.each(Object.keys(AWAY))("/api, where a statement fails with %s", async (state) => {
    await api.database.sql`delete from refusal`;
    await api.database.sql`insert into refusal values (${state})`;
    const answer = await call(tokenTable, "POST /api/token/", { as: api.root, body: { name: "refused" } });
    await api.database.sql`delete from refusal`;
    expect([answer.status, answer.headers.get("retry-after"), answer.json.success]).toEqual([503, "5", false]);
    expect(answer.json.message).toBe("数据库暂时不可用，请稍后再试");
  });

  test.each(["25006", "53100", "57P03"])(
    "who only reads is served where a session's last use cannot be written: %s",
    async (state) => {
      const { sql } = api.database;
      await sql.unsafe(`
        create or replace trigger refuse before update on sessions for each row execute function refuse();
        update sessions set last_seen_at = 1000`);
      await sql`insert into refusal values (${state})`;
      const answer = await call(tokenTable, "GET /api/token/", { as: api.root, by: "cookie" });
      await sql`delete from refusal`;
      expect([answer.status, answer.json.success]).toEqual([200, true]);
    },
  );

  test.each(Object.keys(AWAY))("handlers outside of the tables, with %s", async (state) => {
    const handler = limited("global", "api", () => Promise.reject(withCode(state)));
    const answer = await handler(
      new Request("http://weir.example/api/auth/session", { headers: { "accept-language": "en" } }),
    );
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await answer.json()).toMatchObject({ message: "The database is unavailable. Try again in a moment" });
  });

  test("pages", async () => {
    const url = process.env.DATABASE_URL ?? "";
    await consoleDatabase().end();
    delete (globalThis as { weirConsoleDatabase?: DatabaseHandle }).weirConsoleDatabase;
    process.env.DATABASE_URL = "postgres://weir@127.0.0.1:9/weir";
    try {
      const answer = await proxy(
        new NextRequest("http://weir.example/token", { headers: { "accept-language": "en" } }),
      );
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await answer.text()).toContain("The database is unavailable. Try again in a moment");
    } finally {
      await consoleDatabase().end();
      delete (globalThis as { weirConsoleDatabase?: DatabaseHandle }).weirConsoleDatabase;
      process.env.DATABASE_URL = url;
    }
    expect((await proxy(new NextRequest("http://weir.example/token"))).status).toBe(200);
  });
});

describe("a connection whose server takes no writes is not kept", () => {
  let database: TestDatabase;
  let through: TroubledProxy;
  beforeAll(async () => {
    database = await createTestDatabase();
    through = await startTroubledProxy(database.url);
    await database.sql`create table written (at int)`;
  });
  afterAll(async () => {
    await through.close();
    await database.drop();
  });
  /** As a cloud's database does it whose disk is full, or that is being moved: for new sessions, which keep it. */
  const setReadOnly = (isReadOnly: boolean) =>
    database.sql.unsafe(
      `alter database ${new URL(database.url).pathname.slice(1)} ${isReadOnly ? "set default_transaction_read_only = on" : "reset default_transaction_read_only"}`,
    );
  const failed = { code: "25006" };

  const ways: Record<string, (handle: DatabaseHandle) => Promise<unknown>> = {
    "a statement": ({ sql }) => sql`insert into written values (1)`,
    "a transaction": ({ sql }) => sql.begin((tx) => tx`insert into written values (1)`),
    "a transaction with several at once": ({ sql }) =>
      sql.begin((tx) => [tx`select 1`, tx`insert into written values (1)`, tx`select 2`]),
    "a reserved session": async ({ sql }) => {
      const { sql: session, release } = await openSession(sql, "test");
      await session`insert into written values (1)`.finally(release);
    },
  };
  const pools = { "one connection": 1, "five connections": 5 };

  for (const [pool, max] of Object.entries(pools))
    test.each(Object.keys(ways))(`%s, ${pool}: one failure, and the next has a new connection`, async (name) => {
      const handle = createDatabase({ url: through.url, max, applicationName: "test" });
      const write = ways[name];
      if (!write) throw new Error(name);
      try {
        await setReadOnly(true);
        // All connections of the pool are open, and know nothing of what comes.
        await Promise.all(Array.from({ length: max }, () => handle.sql`select pg_sleep(0.05)`));
        await expect(write(handle)).rejects.toMatchObject(failed);
        await setReadOnly(false);
        await write(handle);
        await Promise.all(Array.from({ length: max * 2 }, () => write(handle)));
      } finally {
        await setReadOnly(false);
        await handle.end();
      }
    });

  test("statements that were on their way with it are answered, not lost", async () => {
    const handle = createDatabase({ url: through.url, max: 1, applicationName: "test" });
    await setReadOnly(true);
    await handle.sql`select 1`;
    const [refused, ...others] = await Promise.allSettled([
      handle.sql`insert into written values (1)`,
      ...Array.from({ length: 10 }, (_one, at) => handle.sql`select ${at}::int as at`),
    ]);
    await setReadOnly(false);
    expect(refused).toMatchObject({ status: "rejected", reason: failed });
    expect(others.map((one) => (one.status === "fulfilled" ? one.value[0]?.at : one.reason))).toEqual(
      Array.from({ length: 10 }, (_one, at) => at),
    );
    await handle.end();
  });
});
