import { LOG_TYPE } from "@/lib/row-status";

/** A row of usage_logs in PostgreSQL as JSON, e.g. a line of the outbox. What is missing has the column's default. */
export type LogRowJson = Record<string, unknown>;

export type RowPlace = {
  /** Outbox id * 4096 + position of its line, from 0 on. */
  id: number;
  /** Of rows that are put back: a number of their own. */
  batch?: number;
};

/** Outbox id * LINES_PER_OUTBOX + position = id of a row. */
export const LINES_PER_OUTBOX = 4_096;

type Attempt = { channel: number; model: string; outcome: string; ms: number };

const DELIVERED = new Set(["ok", "cut", "gone"]);

/** A row of the table in ClickHouse. The columns behind `other` are what lib/health and others otherwise compute in SQL. */
export function toStoreRow(row: LogRowJson, { id, batch = 0 }: RowPlace): Record<string, unknown> {
  const other = objectOf(row.other);
  const type = numberOf(row.type, LOG_TYPE.consume);
  return {
    id,
    ...requestIdColumns(textOf(row.request_id)),
    created_at: numberOf(row.created_at),
    type,
    user_id: numberOf(row.user_id),
    username: textOf(row.username),
    token_id: numberOf(row.token_id),
    token_name: textOf(row.token_name),
    channel_id: numberOf(row.channel_id),
    model_name: textOf(row.model_name),
    group: textOf(row.group),
    quota: numberOf(row.quota),
    cost: row.cost ?? null,
    unbilled_cost: numberOf(row.unbilled_cost),
    unknown_costs: row.unknown_costs ?? null,
    prompt_tokens: numberOf(row.prompt_tokens),
    completion_tokens: numberOf(row.completion_tokens),
    use_time_ms: numberOf(row.use_time_ms),
    first_token_ms: row.first_token_ms ?? null,
    is_stream: row.is_stream === true ? 1 : 0,
    hidden: row.hidden === true ? 1 : 0,
    client_ip: textOf(row.client_ip),
    content: textOf(row.content),
    status_code: row.status_code ?? null,
    error_code: textOf(row.error_code),
    error_cause: textOf(row.error_cause),
    repeats: numberOf(row.repeats),
    other: JSON.stringify(other),
    ...takenOut(row, other, type),
    batch,
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const NO_UUID = "00000000-0000-0000-0000-000000000000";

/** `request_id` in the table is whichever of the two there is. */
export function requestIdColumns(requestId: string): { request_uuid: string; request_text: string } {
  return UUID.test(requestId)
    ? { request_uuid: requestId, request_text: "" }
    : { request_uuid: NO_UUID, request_text: requestId };
}

function takenOut(row: LogRowJson, other: Record<string, unknown>, type: number): Record<string, unknown> {
  const listed = attemptsIn(other);
  const attempts = (listed ?? []).map((item) => attemptOf(item, row));
  const outcomes = (listed ?? []).map((item) => scalarOf(objectOf(item).outcome));
  const delivered = outcomes.filter((outcome) => DELIVERED.has(outcome ?? "")).length;
  const outcome = outcomeOf(other, type);
  return {
    is_test: scalarOf(other.model_test) === "true" ? 1 : 0,
    outcome,
    result: resultOf(row, other, type),
    bad_events: typeof other.bad_events === "number" ? Math.trunc(other.bad_events) : 0,
    delivered_at: deliveredAt(outcomes),
    "attempts.channel_id": attempts.map(({ channel }) => channel),
    "attempts.model_name": attempts.map(({ model }) => model),
    "attempts.outcome": attempts.map((attempt) => attempt.outcome || outcome),
    "attempts.use_time_ms": attempts.map(({ ms }) => ms),
    delivered: listed ? delivered : -1,
    delivered_here: listed ? deliveredHere(listed, numberOf(row.channel_id)) : -1,
    ...chargedBy(other),
  };
}

/** What the preview of a price's effect sums by. */
function chargedBy(other: Record<string, unknown>): Record<string, unknown> {
  const lines: unknown[] = Array.isArray(other.lines) ? other.lines : [];
  const written = lines.map(objectOf).filter(({ kind }) => kind === "cacheWrite");
  return {
    upstream_model: scalarOf(other.upstream_model_name) ?? "",
    group_ratio: floatOf(other.group_ratio),
    batch_ratio: floatOf(other.batch_ratio),
    cached_tokens: floatOf(other.cache_tokens) ?? 0,
    cache_write_tokens: written.reduce((sum, { quantity }) => sum + (Number(scalarOf(quantity)) || 0), 0),
    audio_prompt_tokens: floatOf(other.audio_input) ?? 0,
    audio_completion_tokens: floatOf(other.audio_output) ?? 0,
    meters: "meters" in other ? JSON.stringify(other.meters) : "",
  };
}

/** Null = the row lists none: the request was one attempt, at the row's channel. An empty list says the same. */
function attemptsIn(other: Record<string, unknown>): unknown[] | null {
  const { attempts } = objectOf(other.admin_info);
  return Array.isArray(attempts) ? attempts : null;
}

/** `outcome` "" = that of the row. */
function attemptOf(item: unknown, row: LogRowJson): Attempt {
  const { channel, model, outcome, ms } = objectOf(item);
  return {
    channel: Number(scalarOf(channel) ?? row.channel_id ?? 0),
    model: scalarOf(model) ?? textOf(row.model_name),
    outcome: scalarOf(outcome) ?? "",
    ms: Number(scalarOf(ms) ?? row.use_time_ms ?? 0),
  };
}

/** The last attempt that delivered, from 1 on; the last one where none did. What was charged belongs to it. */
function deliveredAt(outcomes: readonly (string | null)[]): number {
  const last = outcomes.findLastIndex((outcome) => DELIVERED.has(outcome ?? ""));
  return Math.min(255, last < 0 ? Math.max(1, outcomes.length) : last + 1);
}

function deliveredHere(attempts: readonly unknown[], channelId: number): number {
  return attempts.filter((item) => {
    const { outcome, channel } = objectOf(item);
    return DELIVERED.has(scalarOf(outcome) ?? "") && scalarOf(channel) === String(channelId);
  }).length;
}

/** As lib/health/attempts-sql.ts says it of a request of one attempt. */
function outcomeOf(other: Record<string, unknown>, type: number): string {
  if (type === LOG_TYPE.consume) return scalarOf(other.outcome) ?? "ok";
  const status = scalarOf(other.status_code) ?? "";
  if (status === "401" || status === "403") return "refused";
  if (status === "429") return "limited";
  if (status === "504" || status === "524") return "timeout";
  return status.startsWith("4") ? "request" : "failed";
}

const UPSTREAM_TROUBLE = new Set(["401", "402", "403", "408", "429"]);

/** What the client saw, as lib/health/requests-sql.ts says it. */
function resultOf(row: LogRowJson, other: Record<string, unknown>, type: number): "ok" | "failed" | "left" {
  if (type === LOG_TYPE.consume) {
    const outcome = scalarOf(other.outcome) ?? "ok";
    if (outcome === "cut") return "failed";
    return outcome === "gone" ? "left" : "ok";
  }
  if (scalarOf(other.not_offered) === "true") return "left";
  const status = scalarOf(other.status_code) ?? "";
  if (UPSTREAM_TROUBLE.has(status) && numberOf(row.channel_id) > 0) return "failed";
  return status.startsWith("4") ? "left" : "failed";
}

/** As PostgreSQL's ->> : the text of a value, null for none. */
function scalarOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function floatOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function numberOf(value: unknown, absent = 0): number {
  return typeof value === "number" ? value : absent;
}
