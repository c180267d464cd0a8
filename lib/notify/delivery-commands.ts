import { databaseOf, type Sql } from "@/db/client";
import { sendMail } from "@/lib/mail/send-mail";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import type { DeliveryError } from "./delivery-error";
import { encodeFailure } from "./delivery-error";
import type { SendMail } from "./senders/sender";

/** loadOptions for a job. */
export function loadDeliveryOptions(sql: Sql): Promise<OptionValues> {
  return loadOptions(databaseOf(sql));
}

/** sendMail for a job. */
export function mailerOf(sql: Sql): SendMail {
  return (mail) => sendMail(databaseOf(sql), mail);
}

/** How long a worker may take for its deliveries before another worker may claim them. */
const LEASE_SECONDS = 120;
/** Seconds before the second and each later attempt; after the last one the delivery is given up. */
export const RETRY_SECONDS = [15, 60, 300, 1_800, 7_200] as const;

/** A delivery leased to this worker, with the data needed to send it. */
export type ClaimedDelivery = {
  id: number;
  /** Including this attempt. */
  attempts: number;
  targetId: number;
  kind: string;
  configCipher: string;
  targetEnabled: boolean;
  event: string;
  params: Record<string, unknown>;
  createdAt: number;
  email: string | null;
  setting: Record<string, unknown>;
};

/**
 * Claims up to `limit` due deliveries. They are leased, not locked, because sending happens outside a transaction; when
 * a worker dies, its deliveries are due again after the lease.
 */
export async function claimDeliveries(sql: Sql, limit: number): Promise<ClaimedDelivery[]> {
  return sql<ClaimedDelivery[]>`
    with due as (
      select id from notification_deliveries
      where status = 'pending' and next_attempt_at <= floor(extract(epoch from clock_timestamp()))::bigint
      order by next_attempt_at, id limit ${limit}
      for update skip locked),
    claimed as (
      update notification_deliveries d
      set attempts = attempts + 1, next_attempt_at = floor(extract(epoch from clock_timestamp()))::bigint + ${LEASE_SECONDS}
      from due where d.id = due.id
      returning d.id, d.attempts, d.target_id, d.notification_id)
    select claimed.id, claimed.attempts, claimed.target_id as "targetId", t.kind, t.config_cipher as "configCipher",
      t.enabled as "targetEnabled", n.event, n.params, n.created_at as "createdAt", u.email, u.setting
    from claimed
    join notification_targets t on t.id = claimed.target_id
    join notifications n on n.id = claimed.notification_id
    join users u on u.id = n.user_id
    order by claimed.id`;
}

/** Marks a delivery as sent. next_attempt_at becomes the time of sending (see withinLimit of notify). */
export async function markSent(sql: Sql, { id, targetId }: { id: number; targetId: number }): Promise<void> {
  await sql`
    with sent as (
      update notification_deliveries
      set status = 'sent', last_error = '', next_attempt_at = floor(extract(epoch from clock_timestamp()))::bigint
      where id = ${id})
    update notification_targets
    set last_sent_at = floor(extract(epoch from clock_timestamp()))::bigint, last_error = '' where id = ${targetId}`;
}

/**
 * Schedules a retry, or gives up when the error is permanent or the attempts are used up. The owner sees the error at
 * the target. Returns whether the delivery is given up.
 */
export async function markFailed(
  sql: Sql,
  { id, targetId, attempts }: { id: number; targetId: number; attempts: number },
  error: DeliveryError,
): Promise<boolean> {
  const wait = error.permanent ? undefined : RETRY_SECONDS[attempts - 1];
  const failure = encodeFailure(error);
  const status = wait === undefined ? "failed" : "pending";
  const seconds = Math.max(wait ?? 0, wait === undefined ? 0 : error.retryAfterSeconds);
  await sql`
    with failed as (
      update notification_deliveries
      set status = ${status}, last_error = ${failure},
        next_attempt_at = floor(extract(epoch from clock_timestamp()))::bigint + ${seconds}
      where id = ${id} and status = 'pending')
    update notification_targets set last_error = ${failure} where id = ${targetId}`;
  return wait === undefined;
}

/** For a target that was disabled after the message was queued: not sent, and not shown as an error. */
export async function dropDelivery(sql: Sql, id: number): Promise<void> {
  await sql`update notification_deliveries set status = 'failed', last_error = '' where id = ${id}`;
}

const KEPT_DAYS = 90;

/** Removes old notifications with their deliveries. Returns how many. */
export async function removeOldNotifications(sql: Sql): Promise<number> {
  const rows = await sql`
    delete from notifications where id in (
      select id from notifications
      where created_at < floor(extract(epoch from now()))::bigint - ${KEPT_DAYS * 86_400} order by id limit 10000)
    returning 1`;
  return rows.length;
}
