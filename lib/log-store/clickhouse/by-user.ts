import type { toStoreRow } from "./rows";
import { columnsSql, DAY_SECONDS, engineOf, GRANULE_ROWS, LOG_TABLE, ownTable, type TableTerms } from "./tables";

/**
 * Every row of the log again, with the columns that lists are filtered by and in the order of users within a day: a user's rows of 90
 * days are in 90 places rather than 2,160. It is written before the log and loses rows before the log does.
 */
export const BY_USER_TABLE = "usage_log_by_user";

/** The name in job_positions of the note that the table has all that readers see of the log. Without it they read the log itself. */
export const BY_USER_WHOLE = "logs-by-user";

export const BY_USER_COLUMNS = [
  "id",
  "created_at",
  "type",
  "user_id",
  "token_name",
  "channel_id",
  "model_name",
  "group",
  "hidden",
  "status_code",
  "error_code",
  "error_cause",
  "repeats",
  "batch",
] as const;

/** Of `other`: the model that a caller made up or mistyped, in rows that have none. */
export const BY_USER_TEXTS = ["requested_model"] as const;

const [MADE_UP] = BY_USER_TEXTS;
/** What a row that is hidden loses here, behind `hidden = 1`. */
export const BY_USER_EMPTIED = `, ${MADE_UP} = ''`;
const NAMES = BY_USER_COLUMNS.map((name) => `\`${name}\``).join(", ");
const COPY = `(${NAMES}, ${MADE_UP}) select ${NAMES},
  if(model_name = '', visitParamExtractString(other, '${MADE_UP}'), '') as ${MADE_UP}`;

export function byUserRowOf(row: ReturnType<typeof toStoreRow>): Record<string, unknown> {
  const columns = BY_USER_COLUMNS.map((name) => [name, row[name]]);
  return { ...Object.fromEntries(columns), [MADE_UP]: row.model_name === "" ? madeUpIn(String(row.other)) : "" };
}

function madeUpIn(other: string): string {
  const { [MADE_UP]: name } = JSON.parse(other) as Record<string, unknown>;
  return typeof name === "string" ? name : "";
}

/**
 * Failures of all users are in one place of a day, too: they are of another type. What the log has already is taken over by
 * completeByUser.
 */
export function createByUserTable(terms: TableTerms): string[] {
  const { cluster, database } = terms;
  const own = ownTable(terms, BY_USER_TABLE);
  const create = `create table if not exists ${own} (${columnsSql(terms, BY_USER_COLUMNS)}, ${MADE_UP} LowCardinality(String))
    engine = ${engineOf(terms, BY_USER_TABLE)} partition by intDiv(created_at, ${DAY_SECONDS})
    order by (type, user_id, created_at, id) settings index_granularity = ${GRANULE_ROWS}`;
  if (cluster === null) return [create];
  return [
    create,
    `create table if not exists ${BY_USER_TABLE} as ${own} engine = Distributed(${cluster}, ${database}, ${own})`,
  ];
}

/** Takes over the rows of a time that meet a condition and that the table lacks. */
export function fillByUserBetween(
  terms: Pick<TableTerms, "cluster">,
  { start, end }: { start: number; end: number },
  condition: string,
): string {
  const own = ownTable(terms, BY_USER_TABLE);
  const then = `created_at >= ${start} and created_at < ${end}`;
  return `insert into ${own} ${COPY} from ${ownTable(terms, LOG_TABLE)}
    where ${then} and ${condition} and (created_at, id) not in (select created_at, id from ${own} where ${then})`;
}
