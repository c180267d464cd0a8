import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import type { SettlementRow } from "./settlement-row";
import { sqlStateOf } from "./sqlstate";

/** What a request is known by. */
export type RequestName = Pick<SettlementRow, "requestId" | "userId">;

/** Those of these requests that are booked already, by their ids, with a log store or without. */
export async function findLogged(sql: Sql | TransactionSql, requests: readonly RequestName[]): Promise<Set<string>> {
  const ids = requests.map(({ requestId }) => requestId);
  const users = requests.map(({ userId }) => userId);
  const rows = await sql<{ id: string }[]>`
    with asked as (select * from unnest(${ids}::text[], ${users}::int[]) as asked (request_id, user_id))
    select request_id as id from asked join usage_logs using (request_id, user_id)
    union select request_id from asked join settled_requests using (request_id, user_id)`;
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
