import { sql as drizzleSql, Subquery } from "drizzle-orm";
import type { Database, Sql } from "@/db/client";
import { LOGS_CLEARED } from "./cleared";
import { BY_USER_WHOLE } from "./clickhouse/by-user";
import type { LogStore } from "./clickhouse/client";
import { LINES_PER_OUTBOX } from "./clickhouse/rows";
import { LOG_TABLE } from "./clickhouse/tables";
import { mayLackRows, noteAway, noteWaiting } from "./read-available";
import type { ReadableStore } from "./store";
import { logStoreCatchingUp, logStoreUnreadable } from "./trouble";

/** A row of the outbox has rows of the log from before it was written; clocks differ by less. */
const CLOCKS_SECONDS = 3_600;

/** The columns of usage_logs, and what a line of the outbox that lacks one means. */
const COLUMNS: readonly (readonly [name: string, absent: string | null])[] = [
  ["request_id", "''"],
  ["created_at", "0"],
  ["type", "2"],
  ["user_id", "0"],
  ["username", "''"],
  ["token_id", "0"],
  ["token_name", "''"],
  ["channel_id", "0"],
  ["model_name", "''"],
  ['"group"', "''"],
  ["quota", "0"],
  ["cost", null],
  ["unbilled_cost", "0"],
  ["unknown_costs", null],
  ["prompt_tokens", "0"],
  ["completion_tokens", "0"],
  ["use_time_ms", "0"],
  ["first_token_ms", null],
  ["is_stream", "false"],
  ["client_ip", "''"],
  ["content", "''"],
  ["status_code", null],
  ["error_code", "''"],
  ["error_cause", "''"],
  ["repeats", "0"],
  ["other", "'{}'::jsonb"],
];

/** What ClickHouse has of the log beside one snapshot of PostgreSQL. */
export type StoredPart = {
  /** `usage_logs where …`: the rows that the outbox of the snapshot does not have. */
  rows: string;
  /** The same without rows that nobody sees: hidden ones, and those of a time that was cleared. */
  shown: string;
  /** Whether the table in the order of users has all of it. */
  hasByUser: boolean;
  query: LogStore["query"];
};

/** The log in two parts that are whole together: no row is in both, however shipping goes on meanwhile. */
export type BothParts<Connection> = {
  /** One transaction with one snapshot. */
  connection: Connection;
  /** What is in PostgreSQL, with the columns of usage_logs, as a relation in parentheses without a name. */
  here: string;
  stored: StoredPart;
};

/**
 * Reads both parts of the log while a log store is in use: what PostgreSQL has from before and in the outbox, and what
 * ClickHouse has. `since` (unix seconds): older rows are not needed.
 */
export function readBoth<Result>(
  store: ReadableStore,
  sql: Sql,
  run: (parts: BothParts<Sql>) => Promise<Result>,
  since = 0,
): Promise<Result> {
  const within = async (connection: Sql): Promise<Result> => {
    const read = readingOf(store, since);
    const [row] = await connection.unsafe<State[]>(read.stateSql);
    return run({ connection, ...partsOf(read, row, since) });
  };
  // A read of the replica is in such a transaction already, which cannot begin another.
  if (!("begin" in sql)) return within(sql);
  return sql.begin("isolation level repeatable read read only", (tx) =>
    within(tx as unknown as Sql),
  ) as Promise<Result>;
}

