import { NO_UUID, type toStoreRow } from "./rows";
import { DAY_SECONDS, engineOf, LOG_TABLE, ownTable, STRETCH_SECONDS, type TableTerms } from "./tables";

/**
 * In which hours of the log a value is: what is rare is then looked for there, and what is not there nowhere. The table says of
 * more hours than those that have the value at most, never of fewer: its rows are inserted before those of the log.
 */
export const HOURS_TABLE = "usage_log_hours";

/** Also of rows without one: the choice of models is made of it. */
const ALSO_EMPTY = "model_name";

/** Whose rows they are is noted of a user's name, and of a key's, which few users have. */
const OF_USERS = new Set(["username", "token_name"]);

/** `item`: column:value. `user_id`: 0 = of any user. */
export type HourRow = { item: string; hour: number; user_id: number };

type StoreRow = ReturnType<typeof toStoreRow>;

/** The value of an item, of a row in TypeScript and in SQL; "" = the row has none. */
type Item = { column: string; read: (row: StoreRow) => unknown; sql: string };

const same = (column: string): Item => ({ column, read: (row) => row[column], sql: `toString(\`${column}\`)` });

/** Columns with a filter. `cost` and `unbilled_cost` have one of rows that lost something: the value is 1. */
const ITEMS: readonly Item[] = [
  same("username"),
  same("token_name"),
  same("model_name"),
  { column: "channel_id", read: ({ channel_id: id }) => id || "", sql: "if(channel_id = 0, '', toString(channel_id))" },
  same("group"),
  same("type"),
  { column: "status_code", read: ({ status_code: code }) => code ?? "", sql: "ifNull(toString(status_code), '')" },
  same("error_code"),
  same("error_cause"),
  {
    column: "cost",
    read: ({ cost, quota }) => (cost !== null && Number(cost) > Number(quota) ? 1 : ""),
    sql: "if(ifNull(cost, 0) > quota and cost is not null, '1', '')",
  },
  {
    column: "unbilled_cost",
    read: ({ unbilled_cost: cost }) => (Number(cost) > 0 ? 1 : ""),
    sql: "if(unbilled_cost > 0, '1', '')",
  },
  { column: "request_id", read: farRequest, sql: "" },
];

/** A row is from so long before to so long after the time in its request's id; other rows are found by their item. */
export const AROUND_REQUEST = { before: STRETCH_SECONDS, after: STRETCH_SECONDS };

function farRequest({ request_uuid: uuid, request_text: text, created_at: at }: StoreRow): unknown {
  if (text !== "") return text;
  const moment = requestMoment(String(uuid));
  const difference = moment === null ? Number.POSITIVE_INFINITY : Number(at) - moment;
  const isNear = difference >= -AROUND_REQUEST.before && difference <= AROUND_REQUEST.after;
  return isNear || uuid === NO_UUID ? "" : uuid;
}

export function itemOf(column: string, value: unknown): string {
  return `${column}:${value}`;
}

/** The items of rows, each once and in a fixed order: a replicated table refuses a block that it has had already. */
export function hourRowsOf(rows: readonly StoreRow[]): HourRow[] {
  const found = new Map<string, HourRow>();
  for (const row of rows) {
    const hour = Math.floor(Number(row.created_at) / STRETCH_SECONDS);
    for (const { column, read } of ITEMS) {
      const value = read(row);
      if (value === "" && column !== ALSO_EMPTY) continue;
      const user = OF_USERS.has(column) ? Number(row.user_id) : 0;
      const item = itemOf(column, value);
      found.set(`${hour} ${user} ${item}`, { item, hour, user_id: user });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** One in each part of a block, by which a replica is known to have it. */
export function hourMarksOf(shipment: string, rows: readonly StoreRow[]): HourRow[] {
  const days = new Set(rows.map(({ created_at: at }) => Math.floor(Number(at) / DAY_SECONDS)));
  return [...days].sort().map((day) => ({ item: itemOf("shipment", shipment), hour: day * 24, user_id: 0 }));
}

/** Days have partitions, as in the log, so that they are dropped together. */
export function createHourTable(terms: TableTerms): string[] {
  const { cluster, database, hasCodecs } = terms;
  const codec = (text: string) => (hasCodecs ? ` CODEC(${text})` : "");
  const own = `create table if not exists ${ownTable(terms, HOURS_TABLE)}
    (item String${codec("ZSTD(1)")}, hour UInt32${codec("Delta, ZSTD(1)")}, user_id UInt32${codec("ZSTD(1)")})
    engine = ${engineOf(terms, HOURS_TABLE)} partition by intDiv(hour, 24) order by (item, hour, user_id)
    settings index_granularity = 1024`;
  const all = `create table if not exists ${HOURS_TABLE} as ${ownTable(terms, HOURS_TABLE)}
    engine = Distributed(${cluster}, ${database}, ${ownTable(terms, HOURS_TABLE)})`;
  return [own, ...(cluster === null ? [] : [all]), ...fillHourTable(terms)];
}

/** Notes the items of rows that are there already; those that are noted are replaced by themselves. */
export function fillHourTable(terms: Pick<TableTerms, "cluster">): string[] {
  const [from, to] = [ownTable(terms, LOG_TABLE), ownTable(terms, HOURS_TABLE)];
  return ITEMS.map(({ column, sql }) => {
    const value = column === "request_id" ? FAR_REQUEST_SQL : sql;
    const user = OF_USERS.has(column) ? "user_id" : "toUInt32(0)";
    return `insert into ${to} (item, hour, user_id)
      select concat('${column}:', value) as item, hour, user from (
        select distinct ${value} as value, intDiv(created_at, ${STRETCH_SECONDS}) as hour, ${user} as user from ${from}
      ) where ${column === ALSO_EMPTY ? "1" : "value != ''"}`;
  });
}

const MOMENT_SQL = `toInt64(intDiv(reinterpretAsUInt64(reverse(unhex(concat('0000', substring(toString(request_uuid), 1, 8),
  substring(toString(request_uuid), 10, 4))))), 1000))`;
const FAR_REQUEST_SQL = `multiIf(request_text != '', request_text, toString(request_uuid) = '${NO_UUID}', '',
  substring(toString(request_uuid), 15, 1) = '7' and toInt64(created_at) - ${MOMENT_SQL} >= -${AROUND_REQUEST.before}
    and toInt64(created_at) - ${MOMENT_SQL} <= ${AROUND_REQUEST.after}, '', toString(request_uuid))`;

/** The time in a UUID of version 7, in unix seconds, as the gateway gives requests; null = the id has none. */
export function requestMoment(requestId: string): number | null {
  if (requestId[14] !== "7") return null;
  const at = Math.floor(Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16) / 1_000);
  return Number.isFinite(at) ? at : null;
}
