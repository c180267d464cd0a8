import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Database, Sql } from "@/db/client";
import { ROLE } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { USER_STATUS } from "@/lib/row-status";
import { defaultEvents, eventDefinition, type NotificationEvent, type NotificationParams } from "./events";

/** An open transaction, of Drizzle or of postgres.js. */
export type NotifyTransaction = Database | Sql;

export type NotificationInput<Event extends NotificationEvent> = {
  event: Event;
  params: NotificationParams<Event>;
  /**
   * Names the occurrence once and for all, e.g. `topup:<trade number>`: the same occurrence is told once. Events that
   * are limited in time (balance_low, channel_disabled, channel_enabled) take their key from that rule instead.
   */
  dedupeKey: string;
};

/** Longest text kept of a parameter; reasons come from upstreams and have no bound of their own. */
const TEXT_MAX = 500;
const dialect = new PgDialect({ casing: "snake_case" });

/**
 * Tells a user something: the message for the console and one delivery per target that wants this event, written in the
 * caller's transaction, so that nothing is told that did not happen and nothing that happened goes untold. The sending
 * is a background job. Returns whether there is a new message; false when this occurrence was told before, the event's
 * limit in time is used up, or the account is banned or deleted.
 *
 * A user who never chose targets but has an e-mail address gets that as first target, if the site can send e-mail.
 */
export async function notify<Event extends NotificationEvent>(
  tx: NotifyTransaction,
  input: NotificationInput<Event> & { userId: number },
): Promise<boolean> {
  const told = await insertNotifications(tx, sql`u.id = ${input.userId}`, input);
  return told > 0;
}

/** Tells every super administrator, each by the targets of their own. Returns how many were told. */
export function notifyRoots<Event extends NotificationEvent>(
  tx: NotifyTransaction,
  input: NotificationInput<Event>,
): Promise<number> {
  return insertNotifications(tx, sql`u.role >= ${ROLE.root}`, input);
}

async function insertNotifications<Event extends NotificationEvent>(
  tx: NotifyTransaction,
  recipients: SQL,
  { event, params, dedupeKey }: NotificationInput<Event>,
): Promise<number> {
  const kept = JSON.stringify(params, (_name, value: unknown) =>
    typeof value === "string" ? cleanText(value) : value,
  );
  const rows = await runStatement(
    tx,
    sql`
      with fresh as (
        insert into notifications (user_id, event, params, dedupe_key)
        select u.id, ${event}::text, ${kept}::text::jsonb, ${keyOf(event, params, dedupeKey)}
        from users u
        where ${recipients} and u.status = ${USER_STATUS.enabled} and u.deleted_at is null ${withinLimit(event, params)}
        order by u.id
        on conflict (dedupe_key) do nothing
        returning id, user_id),
      ${firstTarget()},
      queued as (
        insert into notification_deliveries (notification_id, target_id)
        select fresh.id, target.id from fresh
        join (select id, user_id, events, enabled from notification_targets
              union select id, user_id, events, enabled from first_target) as target using (user_id)
        where target.enabled and ${event}::text = any(target.events)
        on conflict do nothing)
      select count(*)::int as told from fresh`,
  );
  return Number(rows[0]?.told ?? 0);
}

/**
 * The account's own address as its first target. Its id is the negative of the user's, so that two events at once make
 * one row; an owner who has deleted it has `notifications_chosen` set and does not get it back.
 */
function firstTarget(): SQL {
  const config = seal(JSON.stringify({ address: "" }));
  const list = (isRoot: boolean) => sql`${`{${defaultEvents(isRoot).join(",")}}`}::text[]`;
  return sql`first_target as (
    insert into notification_targets (id, user_id, kind, config_cipher, events)
    select -u.id, u.id, 'email', ${config},
      case when u.role >= ${ROLE.root} then ${list(true)} else ${list(false)} end
    from fresh join users u on u.id = fresh.user_id
    where u.email <> '' and u.setting->'notifications_chosen' is distinct from 'true'::jsonb
      and exists (select 1 from options where key = 'SMTPServer' and value <> '')
      and not exists (select 1 from notification_targets other where other.user_id = u.id)
    on conflict (id) do update set id = excluded.id
    returning id, user_id, events, enabled)`;
}

/** What makes events of one kind the same thing in the eyes of a limit, e.g. the channel they are about. */
function stemOf(event: NotificationEvent, params: object): SQL {
  const values = params as Record<string, string | number>;
  const subject = (eventDefinition(event).limit?.subject ?? []).map((name) => String(values[name]));
  return sql`${[event, ...subject].join(":")}::text || ':' || u.id`;
}

/**
 * The unique key. For an event that is limited in time it is the subject and its latest message: two transactions that
 * both find the limit free follow the same message and only one of them can be the next.
 */
function keyOf(event: NotificationEvent, params: object, dedupeKey: string): SQL {
  if (!eventDefinition(event).limit) return sql`${dedupeKey}::text || ':' || u.id`;
  const stem = stemOf(event, params);
  return sql`${stem} || ':' || coalesce((
    select max(n.id) from notifications n
    where n.user_id = u.id and n.event = ${event} and starts_with(n.dedupe_key, ${stem} || ':')), 0)`;
}

/**
 * Counts messages from their last delivery, not from their making: one that was held up for an hour must still have its
 * distance to the next. A delivery's next_attempt_at is the moment it is due, leased until, or was sent.
 */
function withinLimit(event: NotificationEvent, params: object): SQL {
  const { limit } = eventDefinition(event);
  if (!limit) return sql``;
  const stem = stemOf(event, params);
  return sql`and (
    select count(*) from (
      select n.id, n.created_at from notifications n
      where n.user_id = u.id and n.event = ${event} and starts_with(n.dedupe_key, ${stem} || ':')
      order by n.id desc limit ${limit.count}) as recent
    where greatest(recent.created_at,
      (select max(d.next_attempt_at) from notification_deliveries d where d.notification_id = recent.id))
      > floor(extract(epoch from clock_timestamp()))::bigint - ${limit.seconds}) < ${limit.count}`;
}

/** PostgreSQL takes neither NUL nor half a surrogate pair. */
function cleanText(text: string): string {
  return Buffer.from(text.replaceAll("\0", "").slice(0, TEXT_MAX)).toString();
}

async function runStatement(tx: NotifyTransaction, statement: SQL): Promise<readonly Record<string, unknown>[]> {
  if (typeof tx !== "function") return tx.execute<Record<string, unknown>>(statement);
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return tx.unsafe<Record<string, unknown>[]>(text, params as never[]);
}
