import type { StoredPart } from "@/lib/log-store/both-queries";
import { BY_USER_COLUMNS, BY_USER_TABLE, BY_USER_TEXTS } from "@/lib/log-store/clickhouse/by-user";
import { isOfColumns, toClickHouse } from "@/lib/log-store/clickhouse/condition";
import { literal, literals } from "@/lib/log-store/clickhouse/escape";
import { requestIdColumns } from "@/lib/log-store/clickhouse/rows";
import { LOG_TABLE, STRETCH_SECONDS } from "@/lib/log-store/clickhouse/tables";
import { LOG_TYPE } from "@/lib/row-status";
import { LOG_COLUMN_LIST, type LogColumn, type UsageLog } from "./columns";
import type { Place } from "./source-types";
import type { Narrowed } from "./stored-hours-queries";

/** The latest rows are looked for in the last hour, then in eight times as much, and so on. */
const WIDER = 8;
const WINDOWS_MAX = 5;
/** So many rows are fetched by place in one statement, which may be 256 KB long. */
const PLACES_MAX = 4_000;

type NewestPlaces = Narrowed & { limit: number; offset?: number; before?: Place | null };
type PlaceRow = { created_at: number | string; id: number | string; user_id: number | string };
/** With its user, by which the table finds it faster. */
export type StoredPlace = Place & { userId?: number };

/** `usage_logs where …` for what is asked. */
export function rowsOf(stored: StoredPart, asked: Narrowed): string {
  const { where, isShown, from, until, requestId, hours } = asked;
  const rows = isShown ? stored.shown : stored.rows;
  const rare = rareIn(asked);
  const parts = [rare === null ? rows : first(rows, rare)];
  if (from !== undefined && from > 0) parts.push(since(from));
  if (until !== undefined) parts.push(`created_at <= ${Math.floor(until)}`);
  if (hours) parts.push(inHours(hours));
  if (requestId !== undefined) {
    const { request_uuid, request_text } = requestIdColumns(requestId);
    parts.push(`request_uuid = toUUID(${literal(request_uuid)}) and request_text = ${literal(request_text)}`);
  }
  if (where) parts.push(`(${toClickHouse(where)})`);
  return parts.join(" and ");
}

/** Servers before 20 find few rows by the order of the table unless the condition is on its first part. */
function since(from: number): string {
  return `created_at >= ${Math.floor(from)} and intDiv(created_at, ${STRETCH_SECONDS}) >= ${Math.floor(from / STRETCH_SECONDS)}`;
}

/** So many hours are read from the log itself as fast. */
const FEW_HOURS = 48;

/**
 * The same where no other columns are read than those that the table in the order of users has: from that table, where a user, the
 * users of a key's name, or failures are asked for over a long time.
 */
export function placesOf(stored: StoredPart, asked: Narrowed): string {
  const rare = stored.hasByUser && asked.isShown ? rareByUser(asked) : null;
  if (rare === null) return rowsOf(stored, asked);
  const { where, from, until, hours } = asked;
  const parts = [first(stored.shown, rare, BY_USER_TABLE)];
  if (from !== undefined && from > 0) parts.push(`created_at >= ${Math.floor(from)}`);
  if (until !== undefined) parts.push(`created_at <= ${Math.floor(until)}`);
  if (hours) parts.push(betweenHours(hours));
  if (where) parts.push(`(${toClickHouse(where, BY_USER_TEXTS)})`);
  return parts.join(" and ");
}

/** Null = the log itself is better, or has a column that the other table lacks. */
function rareByUser(asked: Narrowed): string | null {
  const { where, requestId, hours, values = {} } = asked;
  if (requestId !== undefined || (hours && hours.length <= FEW_HOURS)) return null;
  if (!isOfColumns(where, BY_USER_COLUMNS, BY_USER_TEXTS)) return null;
  const whose = ofUsers(asked);
  if (whose !== null) return whose;
  const { type = [] } = values;
  return type.length > 0 && !type.includes(LOG_TYPE.consume) ? `type in ${literals(type)}` : null;
}

/**
 * The condition on a column of numbers that the fewest rows meet, where there is one; a server by itself may begin with one that
 * nearly all meet, e.g. that a row is not hidden.
 */
function rareIn(asked: Narrowed): string | null {
  const { values = {} } = asked;
  const whose = ofUsers(asked);
  if (whose !== null) return whose;
  for (const column of ["status_code", "channel_id", "type"]) {
    const list = values[column] ?? [];
    if (list.length > 0 && !(column === "type" && list.includes(LOG_TYPE.consume)))
      return `${column} in ${literals(list)}`;
  }
  return null;
}

/** `usage_logs where …` with a condition that is looked at before other columns are read. */
function first(rows: string, condition: string, table = LOG_TABLE): string {
  return rows.replace(`${LOG_TABLE} where `, `${table} prewhere ${condition} where `);
}

/** Null = they may be anybody's. */
function ofUsers({ userId, users = [] }: Narrowed): string | null {
  if (userId !== undefined) return `user_id = ${Math.floor(userId)}`;
  return users.length > 0 ? `user_id in ${literals(users)}` : null;
}

