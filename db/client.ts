import type { PgDatabase } from "drizzle-orm/pg-core";
import type { PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { connect } from "./connect";
import * as schema from "./schema";

export type Schema = typeof schema;
/** A Drizzle database or one of its open transactions. */
export type Database = PgDatabase<PostgresJsQueryResultHKT, Schema>;
/** The postgres.js client (or one of its transactions) for hand-written SQL. */
export type Sql = postgres.Sql;

export type DatabaseHandle = { sql: Sql; db: PostgresJsDatabase<Schema>; end: () => Promise<void> };

export type DatabaseSettings = {
  url: string;
  /** Maximum number of connections, at least 1. */
  max: number;
  applicationName: string;
  /** Cancels statements that run longer; undefined = no limit. */
  statementTimeoutMs?: number;
  /** Cancels statements that wait longer for a lock; undefined = no limit. */
  lockTimeoutMs?: number;
  /**
   * Settings for searches and charts: plans each statement for its actual parameters, assumes the random reads of an SSD,
   * and allows more memory for sorts and sums. Not for the relay's few short statements.
   */
  isForSearches?: boolean;
  /** Called with every statement and its parameters before it is sent; for tests. */
  onStatement?: (text: string, parameters: unknown[]) => void;
};

/** Drizzle on an existing client, e.g. the one that a job receives. */
export function databaseOf(sql: Sql): PostgresJsDatabase<Schema> {
  return drizzle({ client: sql, schema, casing: "snake_case" });
}

/** Opens a connection pool. It connects on the first query. */
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
    // Every bigint of this schema is an integer below 2^53, so it fits in a number.
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
    connection: {
      application_name: settings.applicationName,
      ...(settings.statementTimeoutMs === undefined ? {} : { statement_timeout: settings.statementTimeoutMs }),
      ...(settings.lockTimeoutMs === undefined ? {} : { lock_timeout: settings.lockTimeoutMs }),
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
