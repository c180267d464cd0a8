import type { Sql } from "@/db/client";

/** Half a year. A place seen again later is treated as new, with a notification. */
const PLACE_SECONDS = 15_552_000;

/**
 * Sessions are kept until they would have expired, ended ones too: they say from where an account has signed in lately
 * (throttle.ts). Removes old sessions, expired secrets and places unused for long.
 * Returns a summary for the log.
 */
export async function sweepSignIns(sql: Sql): Promise<string> {
  const [row] = await sql<{ sessions: number; secrets: number; places: number }[]>`
    with present as (select floor(extract(epoch from now()))::bigint as at),
    sessions_gone as (
      delete from sessions using present
      where expires_at <= present.at returning 1),
    secrets_gone as (delete from one_time_secrets using present where expires_at <= present.at returning 1),
    places_gone as (
      delete from known_places using present where last_seen_at <= present.at - ${PLACE_SECONDS}::bigint returning 1)
    select (select count(*)::int from sessions_gone) as sessions,
           (select count(*)::int from secrets_gone) as secrets,
           (select count(*)::int from places_gone) as places`;
  return `${row?.sessions ?? 0} sessions, ${row?.secrets ?? 0} secrets, ${row?.places ?? 0} places`;
}