/** By days as well, which are partitions. */
function inHours(hours: readonly number[]): string {
  if (hours.length === 0) return "created_at = 0 and hidden > 1";
  return `${betweenHours(hours)} and intDiv(created_at, ${STRETCH_SECONDS}) in ${literals(hours)}`;
}

function betweenHours(hours: readonly number[]): string {
  const [last = 0, first = 0] = [hours[0], hours.at(-1)];
  return `created_at >= ${first * STRETCH_SECONDS} and created_at < ${(last + 1) * STRETCH_SECONDS}`;
}

/**
 * The places of the newest rows in windows of time that become wider until there are enough: nothing else is read of what
 * is in front of them, and rows are sorted by time only within a window.
 */
export async function newestPlaces(stored: StoredPart, now: number, wanted: NewestPlaces): Promise<StoredPlace[]> {
  const { limit, offset = 0, before, ...asked } = wanted;
  const enough = offset + limit;
  const found: StoredPlace[] = [];
  const newest = Math.min(asked.until ?? now, before?.createdAt ?? now);
  const beyond = before
    ? ` and (created_at < ${before.createdAt} or (created_at = ${before.createdAt} and id < ${before.id}))`
    : "";
  const hours = asked.hours?.filter((hour) => !before || hour * STRETCH_SECONDS <= before.createdAt);
  for (const window of windows(newest, { ...asked, ...(hours && { hours }) })) {
    const select = `select created_at, id, user_id from ${placesOf(stored, { ...asked, ...window })}${beyond}
      order by created_at desc, id desc`;
    found.push(...(await placesIn(stored, select, enough - found.length)));
    if (found.length >= enough) break;
  }
  return found.slice(offset);
}

/** A row may be there twice until the server merges, which is rare: leaving those out costs more than reading. */
async function placesIn(stored: StoredPart, select: string, limit: number): Promise<StoredPlace[]> {
  const rows = await stored.query<PlaceRow>(`${select} limit ${limit}`);
  const once = [...new Map(rows.map((row) => [`${row.created_at} ${row.id}`, row])).values()];
  const all =
    rows.length < limit || once.length === rows.length
      ? once
      : await stored.query<PlaceRow>(`${select} limit 1 by created_at, id limit ${limit}`);
  return all.map(({ created_at: at, id, user_id: user }) => {
    return { createdAt: Number(at), id: Number(id), userId: Number(user) };
  });
}

type Window = { from: number; until: number; hours?: readonly number[] };

/** From the newest on: hours in which there can be rows, or all time. */
function* windows(newest: number, asked: Narrowed): Generator<Window> {
  const { hours, from = 0, until = Number.MAX_SAFE_INTEGER } = asked;
  if (!hours) return yield* windowsOfTime(newest, asked);
  for (let at = 0, count = 1; at < hours.length; at += count / WIDER) {
    const some = hours.slice(at, at + count);
    const start = Math.max(from, (some.at(-1) ?? 0) * STRETCH_SECONDS);
    yield { from: start, until, hours: some };
    count *= WIDER;
  }
}

/** The first has what is beyond `newest` by a clock that goes before; the last all that is left. */
function* windowsOfTime(newest: number, { from = 0, until }: Narrowed): Generator<Window> {
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
export async function timeOfNewest(stored: StoredPart, now: number, asked: Narrowed, count: number): Promise<number> {
  let left = count;
  for (const window of windows(Math.min(asked.until ?? now, now), asked)) {
    const [row] = await stored.query<{ count: string }>(
      `select count() as count from ${placesOf(stored, { ...asked, ...window })}`,
    );
    left -= Number(row?.count ?? 0);
    if (left <= 0) return window.from;
  }
  return asked.from ?? 0;
}

/** The rows at these places, newest first as these are. Channels have no names yet. */
export async function rowsAt(stored: StoredPart, places: readonly StoredPlace[]): Promise<UsageLog[]> {
  const found = new Map<string, UsageLog>();
  for (let at = 0; at < places.length; at += PLACES_MAX) {
    const some = places.slice(at, at + PLACES_MAX);
    const times = some.map(({ createdAt }) => createdAt);
    const here = `created_at in ${literals([...new Set(times)])} and id in ${literals(some.map(({ id }) => id))}`;
    const rows = await stored.query<Record<string, unknown>>(`
      select ${STORED_COLUMNS} from ${first(stored.rows, here)}
        and created_at >= ${Math.min(...times)} and created_at <= ${Math.max(...times)} and ${inOrder(some)}
      limit 1 by created_at, id`);
    for (const row of rows.map(toUsageLog)) found.set(`${row.createdAt} ${row.id}`, row);
  }
  return places.flatMap(({ createdAt, id }) => found.get(`${createdAt} ${id}`) ?? []);
}

/** Where in the order of the table these places are. */
function inOrder(places: readonly StoredPlace[]): string {
  const hour = ({ createdAt }: Place) => Math.floor(createdAt / STRETCH_SECONDS);
  if (places.some(({ userId }) => userId === undefined))
    return `intDiv(created_at, ${STRETCH_SECONDS}) in ${literals([...new Set(places.map(hour))])}`;
  const pairs = new Set(places.map((place) => `(${hour(place)}, ${place.userId})`));
  return `(intDiv(created_at, ${STRETCH_SECONDS}), user_id) in (${[...pairs].join(", ")})`;
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
