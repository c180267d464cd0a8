import type { Sql } from "@/db/client";
import { type BothParts, readBoth } from "@/lib/log-store/both-queries";
import type { LogStore } from "@/lib/log-store/clickhouse/client";
import { logStore } from "@/lib/log-store/store";
import { attemptSumsOf, MINUTE_SUMS_SQL, RECENT_SUMS_SQL, recentSumsOf, SUMS_SQL } from "./attempts-sql";
import { MODEL_SUMS_SQL, modelSumsOf } from "./requests-sql";
import { storedAttemptSums, storedModelSums } from "./stored-sums";

/**
 * SQL of a relation and its first parameters. It is that of a statement on the log, or one on the rows that were read from
 * both places, which come as JSON.
 */
export type LiveSums = { text: string; parameters: [string | number, number] };

type Step = 60 | 3_600;

/** Sums of attempts between two times ($1, $2; `until` excluded), with the columns of channel_hourly. */
export async function attemptSums(sql: Sql, from: number, until: number, step: Step = 3_600): Promise<LiveSums> {
  const store = logStore();
  if (store === null) return { text: step === 60 ? MINUTE_SUMS_SQL : SUMS_SQL, parameters: [from, until] };
  const rows = await readBoth(
    store,
    sql,
    async ({ connection, here, stored }) => {
      const [inPostgres, inStore] = await Promise.all([
        connection.unsafe<SumRow[]>(attemptSumsOf(step, here), [from, until]),
        stored.query<SumRow>(storedAttemptSums(stored, { from, until, step })),
      ]);
      return [...inPostgres, ...inStore];
    },
    from,
  );
  return given("channel_hourly", ["hour", "channel_id", "model_name", "outcome"], rows, until);
}

/** The same for requests by model ($1, $2, and models in $3), with the columns of model_hourly. */
export async function modelSums(sql: Sql, from: number, until: number, models: readonly string[]): Promise<LiveSums> {
  const store = logStore();
  if (store === null) return { text: MODEL_SUMS_SQL, parameters: [from, until] };
  const rows = await readBoth(store, sql, (parts) => readModelSums(parts, from, until, models), from);
  const { text, parameters } = given("model_hourly", ["hour", "model_name"], rows, until);
  return { text: `${text} and model_name = any($3::text[])`, parameters };
}

async function readModelSums(
  { connection, here, stored }: BothParts<Sql>,
  from: number,
  until: number,
  models: readonly string[],
): Promise<SumRow[]> {
  if (models.length === 0) return [];
  const [inPostgres, inStore] = await Promise.all([
    connection.unsafe<SumRow[]>(modelSumsOf(here), [from, until, [...models]]),
    stored.query<SumRow>(storedModelSums(stored, { from, until, models })),
  ]);
  return [...inPostgres, ...inStore];
}

function given(table: string, keys: readonly string[], rows: readonly SumRow[], until: number): LiveSums {
  return {
    text: `select * from json_populate_recordset(null::${table}, $1::text::json) where $2::bigint is not null`,
    parameters: [JSON.stringify(addUp(keys, rows)), until],
  };
}

type SumRow = Record<string, unknown>;

/** A sum comes from each place that has rows of it. 64-bit integers of ClickHouse are text. */
function addUp(keys: readonly string[], rows: readonly SumRow[]): SumRow[] {
  const sums = new Map<string, SumRow>();
  for (const row of rows) {
    const key = JSON.stringify(keys.map((name) => String(row[name])));
    const known = sums.get(key) ?? {};
    const added = Object.entries(row).map(([name, value]) => [
      name,
      keys.includes(name) ? value : add(known[name], value),
    ]);
    sums.set(key, Object.fromEntries(added));
  }
  return [...sums.values()];
}

function add(known: unknown, value: unknown): unknown {
  if (!Array.isArray(value)) return Number(known ?? 0) + Number(value);
  const before: unknown[] = Array.isArray(known) ? known : [];
  return value.map((one, place) => Number(one) + Number(before[place] ?? 0));
}

export type RecentSpan = { from: number; until: number; hourFrom: number; dayFrom: number };

/** Rows of RECENT_SUMS_SQL with these columns. */
export async function recentSums<Row extends object>(
  sql: Sql,
  columns: string,
  { from, until, hourFrom, dayFrom }: RecentSpan,
  channels: readonly number[] | null,
): Promise<Row[]> {
  const parameters = [from, until, hourFrom, dayFrom, channels === null ? null : [...channels]];
  const store = logStore();
  if (store === null) return sql.unsafe<Row[]>(`select ${columns} from (${RECENT_SUMS_SQL}) live`, parameters);
  const spans = { hour: { from: hourFrom, until }, day: { from: dayFrom, until } };
  return readBoth(
    store,
    sql,
    async ({ connection, here, stored }) => {
      const sums = await Promise.all(
        Object.entries(spans).map(async ([span, part]) => {
          const rows = await stored.query<object>(storedAttemptSums(stored, { ...part, step: 3_600, channels }));
          return rows.map((row) => ({ ...row, span }));
        }),
      );
      return [
        ...(await connection.unsafe<Row[]>(`select ${columns} from (${recentSumsOf(here)}) live`, parameters)),
        ...(await connection.unsafe<Row[]>(
          `select ${columns} from json_to_recordset($1::text::json) as live (span text, channel_id int, outcome text,
            count bigint, latency_buckets bigint[], first_token_buckets bigint[])`,
          [JSON.stringify(sums.flat())],
        )),
      ];
    },
    from,
  );
}

/** When the log begins from a time on; null = there is nothing after it. */
export async function firstRowAfter(sql: Sql, since: number): Promise<number | null> {
  const store = logStore();
  const [row] = await sql<{ at: number | null }[]>`
    select min(created_at) as at from usage_logs where created_at >= ${since}`;
  if (store === null) return row?.at ?? null;
  const stored = await firstInStore(store, since);
  const times = [row?.at ?? null, stored].filter((at) => at !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** What is in the outbox is newer than what was shipped, or as new: it begins no log but an empty one. */
async function firstInStore(store: LogStore, since: number): Promise<number | null> {
  const [row] = await store.query<{ at: string | number; count: string }>(
    `select min(created_at) as at, count() as count from usage_logs where created_at >= ${Math.floor(since)}`,
  );
  return row && Number(row.count) > 0 ? Number(row.at) : null;
}
