import type { Database } from "@/db/client";
import { logOutbox } from "@/db/schema";
import { cleanJson } from "@/lib/clean-json";

/** A row of usage_logs that is no request: columns as in the table; those left out have their defaults. */
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
