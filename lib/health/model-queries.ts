import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { modelSums } from "./live-sums-queries";
import { type ModelFigures, type ModelSums, toModelFigures } from "./model-figures";
import { modelsSummedUntil } from "./model-rollup-commands";
import { MODEL_TOTALS_SQL } from "./requests-sql";

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
/** Limits how much is read live from the usage log when the rollup job has stopped. */
const LIVE_SECONDS_MAX = 6 * HOUR_SECONDS;

/** Hours before `liveFrom` are in model_hourly, later ones only in the usage log. */
export async function liveHoursFrom(sql: Sql, from: number, until: number): Promise<number> {
  return Math.max(from, await modelsSummedUntil(sql), until - LIVE_SECONDS_MAX);
}

export type RecentModelFigures = { day: ModelFigures; month: ModelFigures };

/** How requests to a model went in the last day and in the last 30 days, by the full hour. Says nothing of volumes. */
export async function readModelFigures(sql: Sql, model: string): Promise<RecentModelFigures> {
  const until = nowSeconds() + 1;
  const hour = until - (until % HOUR_SECONDS);
  const [dayFrom, monthFrom] = [hour - DAY_SECONDS, hour - 30 * DAY_SECONDS];
  const liveFrom = await liveHoursFrom(sql, monthFrom, until);
  const live = await modelSums(sql, liveFrom, until, [model]);
  const rows = await sql.unsafe<(ModelSums & { span: string })[]>(
    `select span, ${MODEL_TOTALS_SQL}
    from (
      select * from model_hourly where model_name = any($3::text[]) and hour >= $4::bigint and hour < $6::bigint
      union all ${live.text}
    ) hours
    join (values ('day', $5::bigint), ('month', $4::bigint)) spans (span, since) on hour >= since
    group by span`,
    [...live.parameters, [model], monthFrom, dayFrom, liveFrom],
  );
  const figuresOf = (span: string) => toModelFigures(rows.find((row) => row.span === span) ?? NO_SUMS);
  return { day: figuresOf("day"), month: figuresOf("month") };
}

const NO_SUMS: ModelSums = { succeeded: 0, failed: 0, latencyBuckets: [], firstTokenBuckets: [] };
