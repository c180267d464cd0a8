import { cleanJson } from "@/lib/clean-json";
import { errorCause } from "./error-cause";
import type { SettledFailure, Settlement, UpstreamObject } from "./types";

/** A settlement as the database and the journal take it. `json` is a row of usage_logs. */
export type SettlementRow = {
  readonly requestId: string;
  readonly userId: number;
  readonly tokenId: number;
  readonly channelId: number;
  readonly quota: number;
  readonly json: string;
  /** Whether it makes a task or an object. */
  readonly hasExtras: boolean;
  /** Null = only its JSON has them, because it was read back. */
  readonly columns: LogColumns | null;
  /** The part of `json` that is the column `other`; "" = as above. */
  readonly other: string;
};

/** Those of usage_logs but for `other`. Undefined = the column's default. */
export type LogColumns = Readonly<Omit<ReturnType<typeof columnsOf>, "other" | "upstream_objects" | "task">>;

const MAX_INT = 2 ** 31 - 1;

/** Encoded once: the journal and every attempt to commit it use the same text. */
export function encodeSettlement(settlement: Settlement): SettlementRow {
  const { requestId, userId, tokenId, channelId, quota } = settlement;
  const made = columnsOf(settlement);
  const hasExtras = made.task !== undefined || made.upstream_objects !== undefined;
  const text = JSON.stringify(made);
  const json = cleanJson(text);
  // What an upstream said may be cut out of a megabyte, all of which it keeps in memory. What is read back keeps nothing.
  const isOwn = json === text && made.content === "" && made.status_code === undefined;
  const columns = isOwn ? made : (JSON.parse(json) as typeof made);
  // Quotes within texts are escaped, and no column before it is an object.
  const other = hasExtras ? JSON.stringify(columns.other) : json.slice(json.indexOf(OTHER) + OTHER.length, -1);
  // From here on their JSON is enough, and a row waits for its flush longer than its answer runs.
  columns.other = columns.upstream_objects = columns.task = undefined;
  return { requestId, userId, tokenId, channelId, quota, json, hasExtras, columns, other };
}

const OTHER = '"other":';

/** Reads a row back, e.g. from a journal. Null when it is not one. */
export function parseSettlementRow(json: string): SettlementRow | null {
  try {
    const read = JSON.parse(json) as Record<string, unknown>;
    const { request_id: requestId, user_id, token_id, channel_id, quota } = read;
    if (typeof requestId !== "string" || requestId === "") return null;
    const [userId, tokenId, channelId, charged] = [user_id, token_id, channel_id, quota].map(Number);
    if (!(Number.isSafeInteger(userId) && Number.isSafeInteger(tokenId) && Number.isSafeInteger(channelId)))
      return null;
    if (!Number.isSafeInteger(charged)) return null;
    const hasExtras = read.task !== undefined || read.upstream_objects !== undefined;
    const known = { requestId, userId, tokenId, channelId, quota: charged, json, hasExtras, columns: null, other: "" };
    return known as SettlementRow;
  } catch {
    return null;
  }
}

/** JSON leaves out what is undefined. Named one by one: V8 makes an object of a spread several times slower. */
function columnsOf(item: Settlement) {
  const failed = item.failure && failureColumns(item, item.failure);
  return {
    request_id: item.requestId,
    created_at: item.createdAt,
    type: item.type,
    user_id: item.userId,
    username: item.username.slice(0, 64),
    token_id: item.tokenId,
    token_name: item.tokenName.slice(0, 64),
    channel_id: item.channelId,
    model_name: item.modelName.slice(0, 512),
    group: item.group.slice(0, 64),
    quota: item.quota,
    cost: item.cost.quota,
    unbilled_cost: item.cost.unbilled,
    unknown_costs: toInt(item.cost.unknown),
    prompt_tokens: toInt(item.usage.promptTokens),
    completion_tokens: toInt(item.usage.completionTokens),
    use_time_ms: toInt(item.useTimeMs),
    first_token_ms: item.firstTokenMs === null ? null : toInt(item.firstTokenMs),
    is_stream: item.isStream,
    hidden: item.hidden,
    client_ip: item.clientIp.slice(0, 64),
    content: item.content.slice(0, 20_000),
    status_code: failed?.status_code,
    error_code: failed?.error_code,
    error_cause: failed?.error_cause,
    repeats: failed?.repeats,
    other: item.other as Record<string, unknown> | undefined,
    // No columns of the log; see db/functions/book-settlements.sql and keep-extras.sql.
    upstream_objects: item.objects?.map((object) => objectColumns(object, item.createdAt)),
    task: item.task,
  };
}

function failureColumns({ content, modelName, other }: Settlement, { status, code, repeats = 0 }: SettledFailure) {
  return {
    status_code: toInt(status),
    error_code: code.slice(0, 64),
    error_cause: errorCause(content, modelName || String(other.requested_model ?? "")),
    repeats: toInt(repeats),
  };
}

function objectColumns(object: UpstreamObject, createdAt: number) {
  const { kind, id, channelId, keyHash, lifetimeSeconds, tokens } = object;
  const expires_at = createdAt + lifetimeSeconds;
  return { kind, object_id: id, channel_id: channelId, key_hash: keyHash, expires_at, tokens: tokens && toInt(tokens) };
}

function toInt(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.round(value)), MAX_INT) : 0;
}
