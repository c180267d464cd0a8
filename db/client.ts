import type { PgDatabase } from "drizzle-orm/pg-core";
import { drizzle, type PostgresJsDatabase, type PostgresJsQueryResultHKT } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { connect, rememberDirectUrl } from "./connect";
import { watchPool } from "./pool-watch";
import { createReaderGuard, POOLED_NAME } from "./pooled-sessions";
import * as schema from "./schema";

export type Schema = typeof schema;
/** A Drizzle database or one of its open transactions. */
export type Database = PgDatabase<PostgresJsQueryResultHKT, Schema>;
/** The postgres.js client (or one of its transactions) for hand-written SQL. */
export type Sql = postgres.Sql;

export type DatabaseHandle = { sql: Sql; db: PostgresJsDatabase<Schema>; end: () => Promise<void> };

export type DatabaseSettings = {
  url: string;
  /**
   * PostgreSQL itself, where `url` leads to a pooler that gives each transaction another session, such as PgBouncer. Then
   * nothing that belongs to a session goes through `url`: no prepared statements, and none of the settings below.
   * What must have a session goes here: listeners (db/listen.ts) and `openSession`.
   */
  directUrl?: string | undefined;
  /** Maximum number of connections, at least 1. */
  max: number;
  applicationName: string;
  /**
   * Cancels statements that run longer; undefined = no limit. Where nothing is heard of one for a second more, its
   * connection is thrown away, because the server may be gone without a word.
   */
  statementTimeoutMs?: number;
  /**
   * Instead of a limit: after this long without a word the server is asked on another connection whether it is at work
   * on the statement. If it is not, or cannot be asked, the connection is thrown away.
   */
  askAfterMs?: number;
  /** Cancels statements that wait longer for a lock; undefined = no limit. */
  lockTimeoutMs?: number;
  /**
   * Settings for searches and charts: plans each statement for its actual parameters, assumes the random reads of an SSD,
   * and allows more memory for sorts and sums. Not for the relay's few short statements.
   */
  isForSearches?: boolean;
  /** Whether a server that is in recovery will do, for what only reads. */
  isReplica?: boolean;
  /** Called with every statement and its parameters before it is sent; for tests. */
  onStatement?: (text: string, parameters: unknown[]) => void;
};

/** Drizzle on an existing client, e.g. the one that a job receives. */
export function databaseOf(sql: Sql): PostgresJsDatabase<Schema> {
  return drizzle({ client: sql, schema, casing: "snake_case" });
}

const CONNECT_SECONDS = 10;
/** The server's own limit comes first, and its message has this long to arrive. */
const SILENCE_MARGIN_MS = 1_000;

/** Who waits for a statement waits for its connection too. */
function connectSeconds({ statementTimeoutMs = Number.POSITIVE_INFINITY }: DatabaseSettings): number {
  return Math.min(CONNECT_SECONDS, statementTimeoutMs / 1_000);
}

function silenceOptions({ statementTimeoutMs, askAfterMs, url }: DatabaseSettings) {
  if (askAfterMs !== undefined) {
    return { silence_timeout: askAfterMs / 1_000, onsilent: (pid: number) => isAtWork(url, pid, askAfterMs) };
  }
  if (statementTimeoutMs === undefined) return {};
  return { silence_timeout: (statementTimeoutMs + Math.min(statementTimeoutMs, SILENCE_MARGIN_MS)) / 1_000 };
}

/** Through a pooler these are the operator's, in its own file: ops/cluster/pgbouncer.ini. */
function sessionSettings({ applicationName, statementTimeoutMs, lockTimeoutMs, isForSearches }: DatabaseSettings) {
  return {
    application_name: applicationName,
    ...(statementTimeoutMs === undefined ? {} : { statement_timeout: statementTimeoutMs }),
    ...(lockTimeoutMs === undefined ? {} : { lock_timeout: lockTimeoutMs }),
    ...(isForSearches
      ? { plan_cache_mode: "force_custom_plan", work_mem: "16MB", random_page_cost: "1.1", jit: "off" }
      : {}),
  };
}

/** Opens a connection pool. It connects on the first query. */
export function createDatabase(settings: DatabaseSettings): DatabaseHandle {
  const { onStatement, directUrl, isReplica } = settings;
  const ended = new AbortController();
  const sql = connect(settings.url, {
    isReplica,
    isPooled: directUrl !== undefined,
    max: settings.max,
    ...(directUrl === undefined ? {} : { prepare: false, onclose: createReaderGuard(settings.url, ended.signal) }),
    idle_timeout: 60,
    connect_timeout: connectSeconds(settings),
    onnotice: () => {},
    ...silenceOptions(settings),
    ...(onStatement
      ? { debug: (_: number, text: string, parameters: unknown[]) => onStatement(text, parameters) }
      : {}),
    // Every bigint of this schema is an integer below 2^53, so it fits in a number.
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
    connection: directUrl === undefined ? sessionSettings(settings) : { application_name: POOLED_NAME },
  }) as unknown as Sql;
  if (directUrl !== undefined) rememberDirectUrl(sql, directUrl);
  const unwatch = watchPool(sql, settings.applicationName, settings.max);
  return {
    sql,
    db: databaseOf(sql),
    end() {
      ended.abort();
      return sql.end({ timeout: 5 }).finally(unwatch);
    },
  };
}

/** Whether the server is reachable and busy with a statement of this backend. Asked on a connection of its own. */
async function isAtWork(url: string, backendPid: number, withinMs: number): Promise<boolean> {
  const seconds = withinMs / 1_000;
  const sql = connect(url, { max: 1, connect_timeout: seconds, silence_timeout: seconds, onnotice: () => {} });
  try {
    const rows = await sql`select 1 from pg_stat_activity where pid = ${backendPid} and state = 'active'`;
    return rows.length > 0;
  } catch {
    return false;
  } finally {
    await sql.end({ timeout: 0 });
  }
}
