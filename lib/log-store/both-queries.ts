import { sql as drizzleSql, Subquery } from "drizzle-orm";
import type { Database, Sql } from "@/db/client";
import { LOGS_CLEARED } from "./cleared";
import type { LogStore } from "./clickhouse/client";
import { LINES_PER_OUTBOX } from "./clickhouse/rows";
import { LOG_TABLE } from "./clickhouse/tables";

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
  store: LogStore,
  sql: Sql,
  run: (parts: BothParts<Sql>) => Promise<Result>,
  since = 0,
): Promise<Result> {
  const within = async (connection: Sql): Promise<Result> => {
    const [row] = await connection.unsafe<State[]>(STATE_SQL, [LOGS_CLEARED]);
    return run({ connection, ...partsOf(store, row, since) });
  };
  // A read of the replica is in such a transaction already, which cannot begin another.
  if (!("begin" in sql)) return within(sql);
  return sql.begin("isolation level repeatable read read only", (tx) =>
    within(tx as unknown as Sql),
  ) as Promise<Result>;
}

/** The same for Drizzle. */
export function readBothWith<Result>(
  store: LogStore,
  db: Database,
  run: (parts: BothParts<Database>) => Promise<Result>,
  since = 0,
): Promise<Result> {
  return db.transaction(
    async (tx) => {
      const [row] = await tx.execute<State>(drizzleSql.raw(STATE_SQL.replace("$1", `'${LOGS_CLEARED}'`)));
      return run({ connection: tx, ...partsOf(store, row, since) });
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** `here` in Drizzle, under the name of the table, whose columns are then those of the relation. */
export function namedHere({ here }: { here: string }): Subquery {
  return new Subquery(drizzleSql.raw(here), {}, "usage_logs");
}

/** `restored`: what was cleared and put back to be looked at. `runs`: the ids of the outbox as runs without a gap, "first-last,…": many rows wait while ClickHouse is away. */
type State = { runs: string | null; cleared: string; restored: string };

const STATE_SQL = `
  select (
      select string_agg(first || '-' || last, ',') from (
        select min(id) as first, max(id) as last
        from (select id, id - row_number() over (order by id) as run from log_outbox) as numbered group by run) as runs
    ) as runs,
    coalesce((select position from job_positions where job = $1), 0)::text as cleared,
    coalesce((
      select json_agg(json_build_object('from', from_time, 'until', until_time)) from log_restores
      where keep_until > floor(extract(epoch from now()))), '[]')::text as restored`;

function partsOf(store: LogStore, row: State | undefined, since: number): Omit<BothParts<never>, "connection"> {
  const cleared = Number(row?.cleared ?? 0);
  const others = withoutRuns((row?.runs ?? "").split(",").filter(Boolean));
  const rows = `${LOG_TABLE} where ${others}`;
  return {
    here: hereSql(cleared, since),
    stored: {
      rows,
      shown: `${rows} and hidden = 0 and ${visible(cleared, JSON.parse(row?.restored ?? "[]"))}`,
      query: store.query,
    },
  };
}

function visible(cleared: number, restored: readonly { from: number; until: number }[]): string {
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

function hereSql(cleared: number, since: number): string {
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
    where outbox.created_at >= ${Math.floor(since) - CLOCKS_SECONDS} and line.created_at >= ${Math.floor(since)}
      and (outbox.skipped is null or line.ordinality - 1 <> all(outbox.skipped)))`;
}
