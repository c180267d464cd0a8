import { sql } from "drizzle-orm";
import { type Database, databaseOf, type Sql } from "@/db/client";

/** Rows of the log that one statement changes. */
const ROWS_MAX = 5_000;

/**
 * Replaces the name of an account in the rows of the log that have it, a part of them at a time, also in those that wait for a log
 * store. The trigger of the log allows this one change, for accounts that are erased (db/functions/refuse-log-change.sql). Rows that are
 * listed are found by the index of users, hidden ones by the hours in which the account has any. `partsMax`: after so many parts
 * the rest stays as it is.
 */
export async function eraseLoggedNames(
  db: Database,
  { userId, erased }: Pick<ErasedAccount, "userId" | "erased">,
  partsMax: number,
): Promise<void> {
  let from: number | null = 0;
  for (let part = 0; from !== null; part++) {
    if (part === partsMax) return;
    from = await eraseListed(db, userId, erased, from);
  }
  await eraseRest(db, userId, erased);
}

/** One part, from a time on. Returns where the next one begins; null = that was the last one. */
async function eraseListed(db: Database, userId: number, erased: string, from: number): Promise<number | null> {
  const [next] = await db.execute<{ at: number }>(sql`
    select created_at as at from usage_logs
    where user_id = ${userId} and created_at > ${from} and not hidden order by created_at offset ${ROWS_MAX} limit 1`);
  await db.execute(sql`
    update usage_logs set username = ${erased}
    where user_id = ${userId} and created_at >= ${from} ${next ? sql`and created_at < ${next.at}` : sql``}
      and username <> ${erased} and username <> '' and not hidden`);
  return next?.at ?? null;
}

async function eraseRest(db: Database, userId: number, erased: string): Promise<void> {
  await db.execute(sql`
    update usage_logs set username = ${erased}
    from (
      select distinct hour from usage_hourly where user_id = ${userId} and (hidden_count is null or hidden_count > 0)) as hours
    where created_at >= hours.hour and created_at < hours.hour + 3600
      and user_id = ${userId} and username <> ${erased} and username <> '' and hidden`);
  await db.execute(sql`
    update log_outbox set body = changed.body
    from (
      select outbox.id, string_agg(
        case when (line.text::json ->> 'user_id')::int = ${userId}
          then (line.text::jsonb || jsonb_build_object('username', ${erased}::text))::text else line.text end,
        E'\n' order by line.place) as body
      from log_outbox outbox cross join lateral string_to_table(outbox.body, E'\n') with ordinality as line (text, place)
      where outbox.body ~ ${`"user_id": *${userId}[,}]`} group by outbox.id) as changed
    where log_outbox.id = changed.id`);
}

const NAMES = sql.raw("array['username', 'displayName', 'email']");
const JOB = "erase-names:";

/** Has the job take out later what is not in the log's tables yet, or is in a log store. */
export async function askToEraseNames(tx: Database, userId: number): Promise<void> {
  await tx.execute(sql`
    insert into job_positions (job, position) values (${JOB + userId}, floor(extract(epoch from now()))::bigint)
    on conflict (job) do nothing`);
}

/** `isLate`: erased before the time (unix seconds) after which nothing of the account is on its way any more. */
export type ErasedAccount = { userId: number; erased: string; isLate: boolean };

/** Erased accounts whose names are still to be taken out: at once, and again when they are late. */
export async function listErasedNames(db: Sql, late: number): Promise<ErasedAccount[]> {
  return db<ErasedAccount[]>`
    select users.id as "userId", users.username as erased, job_positions.position < ${late} as "isLate"
    from job_positions join users on users.id = substr(job_positions.job, ${JOB.length + 1})::int
    where starts_with(job_positions.job, ${JOB})
      and (job_positions.position < ${late} or job_positions.updated_at <= job_positions.position) order by 1`;
}

/** Takes out the name that came with rows which were booked after the account was erased. */
export async function eraseLateNames(db: Sql, account: ErasedAccount): Promise<void> {
  await eraseLoggedNames(databaseOf(db), account, Number.POSITIVE_INFINITY);
}

export async function noteNamesErased(db: Sql, { userId, isLate }: ErasedAccount): Promise<void> {
  if (isLate) await db`delete from job_positions where job = ${JOB + userId}`;
  else await db`update job_positions set updated_at = position + 1 where job = ${JOB + userId}`;
}

/** Replaces what the record of changes has of the account's own names. */
export async function eraseAuditedNames(tx: Database, userId: number): Promise<void> {
  await tx.execute(sql`
    update audit_entries
    set before = before::jsonb - ${NAMES}, after = after::jsonb - ${NAMES}
    where subject = ${`user:${userId}`}`);
}
