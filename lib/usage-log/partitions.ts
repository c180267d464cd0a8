import { LOCK_WAIT_MS, tryWhileLocked } from "@/db/brief-locks";
import type { Sql } from "@/db/client";
import { SQL_STATE, sqlStateOf } from "@/db/sql-state";
import { logger } from "@/lib/logger";
import { divideAt, gapsIn, type LogRange, monthsBetween, tableNameOf } from "./log-ranges";
import { dropStagingTables, moveDefaultRows } from "./move-default-rows-commands";

const AHEAD_DAYS = 92;
/** From when on a missing month is reported: its rows would go to the default partition. */
const LATE_DAYS = 14;
const GUARD = "usage_logs_default_not_";

export type PartitionReport = {
  made: number;
  /** Rows that have left the default partition. */
  moved: number;
  /** Partitions whose lock somebody else held the whole time, e.g. a backup. */
  waiting: number;
};

/**
 * Makes the usage log's monthly partitions ahead of time, and moves rows that are in the default partition into one of
 * their own. No settlement waits for it. Partitions that cannot be attached now are made by the next call.
 */
export async function ensurePartitions(sql: Sql, now: number): Promise<PartitionReport> {
  const report: PartitionReport = { made: 0, moved: 0, waiting: 0 };
  await dropGuards(sql);
  await dropStagingTables(sql);
  const covered = await listRanges(sql);
  const months = monthsBetween(now, now + AHEAD_DAYS * 86_400);
  for (const gap of months.flatMap((month) => gapsIn(month, covered))) {
    const { ahead } = divideAt(gap, now);
    if (ahead) await make(sql, ahead, now, report);
  }
  await emptyDefault(sql, now, report);
  return report;
}

/** Bounds of the partitions; the default one has none. */
async function listRanges(sql: Sql): Promise<LogRange[]> {
  const rows = await sql<{ start: number; end: number }[]>`
    select bounds[1]::bigint as start, bounds[2]::bigint as end
    from pg_inherits
    join pg_class child on child.oid = inhrelid
    cross join lateral regexp_match(
      pg_get_expr(child.relpartbound, child.oid), 'FROM \\(''?(\\d+)''?\\) TO \\(''?(\\d+)''?\\)') as bounds
    where inhparent = 'usage_logs'::regclass and bounds is not null
    order by 1`;
  return rows.map(({ start, end }) => ({ start: Number(start), end: Number(end) }));
}

async function make(sql: Sql, range: LogRange, now: number, report: PartitionReport): Promise<void> {
  const made = await attachNew(sql, range);
  if (made === "made") report.made++;
  else if (made === "waiting") {
    report.waiting++;
    if (range.start < now + LATE_DAYS * 86_400) {
      logger.warn(
        { partition: tableNameOf(range) },
        "a partition of the usage log waits for a lock; it is tried again",
      );
    }
  }
}

/** `occupied`: the default partition has rows of that time. They are moved once the time is over. */
async function attachNew(sql: Sql, range: LogRange): Promise<"made" | "waiting" | "occupied"> {
  const name = await freeName(sql, range);
  const [rows] = await sql`select 1 from usage_logs_default limit 1`;
  if (rows) {
    const guarded = await guardDefault(sql, range);
    if (guarded !== "guarded") return guarded;
  }
  const attached = await tryWhileLocked(() =>
    sql.begin(async (tx) => {
      await tx`select weir_make_log_table(${name}, ${range.start}, ${range.end})`;
      await tx`select weir_attach_log_table(${name}, ${range.start}, ${range.end})`;
      return true;
    }),
  );
  if (rows) await dropGuards(sql);
  return attached ? "made" : "waiting";
}

/**
 * Attaching searches the default partition for rows of the new one, under a lock; a constraint that excludes them spares
 * that. Checking the constraint blocks nobody.
 */
async function guardDefault(sql: Sql, { start, end }: LogRange): Promise<"guarded" | "waiting" | "occupied"> {
  const name = sql(`${GUARD}${start}`);
  const outside = sql.unsafe(`(created_at < ${start} or created_at >= ${end})`);
  const added = await tryWhileLocked(() =>
    briefly(sql, (tx) => tx`alter table usage_logs_default add constraint ${name} check ${outside} not valid`),
  );
  if (!added) return "waiting";
  try {
    await sql`alter table usage_logs_default validate constraint ${name}`;
    return "guarded";
  } catch (error) {
    await dropGuards(sql);
    if (sqlStateOf(error) === SQL_STATE.checkViolation) return "occupied";
    throw error;
  }
}

/** Also those that a crash has left: they would refuse rows. */
async function dropGuards(sql: Sql): Promise<void> {
  const guards = await sql<{ name: string }[]>`
    select conname as name from pg_constraint
    where conrelid = 'usage_logs_default'::regclass and starts_with(conname, ${GUARD})`;
  for (const { name } of guards) {
    const dropped = await tryWhileLocked(() =>
      briefly(sql, (tx) => tx`alter table usage_logs_default drop constraint if exists ${sql(name)}`),
    );
    if (!dropped)
      logger.warn({ constraint: name }, "the usage log is in use; the constraint is dropped at the next turn");
  }
}

/** Moves what the default partition holds of times that are over, one month at a time. */
async function emptyDefault(sql: Sql, now: number, report: PartitionReport): Promise<void> {
  for (let from = 0; ; ) {
    const [next] = await sql<{ at: number | null }[]>`
      select min(created_at) as at from usage_logs_default where created_at >= ${from}`;
    if (next?.at == null || Number(next.at) > now) return;
    const at = Number(next.at);
    const [month] = monthsBetween(at, at);
    if (!month) return;
    from = month.end;
    for (const gap of gapsIn(month, await listRanges(sql))) {
      const { over } = divideAt(gap, now);
      if (!over) continue;
      const moved = await moveDefaultRows(sql, over, await freeName(sql, over));
      if (moved === null) report.waiting++;
      else report.moved += moved;
    }
  }
}

/** A table of that name may be there, e.g. a month that an operator has detached in order to keep it. */
async function freeName(sql: Sql, range: LogRange): Promise<string> {
  const name = tableNameOf(range);
  for (let index = 1; ; index++) {
    const candidate = index === 1 ? name : `${name}_copy_${index}`;
    const [row] = await sql<{ taken: boolean }[]>`select to_regclass(${candidate}) is not null as taken`;
    if (!row?.taken) return candidate;
  }
}

function briefly(sql: Sql, run: (tx: Parameters<Parameters<Sql["begin"]>[1]>[0]) => Promise<unknown>): Promise<true> {
  return sql.begin(async (tx) => {
    await tx`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`;
    await run(tx);
    return true as const;
  });
}
