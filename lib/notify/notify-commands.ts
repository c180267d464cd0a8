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
   * Identifies the occurrence, e.g. `topup:<trade number>`, so that it is notified once. Ignored for rate-limited
   * events (balance_low, channel_disabled, channel_enabled), see keyOf.
   */
  dedupeKey: string;
  /** Send it to these of the user's targets, whatever events they want. Absent or empty: to those that want the event. */
  targetIds?: readonly number[];
};

/** Maximum length of a stored parameter; error texts of upstreams have no limit of their own. */
const TEXT_MAX = 500;
const dialect = new PgDialect({ casing: "snake_case" });

/**
 * Creates the message for the console and one delivery per target that wants the event, in the given transaction: both
 * are committed with the event or not at all. A background job sends them. Returns whether a message was created; false
 * when this occurrence was notified before, the event's rate limit is reached, or the account is banned or deleted. A
 * user who never configured targets but has an e-mail address gets it as first target, if the site can send e-mail.
 */
export async function notify<Event extends NotificationEvent>(
  tx: NotifyTransaction,
  input: NotificationInput<Event> & { userId: number },
): Promise<boolean> {
  const told = await insertNotifications(tx, sql`u.id = ${input.userId}`, input);
  return told > 0;
}

/** Notifies every super administrator through their own targets. Returns how many were notified. */
export function notifyRoots<Event extends NotificationEvent>(
  tx: NotifyTransaction,
  input: NotificationInput<Event>,
): Promise<number> {
  return insertNotifications(tx, sql`u.role >= ${ROLE.root}`, input);
}

async function insertNotifications<Event extends NotificationEvent>(
  tx: NotifyTransaction,
  recipients: SQL,
  { event, params, dedupeKey, targetIds = [] }: NotificationInput<Event>,
): Promise<number> {
  const isWanted =
    targetIds.length === 0
      ? sql`${event}::text = any(target.events)`
      : sql`target.id = any(${sql.param(`{${targetIds.join(",")}}`)}::int[])`;
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
        where target.enabled and ${isWanted}
        on conflict do nothing)
      select count(*)::int as told from fresh`,
  );
  return Number(rows[0]?.told ?? 0);
}

/**
 * The account's e-mail address as its first target. Its id is the negative user id, so that two parallel events create
 * one row. A user who has deleted it has `notifications_chosen` set and does not get it back.
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

/** The key prefix under which a limit counts, made of event, subject (e.g. the channel) and user. */
function stemOf(event: NotificationEvent, params: object): SQL {
  const values = params as Record<string, string | number>;
  const subject = (eventDefinition(event).limit?.subject ?? []).map((name) => String(values[name]));
  return sql`${[event, ...subject].join(":")}::text || ':' || u.id`;
}

/**
 * The unique key. For a rate-limited event it is the subject and the id of its latest message: of two parallel
 * transactions that both find the limit free, both use the same key and only one can insert.
 */
function keyOf(event: NotificationEvent, params: object, dedupeKey: string): SQL {
  if (!eventDefinition(event).limit) return sql`${dedupeKey}::text || ':' || u.id`;
  const stem = stemOf(event, params);
  return sql`${stem} || ':' || coalesce((
    select max(n.id) from notifications n
    where n.user_id = u.id and n.event = ${event} and starts_with(n.dedupe_key, ${stem} || ':')), 0)`;
}

/**
 * Counts messages from their last delivery, not from their creation, so that a delayed message keeps its distance to
 * the next. next_attempt_at of a delivery is the time it is due, leased until, or was sent.
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

/** PostgreSQL accepts neither NUL nor lone surrogates. */
function cleanText(text: string): string {
  return Buffer.from(text.replaceAll("\0", "").slice(0, TEXT_MAX)).toString();
}

async function runStatement(tx: NotifyTransaction, statement: SQL): Promise<readonly Record<string, unknown>[]> {
  if (typeof tx !== "function") return tx.execute<Record<string, unknown>>(statement);
  const { sql: text, params } = dialect.sqlToQuery(statement);
  return tx.unsafe<Record<string, unknown>[]>(text, params as never[]);
}
