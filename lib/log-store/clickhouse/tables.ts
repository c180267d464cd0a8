import type { LogStoreConfig } from "../config";

/**
 * The table of the usage log. Its columns are those of usage_logs in PostgreSQL (db/schema/logs.ts), and behind them what
 * is asked for within `other`, taken out when a row is written. `batch` is 0, but
 * of rows that are put back: a replicated table leaves out a block that it has had before.
 */
const COLUMNS: readonly (readonly [name: string, type: string, codec?: string])[] = [
  ["id", "UInt64", "Delta, ZSTD(1)"],
  // Nearly all ids are UUIDs, which as text take a quarter more room.
  ["request_uuid", "UUID", "ZSTD(1)"],
  ["request_text", "String", "ZSTD(1)"],
  ["created_at", "UInt32", "Delta, ZSTD(1)"],
  ["type", "UInt8"],
  ["user_id", "UInt32", "ZSTD(1)"],
  ["username", "LowCardinality(String)"],
  ["token_id", "UInt32", "ZSTD(1)"],
  ["token_name", "LowCardinality(String)"],
  ["channel_id", "UInt32", "ZSTD(1)"],
  ["model_name", "LowCardinality(String)"],
  ["group", "LowCardinality(String)"],
  ["quota", "Int64", "ZSTD(1)"],
  ["cost", "Nullable(Int64)", "ZSTD(1)"],
  ["unbilled_cost", "Int64", "ZSTD(1)"],
  ["unknown_costs", "Nullable(Int32)", "ZSTD(1)"],
  ["prompt_tokens", "Int32", "ZSTD(1)"],
  ["completion_tokens", "Int32", "ZSTD(1)"],
  ["use_time_ms", "Int32", "ZSTD(1)"],
  ["first_token_ms", "Nullable(Int32)", "ZSTD(1)"],
  ["is_stream", "UInt8"],
  ["hidden", "UInt8"],
  ["client_ip", "String", "ZSTD(1)"],
  ["content", "String", "ZSTD(3)"],
  ["status_code", "Nullable(Int32)"],
  ["error_code", "LowCardinality(String)"],
  ["error_cause", "LowCardinality(String)"],
  ["repeats", "Int32"],
  ["other", "String", "ZSTD(3)"],
  // Taken out of `other`.
  ["is_test", "UInt8"],
  ["outcome", "LowCardinality(String)"],
  ["result", "LowCardinality(String)"],
  ["bad_events", "Int64"],
  ["delivered_at", "UInt8"],
  ["attempts.channel_id", "Array(UInt32)"],
  ["attempts.model_name", "Array(String)"],
  ["attempts.outcome", "Array(String)"],
  ["attempts.use_time_ms", "Array(Int64)"],
  ["delivered", "Int16"],
  ["delivered_here", "Int16"],
  ["upstream_model", "LowCardinality(String)"],
  ["group_ratio", "Nullable(Float64)"],
  ["batch_ratio", "Nullable(Float64)"],
  ["cached_tokens", "Float64", "ZSTD(1)"],
  ["cache_write_tokens", "Float64", "ZSTD(1)"],
  ["audio_prompt_tokens", "Float64"],
  ["audio_completion_tokens", "Float64"],
  ["meters", "String", "ZSTD(1)"],
  ["batch", "UInt32", "ZSTD(1)"],
  ["request_id", "String ALIAS if(request_text = '', toString(request_uuid), request_text)"],
];

export const DAY_SECONDS = 86_400;
/** Rows are sorted by such stretches of time, within them by user: few blocks to read for the latest rows and for a user's. */
export const STRETCH_SECONDS = 3_600;

/** A user has few rows in an hour, and so many are read for them at least. Smaller blocks take more room for their places. */
export const GRANULE_ROWS = 2_048;

/** The table that is read: of all shards on a cluster. */
export const LOG_TABLE = "usage_logs";

/** The table that is written to and changed: the server's own. */
export function ownTable({ cluster }: Pick<LogStoreConfig, "cluster">, table = LOG_TABLE): string {
  return cluster === null ? table : `${table}_local`;
}

/** Of rows alike by the order of the table one stays, when the server merges. */
export function engineOf({ cluster, database }: Pick<LogStoreConfig, "cluster" | "database">, table: string): string {
  if (cluster === null) return "ReplacingMergeTree()";
  return `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/${database}/${table}', '{replica}')`;
}

/** What migrations may depend on. `hasCodecs`: the server knows codecs of columns (from 19 on). */
export type TableTerms = Pick<LogStoreConfig, "cluster" | "database"> & { hasCodecs: boolean };

/** Columns of the log, all or those named, as a table declares them. */
export function columnsSql({ hasCodecs }: TableTerms, names?: readonly string[]): string {
  return COLUMNS.filter(([name]) => names?.includes(name) ?? true)
    .map(([name, type, codec]) => `\`${name}\` ${type}${codec && hasCodecs ? ` CODEC(${codec})` : ""}`)
    .join(", ");
}

/** The statements of the first migration. A day is a partition, so that days are dropped whole. */
export function createLogTable(terms: TableTerms): string[] {
  const { cluster, database } = terms;
  const own = `create table if not exists ${ownTable(terms)} (${columnsSql(terms)})
    engine = ${engineOf(terms, LOG_TABLE)} partition by intDiv(created_at, ${DAY_SECONDS})
    order by (intDiv(created_at, ${STRETCH_SECONDS}), user_id, created_at, id)
    settings index_granularity = ${GRANULE_ROWS}`;
  if (cluster === null) return [own];
  return [
    own,
    `create table if not exists ${LOG_TABLE} as ${ownTable(terms)}
      engine = Distributed(${cluster}, ${database}, ${ownTable(terms)})`,
  ];
}
