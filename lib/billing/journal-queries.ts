import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { sqlStateOf } from "./sqlstate";

/** Those of these requests that are booked already, with a log store or without. */
export async function findLogged(sql: Sql | TransactionSql, requestIds: readonly string[]): Promise<Set<string>> {
  const ids = [...requestIds];
  const rows = await sql<{ id: string }[]>`
    select request_id as id from usage_logs where request_id = any(${ids}::text[])
    union select request_id from settled_requests where request_id = any(${ids}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Identifies the database, also after a restart, a move and a fail-over to a replica, so that a journal is never charged
 * to another one. "" = the server does not tell.
 */
export async function readDatabaseId(sql: Sql): Promise<string> {
  try {
    const [row] = await sql<{ id: string }[]>`
      select system_identifier || ':' || (select oid from pg_database where datname = current_database()) as id
      from pg_control_system()`;
    return row?.id ?? "";
  } catch (error) {
    if (sqlStateOf(error) === "42501") return "";
    throw error;
  }
}

export async function isRegistered(sql: Sql, nodeId: string): Promise<boolean> {
  return (await sql`select 1 from nodes where id = ${nodeId}`).length > 0;
}
