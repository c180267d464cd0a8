import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { firstRowAfter } from "./live-sums-queries";

const HOUR_SECONDS = 3_600;
/** How long to wait after an hour ends: its last settlements may be written late, most of all after a database outage. */
const SETTLED_AFTER_SECONDS = 600;
/** Limit per run, so that the job can be stopped; the next run continues from the stored position. */
const HOURS_PER_RUN = 48;

/** `text` is SQL, with all of its parameters. */
export type HourSums = { text: string; parameters: (string | number | string[])[] };

export type HourlySums = {
  /** Name of its row in job_positions. */
  job: string;
  /** How far back the first run goes on a system that has logs but no sums yet. */
  firstWindowSeconds: number;
  /** How long sums are kept: as far back as anything reads them, and a little more. */
  keptSeconds: number;
  /** Deletes the sums of hours before `until`, starting at the oldest; at most `hours` of them. Returns how many rows. */
  deleteHours: (sql: Sql, until: number, hours: number) => Promise<number>;
  /** The sums of the log from `hour` to `until` (unix seconds, `until` excluded). */
  readHour: (sql: Sql, hour: number, until: number) => Promise<HourSums>;
  /** Replaces the sums of the hour. */
  writeHour: (tx: TransactionSql, hour: number, sums: HourSums) => Promise<void>;
};

/** Sums finished hours of the usage log, each hour once; returns the number of hours summed. */
export async function sumFinishedHours(sql: Sql, sums: HourlySums, nowSeconds: number): Promise<number> {
  const { job, firstWindowSeconds, readHour, writeHour } = sums;
  const stored = await summedUntilOf(sql, job);
  const last = startOfHour(nowSeconds - SETTLED_AFTER_SECONDS);
  const first = stored > 0 ? stored : ((await firstHour(sql, nowSeconds - firstWindowSeconds)) ?? last);
  let done = 0;
  for (let hour = first; hour < last && done < HOURS_PER_RUN; hour += HOUR_SECONDS, done++) {
    const until = hour + HOUR_SECONDS;
    const read = await readHour(sql, hour, until);
    await sql.begin(async (tx) => {
      await writeHour(tx, hour, read);
      await tx`
        insert into job_positions (job, position) values (${job}, ${until})
        on conflict (job) do update set position = excluded.position, updated_at = floor(extract(epoch from now()))::bigint`;
    });
  }
  return done;
}

/** Limit per run: an hour has a row for each channel, model and outcome. */
const HOURS_DELETED_PER_RUN = 24;

/** Deletes sums that are too old; returns the number of rows. */
export function deleteOldSums(sql: Sql, { keptSeconds, deleteHours }: HourlySums, nowSeconds: number): Promise<number> {
  return deleteHours(sql, startOfHour(nowSeconds - keptSeconds), HOURS_DELETED_PER_RUN);
}

/** The time (unix seconds) up to which the sums of a job are complete; 0 = nothing summed yet. */
export async function summedUntilOf(sql: Sql, job: string): Promise<number> {
  const [row] = await sql<{ position: number }[]>`select position from job_positions where job = ${job}`;
  return row?.position ?? 0;
}

/** The first hour with log rows from a time on; null without rows. */
async function firstHour(sql: Sql, since: number): Promise<number | null> {
  const at = await firstRowAfter(sql, since);
  return at === null ? null : startOfHour(at);
}

const startOfHour = (seconds: number) => seconds - (seconds % HOUR_SECONDS);
