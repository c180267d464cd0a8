import type { PgDatabase } from "drizzle-orm/pg-core";
import type { PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { connect } from "./connect";
import * as schema from "./schema";

export type Schema = typeof schema;
/** A Drizzle database or an open transaction of it. */
export type Database = PgDatabase<PostgresJsQueryResultHKT, Schema>;
/** The postgres.js client (or a transaction of it) for hand-written SQL. */
export type Sql = postgres.Sql;

export type DatabaseHandle = { sql: Sql; db: PostgresJsDatabase<Schema>; end: () => Promise<void> };

export type DatabaseSettings = {
  url: string;
  /** Most connections held, at least 1. */
  max: number;
  applicationName: string;
  /** Statements running longer are cancelled; left out = no limit. */
  statementTimeoutMs?: number;
  /**
   * For searches and charts: each statement is planned for the values it comes with, which decide what is quick, for a disk
   * that has no arm to move, and may sort and sum in more memory. Not for the few short statements of the relay.
   */
  isForSearches?: boolean;
  /** Hears of every statement before it is sent, and of its parameters; for tests of what is sent. */
  onStatement?: (text: string, parameters: unknown[]) => void;
};

/** Drizzle on a client that is there already, e.g. the one a job is given. */
export function databaseOf(sql: Sql): PostgresJsDatabase<Schema> {
  return drizzle({ client: sql, schema, casing: "snake_case" });
}

/** Opens a connection pool. Nothing connects before the first query. */
export function createDatabase(settings: DatabaseSettings): DatabaseHandle {
  const { onStatement } = settings;
  const sql = connect(settings.url, {
    max: settings.max,
    idle_timeout: 60,
    connect_timeout: 10,
    onnotice: () => {},
    ...(onStatement
      ? { debug: (_: number, text: string, parameters: unknown[]) => onStatement(text, parameters) }
      : {}),
    // Money fits in 2^53; every bigint of this schema is a whole number below that.
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
    connection: {
      application_name: settings.applicationName,
      ...(settings.statementTimeoutMs === undefined ? {} : { statement_timeout: settings.statementTimeoutMs }),
      ...(settings.isForSearches
        ? { plan_cache_mode: "force_custom_plan", work_mem: "16MB", random_page_cost: "1.1", jit: "off" }
        : {}),
    },
  }) as unknown as Sql;
  return {
    sql,
    db: databaseOf(sql),
    end: () => sql.end({ timeout: 5 }),
  };
}
