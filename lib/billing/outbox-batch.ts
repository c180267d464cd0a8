import { LOG_TYPE } from "@/lib/row-status";
import type { LogColumns, SettlementRow } from "./settlement-row";

const HOUR = 3_600;

/** Arguments of weir_book_to_outbox. */
export type OutboxBatch = {
  requestIds: string[];
  requestUsers: number[];
  requestTimes: number[];
  /** JSON: sums by hour, user, token, channel, model and group; of a repeat the whole rows, which the database sums up. */
  items: string;
  /** JSON: rows that make tasks or objects, with their positions; null = there is none. */
  extras: string | null;
  /** The rows as the log store gets them, one a line. */
  lines: string;
  isRepeat: boolean;
};

type Sum = {
  hour: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model_name: string;
  group: string;
  quota: number;
  count: number;
  cost: number;
  unbilled: number;
  unknown: number;
  prompt: number;
  completion: number;
  last: number;
  hidden: number;
};

/**
 * `isRepeat`: some of it may have been booked before, so that each row is looked up and summed up alone. Always so for rows
 * that were read back.
 */
export function toOutboxBatch(rows: readonly SettlementRow[], isRepeat: boolean): OutboxBatch {
  const sums = isRepeat ? null : sumRows(rows);
  return {
    requestIds: rows.map(({ requestId }) => requestId),
    requestUsers: rows.map(({ userId }) => userId),
    requestTimes: rows.map(createdAtOf),
    items: sums ? JSON.stringify(sums) : `[${rows.map(({ json }) => json).join(",")}]`,
    extras: extrasOf(rows),
    lines: rows.map(({ json, hasExtras }) => (hasExtras ? withoutExtras(json) : json)).join("\n"),
    isRepeat: sums === null,
  };
}

/** Rows that make tasks or objects, with their positions; null = there is none. */
export function extrasOf(rows: readonly SettlementRow[]): string | null {
  const extras: string[] = [];
  rows.forEach(({ json, hasExtras }, place) => {
    if (hasExtras) extras.push(`{"place":${place},"row":${json}}`);
  });
  return extras.length > 0 ? `[${extras.join(",")}]` : null;
}

/** Null = the database has to do it. */
export function sumRows(rows: readonly SettlementRow[]): Sum[] | null {
  const found: Sum[] = [];
  const ofToken = new Map<number, Sum[]>();
  for (const { columns } of rows) {
    if (!columns) return null;
    const hour = columns.created_at - (columns.created_at % HOUR);
    const key = columns.token_id || -columns.user_id;
    const known = ofToken.get(key);
    let sum = known?.find((one) => isSumOf(one, hour, columns));
    if (!sum) {
      sum = emptySum(hour, columns);
      found.push(sum);
      if (known) known.push(sum);
      else ofToken.set(key, [sum]);
    }
    addTo(sum, columns);
  }
  return found.every(isExact) ? found : null;
}

function isSumOf(sum: Sum, hour: number, row: LogColumns): boolean {
  return (
    sum.hour === hour &&
    sum.user_id === row.user_id &&
    sum.token_id === row.token_id &&
    sum.channel_id === row.channel_id &&
    sum.model_name === row.model_name &&
    sum.group === row.group
  );
}

function emptySum(hour: number, row: LogColumns): Sum {
  return {
    hour,
    user_id: row.user_id,
    token_id: row.token_id,
    channel_id: row.channel_id,
    model_name: row.model_name,
    group: row.group,
    quota: 0,
    count: 0,
    cost: 0,
    unbilled: 0,
    unknown: 0,
    prompt: 0,
    completion: 0,
    last: row.created_at,
    hidden: 0,
  };
}

function addTo(sum: Sum, row: LogColumns): void {
  sum.quota += row.quota;
  sum.cost += row.cost ?? 0;
  sum.unbilled += row.unbilled_cost;
  sum.unknown += row.unknown_costs;
  sum.last = Math.max(sum.last, row.created_at);
  if (row.hidden && (row.type === LOG_TYPE.consume || row.quota !== 0)) sum.hidden += 1;
  if (row.type !== LOG_TYPE.consume) return;
  sum.count += 1;
  sum.prompt += row.prompt_tokens;
  sum.completion += row.completion_tokens;
}

/** Sums beyond 2^53 are for the database, which refuses them. */
function isExact({ quota, cost, unbilled, prompt, completion }: Sum): boolean {
  return [quota, cost, unbilled, prompt, completion].every(Number.isSafeInteger);
}

export function createdAtOf({ columns, json }: SettlementRow): number {
  return columns ? columns.created_at : Number((JSON.parse(json) as { created_at: unknown }).created_at);
}

function withoutExtras(json: string): string {
  const { task: _task, upstream_objects: _objects, ...row } = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify(row);
}
