import type { StoredPart } from "@/lib/log-store/both-queries";
import { literal, literals } from "@/lib/log-store/clickhouse/escape";
import { AROUND_REQUEST, HOURS_TABLE, itemOf, requestMoment } from "@/lib/log-store/clickhouse/hours";
import { requestIdColumns } from "@/lib/log-store/clickhouse/rows";
import { DAY_SECONDS, STRETCH_SECONDS } from "@/lib/log-store/clickhouse/tables";
import type { Asked } from "./source-types";

/** `hours`: outside of these there are no such rows, the newest first. `users`: all who had a key of the name. */
export type Narrowed = Asked & { hours?: readonly number[]; users?: readonly number[] };

/** Of less than that, the rows themselves are read as fast. */
const SHORT_SECONDS = 4 * DAY_SECONDS;
/** A longer list would be no help: about ten years. */
const HOURS_MAX = 90_000;
/** Of more users than that the hours alone are as good, e.g. of a key's name that most users have. */
const USERS_MAX = 1_000;

/** Where rows can be that have the values asked for. */
export async function narrowed(stored: StoredPart, asked: Asked): Promise<Narrowed> {
  const { from = 0, until = Number.MAX_SAFE_INTEGER, values = {}, requestId } = asked;
  const lists = Object.entries(values).map(([column, list]) => [column, list] as const);
  if (lists.some(([, list]) => list.length === 0)) return { ...asked, hours: [] };
  if (requestId === undefined && (lists.length === 0 || until - from < SHORT_SECONDS)) return asked;
  const [hours, users] = await Promise.all([
    requestId === undefined ? hoursOf(stored, asked, lists) : hoursOfRequest(stored, requestId),
    usersOf(stored, asked),
  ]);
  const both = hours.filter((hour) => (hour + 1) * STRETCH_SECONDS > from && hour * STRETCH_SECONDS <= until);
  if (both.length > HOURS_MAX) return asked;
  return { ...asked, hours: both, ...(users === null ? {} : { users }) };
}

/** The models that match a pattern of LIKE, some of which may be of rows that were cleared lately. */
export async function modelsNoted({ query }: StoredPart, like: string): Promise<string[]> {
  const begin = itemOf("model_name", "");
  const model = `substring(item, ${begin.length + 1})`;
  const rows = await query<{ model: string }>(
    `select distinct ${model} as model from ${HOURS_TABLE}
     where item >= ${literal(begin)} and item < ${literal("model_name;")} and ${model} like ${literal(like)}`,
  );
  return rows.map(({ model: name }) => name);
}

type Lists = readonly (readonly [column: string, list: readonly (string | number)[]])[];

/** With a value of each column. */
async function hoursOf(stored: StoredPart, { from = 0, until }: Asked, lists: Lists): Promise<number[]> {
  const items = lists.flatMap(([column, list]) => list.map((value) => itemOf(column, value)));
  const end = until === undefined ? "" : `and hour <= ${Math.floor(until / STRETCH_SECONDS)}`;
  const each = lists.length === 1 ? "" : `having uniqExact(substring(item, 1, position(item, ':'))) = ${lists.length}`;
  return hoursIn(
    stored,
    `item in ${literals(items)} and hour >= ${Math.floor(from / STRETCH_SECONDS)} ${end} group by hour ${each}`,
  );
}

/** Those around the time in the id, and those with a row of the id that is from another time. */
async function hoursOfRequest(stored: StoredPart, requestId: string): Promise<number[]> {
  const { request_uuid: uuid, request_text: text } = requestIdColumns(requestId);
  const moment = text === "" ? requestMoment(uuid) : null;
  const far = await hoursIn(stored, `item = ${literal(itemOf("request_id", requestId))} group by hour`);
  if (moment === null) return far;
  const first = Math.max(0, Math.floor((moment - AROUND_REQUEST.before) / STRETCH_SECONDS));
  const last = Math.floor((moment + AROUND_REQUEST.after) / STRETCH_SECONDS);
  const near = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  return [...new Set([...near, ...far])].sort((a, b) => b - a);
}

async function hoursIn({ query }: StoredPart, condition: string): Promise<number[]> {
  const rows = await query<{ hour: number | string }>(
    `select hour from ${HOURS_TABLE} where ${condition} order by hour desc`,
  );
  return rows.map(({ hour }) => Number(hour));
}

/** Everybody who had a key of the name when a row was written. Null = anybody may have had it, or the user is known anyway. */
async function usersOf(
  { query }: StoredPart,
  { values = {}, userId, from = 0, until }: Asked,
): Promise<number[] | null> {
  const { token_name: names } = values;
  if (!names || userId !== undefined) return null;
  const items = names.map((name) => itemOf("token_name", name));
  const end = until === undefined ? "" : `and hour <= ${Math.floor(until / STRETCH_SECONDS)}`;
  const rows = await query<{ user: number | string }>(
    `select distinct user_id as user from ${HOURS_TABLE}
     where item in ${literals(items)} and hour >= ${Math.floor(from / STRETCH_SECONDS)} ${end} limit ${USERS_MAX + 1}`,
  );
  const found = rows.map(({ user }) => Number(user));
  return found.length > USERS_MAX || found.includes(0) ? null : found;
}
