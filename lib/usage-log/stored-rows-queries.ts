import type { StoredPart } from "@/lib/log-store/both-queries";
import { toClickHouse } from "@/lib/log-store/clickhouse/condition";
import { literal, literals } from "@/lib/log-store/clickhouse/escape";
import { requestIdColumns } from "@/lib/log-store/clickhouse/rows";
import { STRETCH_SECONDS } from "@/lib/log-store/clickhouse/tables";
import { LOG_COLUMN_LIST, type LogColumn, type UsageLog } from "./columns";
import { momentOf } from "./request-id";
import type { Asked, Place } from "./source-types";

/** The latest rows are looked for in the last hour, then in eight times as much, and so on. */
const WIDER = 8;
const WINDOWS_MAX = 5;
/** So many rows are fetched by place in one statement. */
const PLACES_MAX = 1_000;

type NewestPlaces = Asked & { limit: number; offset?: number; before?: Place | null };
type PlaceRow = { created_at: number | string; id: number | string };

/** `usage_logs where …` for what is asked. */
export function rowsOf(stored: StoredPart, { where, isShown, from, until, requestId }: Asked): string {
  const parts = [isShown ? stored.shown : stored.rows];
  if (from !== undefined && from > 0) parts.push(`created_at >= ${Math.floor(from)}`);
  if (until !== undefined) parts.push(`created_at <= ${Math.floor(until)}`);
  if (requestId !== undefined) {
    const { request_uuid, request_text } = requestIdColumns(requestId);
    parts.push(`request_uuid = toUUID(${literal(request_uuid)}) and request_text = ${literal(request_text)}`);
  }
  if (where) parts.push(`(${toClickHouse(where)})`);
  return parts.join(" and ");
}

/** A row is from so long before to so long after the time in its request's id. */
const AROUND_SECONDS = { before: 3_600, after: 86_400 };

/** The same within the time that the request id names; null = it names none, or it is outside of what is asked. */
export function nearRequest(asked: Asked, now: number): Asked | null {
  const at = asked.requestId === undefined ? null : momentOf(asked.requestId, now);
  if (at === null) return null;
  const from = Math.max(asked.from ?? 0, at - AROUND_SECONDS.before);
  const until = Math.min(asked.until ?? Number.MAX_SAFE_INTEGER, at + AROUND_SECONDS.after);
  return from <= until ? { ...asked, from, until } : null;
}

/**
 * The places of the newest rows in windows of time that become wider until there are enough: nothing else is read of what
 * is in front of them, and rows are sorted by time only within a window.
 */
export async function newestPlaces(stored: StoredPart, now: number, wanted: NewestPlaces): Promise<Place[]> {
  const { limit, offset = 0, before, ...asked } = wanted;
  const enough = offset + limit;
  const found: Place[] = [];
  const newest = Math.min(asked.until ?? now, before?.createdAt ?? now);
  const beyond = before
    ? ` and (created_at < ${before.createdAt} or (created_at = ${before.createdAt} and id < ${before.id}))`
    : "";
  for (const { from, until } of windows(newest, asked)) {
    const rows = await stored.query<PlaceRow>(`
      select created_at, id from ${rowsOf(stored, { ...asked, from, until })}${beyond}
      order by created_at desc, id desc limit 1 by created_at, id limit ${enough - found.length}`);
    found.push(...rows.map(({ created_at, id }) => ({ createdAt: Number(created_at), id: Number(id) })));
    if (found.length >= enough) break;
  }
  return found.slice(offset);
}

/** From the newest on. The first has what is beyond `newest` by a clock that goes before; the last all that is left. */
function* windows(newest: number, { from = 0, until }: Asked): Generator<{ from: number; until: number }> {
  let end = until ?? Number.MAX_SAFE_INTEGER;
  let seconds = STRETCH_SECONDS;
  for (let count = 1; end >= from; count++, seconds *= WIDER) {
    const start = newest - (newest % STRETCH_SECONDS) - seconds + STRETCH_SECONDS;
    const begin = count >= WINDOWS_MAX ? from : Math.max(from, start);
    yield { from: begin, until: end };
    end = begin - 1;
    if (begin <= from) return;
  }
}

/** The time from which on there are at least so many rows; `asked.from` where there are fewer. */
export async function timeOfNewest(stored: StoredPart, now: number, asked: Asked, count: number): Promise<number> {
  let left = count;
  for (const { from, until } of windows(Math.min(asked.until ?? now, now), asked)) {
    const [row] = await stored.query<{ count: string }>(
      `select count() as count from ${rowsOf(stored, { ...asked, from, until })}`,
    );
    left -= Number(row?.count ?? 0);
    if (left <= 0) return from;
  }
  return asked.from ?? 0;
}

/** The rows at these places, newest first as these are. Channels have no names yet. */
export async function rowsAt(stored: StoredPart, places: readonly Place[]): Promise<UsageLog[]> {
  const found = new Map<string, UsageLog>();
  for (let at = 0; at < places.length; at += PLACES_MAX) {
    const some = places.slice(at, at + PLACES_MAX);
    const times = some.map(({ createdAt }) => createdAt);
    const hours = [...new Set(times.map((time) => Math.floor(time / STRETCH_SECONDS)))];
    const rows = await stored.query<Record<string, unknown>>(`
      select ${STORED_COLUMNS} from ${stored.rows}
        and created_at >= ${Math.min(...times)} and created_at <= ${Math.max(...times)}
        and intDiv(created_at, ${STRETCH_SECONDS}) in ${literals(hours)} and created_at in ${literals([...new Set(times)])}
        and id in ${literals(some.map(({ id }) => id))}
      limit 1 by created_at, id`);
    for (const row of rows.map(toUsageLog)) found.set(`${row.createdAt} ${row.id}`, row);
  }
  return places.flatMap(({ createdAt, id }) => found.get(`${createdAt} ${id}`) ?? []);
}

type StoredColumn = LogColumn & { field: keyof UsageLog; column: string };

const STORED: readonly StoredColumn[] = LOG_COLUMN_LIST.filter(({ field }) => field !== "channelName").map(
  (column) => ({
    ...column,
    column: column.field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  }),
);
const STORED_COLUMNS = STORED.map(({ column }) => `\`${column}\``).join(", ");

/** 64-bit integers come as text, and are all below 2^53. */
function toUsageLog(row: Record<string, unknown>): UsageLog {
  const fields = STORED.map(({ field, column, kind }) => [field, toValue(kind, row[column])]);
  return { ...Object.fromEntries(fields), channelName: "" } as UsageLog;
}

function toValue(kind: LogColumn["kind"], value: unknown): unknown {
  if (kind === "text") return value;
  if (kind === "boolean") return Number(value) === 1;
  if (kind === "json") return JSON.parse(String(value));
  return value === null ? null : Number(value);
}
