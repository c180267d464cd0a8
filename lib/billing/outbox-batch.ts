import { LOG_TYPE } from "@/lib/row-status";
import type { SettlementRow, SummedColumns } from "./settlement-row";

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
  const lines: string[] = [];
  const extras: string[] = [];
  rows.forEach(({ json }, place) => {
    const hasExtras = json.includes('"task":{') || json.includes('"upstream_objects":[');
    if (hasExtras) extras.push(`{"place":${place},"row":${json}}`);
    lines.push(hasExtras ? withoutExtras(json) : json);
  });
  return {
    requestIds: rows.map(({ requestId }) => requestId),
    requestUsers: rows.map(({ userId }) => userId),
    requestTimes: rows.map(createdAtOf),
    items: sums ? JSON.stringify(sums) : `[${rows.map(({ json }) => json).join(",")}]`,
    extras: extras.length > 0 ? `[${extras.join(",")}]` : null,
    lines: lines.join("\n"),
    isRepeat: sums === null,
  };
}

/** Null = the database has to do it. */
function sumRows(rows: readonly SettlementRow[]): Sum[] | null {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    if (!row.summed) return null;
    const { createdAt, modelName, group } = row.summed;
    const hour = createdAt - (createdAt % HOUR);
    const key = `${hour} ${row.userId} ${row.tokenId} ${row.channelId} ${group.length} ${group} ${modelName}`;
    const known = sums.get(key);
    if (known) addTo(known, row, row.summed);
    else sums.set(key, addTo(emptySum(hour, row, row.summed), row, row.summed));
  }
  const found = [...sums.values()];
  return found.every(isExact) ? found : null;
}

function emptySum(hour: number, row: SettlementRow, { modelName, group, createdAt }: SummedColumns): Sum {
  return {
    hour,
    user_id: row.userId,
    token_id: row.tokenId,
    channel_id: row.channelId,
    model_name: modelName,
    group,
    quota: 0,
    count: 0,
    cost: 0,
    unbilled: 0,
    unknown: 0,
    prompt: 0,
    completion: 0,
    last: createdAt,
    hidden: 0,
  };
}

function addTo(sum: Sum, { quota }: SettlementRow, row: SummedColumns): Sum {
  sum.quota += quota;
  sum.cost += row.cost;
  sum.unbilled += row.unbilled;
  sum.unknown += row.unknown;
  sum.last = Math.max(sum.last, row.createdAt);
  if (row.hidden && (row.type === LOG_TYPE.consume || quota !== 0)) sum.hidden += 1;
  if (row.type !== LOG_TYPE.consume) return sum;
  sum.count += 1;
  sum.prompt += row.promptTokens;
  sum.completion += row.completionTokens;
  return sum;
}

/** Sums beyond 2^53 are for the database, which refuses them. */
function isExact({ quota, cost, unbilled, prompt, completion }: Sum): boolean {
  return [quota, cost, unbilled, prompt, completion].every(Number.isSafeInteger);
}

export function createdAtOf({ summed, json }: SettlementRow): number {
  return summed ? summed.createdAt : Number((JSON.parse(json) as { created_at: unknown }).created_at);
}

function withoutExtras(json: string): string {
  const { task: _task, upstream_objects: _objects, ...row } = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify(row);
}