/** The same for Drizzle. */
export function readBothWith<Result>(
  store: ReadableStore,
  db: Database,
  run: (parts: BothParts<Database>) => Promise<Result>,
  since = 0,
): Promise<Result> {
  return db.transaction(
    async (tx) => {
      const read = readingOf(store, since);
      const [row] = await tx.execute<State>(drizzleSql.raw(read.stateSql));
      return run({ connection: tx, ...partsOf(read, row, since) });
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** `here` in Drizzle, under the name of the table, whose columns are then those of the relation. */
export function namedHere({ here }: { here: string }): Subquery {
  return new Subquery(drizzleSql.raw(here), {}, "usage_logs");
}

/** Rows of the outbox that a page can wait for: each is taken out of its text. */
const PAGE_ROWS = 5_000;
/**
 * So many may wait where all of them are read, e.g. for /api/log and for exports. After an outage there can be millions, and each
 * reader would keep a processor of PostgreSQL busy for a minute.
 */
const WAITING_MAX = 100_000;

type Cleared = { cleared: string; restored: string };

/**
 * `restored`: what was cleared and put back to be looked at.
 * `runs`: the ids of the outbox as runs without a gap, "first-last,…": many rows wait while ClickHouse is away. For a page:
 * `first` is the first row of the outbox that is read and `oldest` the first that there is, written at `waiting`.
 */
type State = Cleared & {
  runs: string | null;
  by_user: boolean;
  first: string | null;
  oldest: string | null;
  waiting: string | null;
  /** Rows of the outbox that are read; where all are. */
  rows: number | null;
};

const RUNS_SQL = `
  (select string_agg(first || '-' || last, ',') from (
    select min(id) as first, max(id) as last
    from (select id, id - row_number() over (order by id) as run from log_outbox) as numbered group by run) as runs)`;

/** The newest rows that are PAGE_ROWS together, at least one flush. */
const FIRST_SQL = `
  (select min(id) from (
    select id, row_number() over newest as place, sum(row_count) over newest as rows
    from (select id, row_count from log_outbox order by id desc limit ${PAGE_ROWS}) as latest
    window newest as (order by id desc)) as counted
  where place = 1 or rows <= ${PAGE_ROWS})`;

const BY_USER_SQL = `exists (select from job_positions where job = '${BY_USER_WHOLE}') as by_user`;

const CLEARED_SQL = `
  coalesce((select position from job_positions where job = '${LOGS_CLEARED}'), 0)::text as cleared,
  coalesce((
    select json_agg(json_build_object('from', from_time, 'until', until_time)) from log_restores
    where keep_until > floor(extract(epoch from now()))), '[]')::text as restored`;

/** How the two parts are read: whole, or as a page may that says what is missing. */
type Reading = { stateSql: string; query: LogStore["query"]; isForPage: boolean };

function readingOf(store: ReadableStore, since: number): Reading {
  const awaySince = store.awaySince();
  if (!mayLackRows()) {
    // Before the rows of the outbox are read for nothing.
    if (awaySince !== null) throw logStoreUnreadable();
    return {
      stateSql: `
        select ${RUNS_SQL} as runs, null as first, null as oldest, null as waiting, ${CLEARED_SQL}, ${BY_USER_SQL},
          (select coalesce(sum(row_count), 0)::float8 from log_outbox
            where created_at >= ${Math.floor(since) - CLOCKS_SECONDS}) as rows`,
      query: store.query,
      isForPage: false,
    };
  }
  if (awaySince !== null) noteAway(awaySince);
  return {
    // Without the runs nothing may come from the store, though it may be back by now.
    stateSql: `
      select ${awaySince === null ? RUNS_SQL : "null"} as runs, ${FIRST_SQL}::text as first, ${CLEARED_SQL}, ${BY_USER_SQL}, null as rows,
        oldest.id::text as oldest, oldest.created_at::text as waiting
      from (select) as one left join (select id, created_at from log_outbox order by id limit 1) as oldest on true`,
    query: awaySince === null ? store.query : async () => [],
    isForPage: true,
  };
}

function partsOf(
  { query, isForPage }: Reading,
  row: State | undefined,
  since: number,
): Omit<BothParts<never>, "connection"> {
  if (row?.rows && row.rows > WAITING_MAX) throw logStoreCatchingUp(row.rows);
  const { cleared, restored } = clearedOf(row);
  const others = withoutRuns((row?.runs ?? "").split(",").filter(Boolean));
  const rows = `${LOG_TABLE} where ${others}`;
  const first = row?.first ? Number(row.first) : 0;
  if (isForPage && row?.waiting) noteWaiting(Number(row.waiting), row.first === row.oldest ? null : PAGE_ROWS);
  return {
    here: hereSql({ cleared, since, first }),
    stored: {
      rows,
      shown: `${rows} and hidden = 0 and ${visible(cleared, restored)}`,
      hasByUser: row?.by_user === true,
      query,
    },
  };
}

type Span = { from: number; until: number };

function clearedOf(row: Cleared | undefined): { cleared: number; restored: Span[] } {
  return { cleared: Number(row?.cleared ?? 0), restored: JSON.parse(row?.restored ?? "[]") as Span[] };
}

/** The time before which the log was cleared, and what was put back since. */
export async function readCleared(sql: Sql): Promise<{ cleared: number; restored: Span[] }> {
  const [row] = await sql.unsafe<Cleared[]>(`select ${CLEARED_SQL}`);
  return clearedOf(row);
}

export function visible(cleared: number, restored: readonly Span[]): string {
  const spans = restored.map(({ from, until }) => ` or (created_at >= ${from} and created_at < ${until})`);
  return `(created_at >= ${cleared}${spans.join("")})`;
}

/** The rows of ClickHouse that are of none of these runs of the outbox. */
function withoutRuns(runs: readonly string[]): string {
  const conditions = runs.map((run) => {
    const [first = 0, last = first] = run.split("-").map(Number);
    return `not (id >= ${first * LINES_PER_OUTBOX} and id < ${(last + 1) * LINES_PER_OUTBOX})`;
  });
  return conditions.length === 0 ? "1" : conditions.join(" and ");
}

type Bounds = { cleared: number; since: number; first: number };

function hereSql({ cleared, since, first }: Bounds): string {
  const names = COLUMNS.map(([name]) => name).join(", ");
  const values = COLUMNS.map(([name, absent]) =>
    absent === null ? `line.${name}` : `coalesce(line.${name}, ${absent}) as ${name}`,
  );
  return `(
    select id, hidden, ${names} from usage_logs where created_at >= ${Math.floor(since)}
    union all
    select outbox.id * ${LINES_PER_OUTBOX} + line.ordinality - 1 as id,
      coalesce(line.hidden, false) or line.created_at < ${Math.floor(cleared)} as hidden, ${values.join(", ")}
    from log_outbox outbox
    cross join lateral json_populate_recordset(null::usage_logs,
      ('[' || replace(outbox.body, E'\\n', ',') || ']')::json) with ordinality as line
    where outbox.id >= ${first} and outbox.created_at >= ${Math.floor(since) - CLOCKS_SECONDS} and line.created_at >= ${Math.floor(since)}
      and (outbox.skipped is null or line.ordinality - 1 <> all(outbox.skipped)))`;
}
