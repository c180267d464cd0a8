import type { Database, Sql } from "@/db/client";
import { logOutbox } from "@/db/schema";
import { cleanJson } from "@/lib/clean-json";

const FLUSHES_AT_ONCE = 50;

/** Moves what is on its way to a log store that is not used any more into PostgreSQL's log; returns how many rows. */
export async function moveOutboxToLog(sql: Sql, stopping?: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    const [row] = await sql<{ moved: number }[]>`select weir_move_outbox(${FLUSHES_AT_ONCE}) as moved`;
    total += row?.moved ?? 0;
    if (!row?.moved || stopping?.aborted) return total;
  }
}

/** A row of usage_logs: columns as in the table; those left out have their defaults. */
export type LoggedEvent = {
  request_id: string;
  created_at: number;
  type: number;
  user_id: number;
  username: string;
  other: Record<string, unknown>;
  content: string;
  quota?: number;
  token_name?: string;
  channel_id?: number;
  model_name?: string;
  unknown_costs?: number;
  prompt_tokens?: number;
  completion_tokens?: number;
  use_time_ms?: number;
  first_token_ms?: number | null;
  client_ip?: string;
};

/** A request that another system served. */
export type LoggedRequest = LoggedEvent & { token_id: number; group: string; is_stream: boolean };

/** Of one row of log_outbox: fewer than LINES_PER_OUTBOX, and such days that a server takes them as one block (its limit is 100). */
const ROWS_AT_ONCE = 2_000;
const DAYS_AT_ONCE = 90;
const DAY = 86_400;

const DEFAULTS = {
  quota: 0,
  token_id: 0,
  token_name: "",
  channel_id: 0,
  model_name: "",
  group: "",
  cost: null,
  unbilled_cost: 0,
  unknown_costs: null,
  prompt_tokens: 0,
  completion_tokens: 0,
  use_time_ms: 0,
  first_token_ms: null,
  is_stream: false,
  hidden: false,
  client_ip: "",
};

/** Adds a row to what is on its way to the log store, in the transaction of the event. */
export async function logToOutbox(tx: Database, event: LoggedEvent): Promise<void> {
  await tx.insert(logOutbox).values({ rowCount: 1, body: cleanJson(JSON.stringify({ ...DEFAULTS, ...event })) });
}

/** The same for many rows of any age. */
export async function logRowsToOutbox(tx: Database, rows: readonly LoggedRequest[]): Promise<void> {
  const parts = partsOf(rows).map((part) => ({
    rowCount: part.length,
    body: part.map((row) => cleanJson(JSON.stringify({ ...DEFAULTS, ...row }))).join("\n"),
  }));
  if (parts.length > 0) await tx.insert(logOutbox).values(parts);
}

function partsOf(rows: readonly LoggedRequest[]): LoggedRequest[][] {
  const parts: LoggedRequest[][] = [];
  let part: LoggedRequest[] = [];
  let days = new Set<number>();
  for (const row of rows) {
    const day = Math.floor(row.created_at / DAY);
    if (part.length === ROWS_AT_ONCE || (days.size === DAYS_AT_ONCE && !days.has(day))) {
      parts.push(part);
      part = [];
      days = new Set();
    }
    part.push(row);
    days.add(day);
  }
  return part.length > 0 ? [...parts, part] : parts;
}
