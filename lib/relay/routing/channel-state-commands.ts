import { randomUUID } from "node:crypto";
import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { endCharge, type OpenCharge, type OpenEnd } from "@/lib/billing/open-charges";
import type { RejectedUsage } from "@/lib/billing/types";
import { logger } from "@/lib/logger";
import { type NotificationInput, notifyRoots } from "@/lib/notify/notify-commands";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { NewTask } from "../answers/task";

type Changed = { id: number; name: string };

/** `kept`: its bound has it stay on. `unchanged`: it was not on, or may not be disabled. */
export type DisableOutcome = "disabled" | "kept" | "unchanged";

/** Whether the channel may be disabled besides those that were lately. */
export type Bound = (tx: TransactionSql, channelId: number) => Promise<boolean>;

const UNBOUND: Bound = async () => true;

/**
 * Disables an enabled channel after a failure of its upstream and notifies root users. Reason and time are stored in
 * other_info.
 */
export async function disableChannelAutomatically(
  sql: Sql,
  channelId: number,
  reason: string,
  mayGo = UNBOUND,
): Promise<DisableOutcome> {
  const outcome = await sql.begin(async (tx) =>
    (await mayGo(tx, channelId)) ? disableRow(tx, channelId, reason) : "kept",
  );
  if (outcome === "kept") return outcome;
  if (outcome) await tellOfOff(sql, outcome, reason);
  return outcome ? "disabled" : "unchanged";
}

/**
 * Disables one of a channel's keys after a failure. When it was the last enabled key, the channel is disabled and root
 * users are notified, unless its bound has both stay on.
 */
export async function disableKeyAutomatically(
  sql: Sql,
  channelId: number,
  keyId: number,
  reason: string,
  mayGo = UNBOUND,
): Promise<DisableOutcome> {
  const last = `no key is left; the last one: ${reason}`;
  const outcome = await sql.begin(async (tx) => {
    // Before any row is locked, so that nobody who decides waits for somebody who waits to decide.
    const isFree = await mayGo(tx, channelId);
    // Locks the channel: without the lock, two keys failing at the same moment would each count the other as still
    // enabled.
    const [channel] = await tx`select id from channels where id = ${channelId} and auto_ban = 1 for update`;
    if (!channel) return "unchanged";
    const [rest] = await tx<{ count: number }[]>`
      select count(*)::int as count from channel_keys
      where channel_id = ${channelId} and status = ${CHANNEL_STATUS.enabled} and id <> ${keyId}`;
    if (!isFree && !rest?.count) return "kept";
    const changed = await tx`
      update channel_keys
      set status = ${CHANNEL_STATUS.autoDisabled}, reason = ${reason}, status_time = floor(extract(epoch from now()))::bigint
      where id = ${keyId} and channel_id = ${channelId} and status = ${CHANNEL_STATUS.enabled} returning id`;
    if (changed.length === 0) return "unchanged";
    await tx`select pg_notify('weir', ${`channels:${channelId}`})`;
    return rest?.count ? null : await disableRow(tx, channelId, last);
  });
  if (outcome === "kept" || outcome === "unchanged") return outcome;
  if (outcome) await tellOfOff(sql, outcome, last);
  return "disabled";
}

/** Null = it was not on, or may not be disabled. */
async function disableRow(tx: TransactionSql, channelId: number, reason: string): Promise<Changed | null> {
  const info = JSON.stringify({ status_reason: reason, status_time: Math.floor(Date.now() / 1000) });
  const [row] = await tx<Changed[]>`
    update channels set status = ${CHANNEL_STATUS.autoDisabled}, other_info = other_info || ${info}::text::jsonb
    where id = ${channelId} and status = ${CHANNEL_STATUS.enabled} and auto_ban = 1 returning id, name`;
  return row ?? null;
}

function tellOfOff(sql: Sql, { id, name }: Changed, reason: string): Promise<void> {
  const params = { channelId: id, channelName: name, reason };
  return tellRoots(sql, { event: "channel_disabled", params, dedupeKey: `channel-disabled:${randomUUID()}` });
}

/**
 * Enables a channel that was disabled automatically and notifies root users. Returns whether this call enabled it. Its
 * automatically disabled keys are enabled too when no key is enabled.
 */
export async function enableChannelAutomatically(sql: Sql, channelId: number): Promise<boolean> {
  const rows = await sql<Changed[]>`
    with changed as (
      update channels set status = ${CHANNEL_STATUS.enabled}, other_info = '{}'::jsonb
      where id = ${channelId} and status = ${CHANNEL_STATUS.autoDisabled} returning id, name
    ), revived as (
      update channel_keys set status = ${CHANNEL_STATUS.enabled}, reason = '', status_time = floor(extract(epoch from now()))::bigint
      where status = ${CHANNEL_STATUS.autoDisabled} and channel_id in (select id from changed)
        and not exists (select from channel_keys other where other.channel_id = ${channelId} and other.status = ${CHANNEL_STATUS.enabled})
    )
    select id, name from changed`;
  for (const { id, name } of rows) {
    const params = { channelId: id, channelName: name };
    await tellRoots(sql, { event: "channel_enabled", params, dedupeKey: `channel-enabled:${randomUUID()}` });
  }
  return rows.length > 0;
}

type Told = "channel_disabled" | "channel_enabled" | "channel_test_finished" | "usage_bounded" | "task_state_unknown";

/** Logs an error instead of throwing: a failed notification must not undo the change it is about. */
export async function tellRoots<Event extends Told>(sql: Sql, input: NotificationInput<Event>): Promise<void> {
  try {
    await notifyRoots(sql, input);
  } catch (error) {
    logger.error({ err: error, event: input.event }, "root could not be told about a channel");
  }
}

/**
 * What root was told of, so that not every answer and not every look at a task asks the database: channels with the time in
 * milliseconds, and words of platforms.
 */
type Memory = { channels: Map<number, number>; words: Set<string> };

const memories = new WeakMap<Sql, Memory>();
const TOLD_FOR_MS = 600_000;
const TOLD_WORDS_MAX = 1_000;

function memoryOf(sql: Sql): Memory {
  const found = memories.get(sql);
  if (found) return found;
  const made: Memory = { channels: new Map(), words: new Set() };
  memories.set(sql, made);
  return made;
}

/** Tells root that an upstream has reported more than a request can have caused. Never rejects. */
export async function tellOfBoundedUsage(
  sql: Sql,
  { channelId, model }: { channelId: number; model: string },
  { promptTokens, completionTokens, promptTokensMax, completionTokensMax }: RejectedUsage,
): Promise<void> {
  const now = performance.now();
  const { channels: toldAt } = memoryOf(sql);
  if (now - (toldAt.get(channelId) ?? Number.NEGATIVE_INFINITY) < TOLD_FOR_MS) return;
  toldAt.set(channelId, now);
  const [channel] = await sql<Changed[]>`select id, name from channels where id = ${channelId}`.catch(() => []);
  if (!channel) return void toldAt.delete(channelId);
  const figures = { prompt: promptTokens, completion: completionTokens };
  const bounds = { promptMax: promptTokensMax, completionMax: completionTokensMax };
  const params = { channelId, channelName: channel.name, model, ...figures, ...bounds };
  await tellRoots(sql, { event: "usage_bounded", params, dedupeKey: `usage-bounded:${channelId}` });
}

/** Tells root, once, that a platform of tasks has a word for a state that is not known. Never rejects. */
export async function tellOfUnknownWord(sql: Sql, channelId: number, platform: string, word: string): Promise<void> {
  const name = `${platform}:${word}`;
  const { words: toldWords } = memoryOf(sql);
  if (toldWords.has(name) || toldWords.size >= TOLD_WORDS_MAX) return;
  toldWords.add(name);
  const [channel] = await sql<Changed[]>`select id, name from channels where id = ${channelId}`.catch(() => []);
  if (!channel) return void toldWords.delete(name);
  const params = { channelId, channelName: channel.name, platform, word };
  await tellRoots(sql, { event: "task_state_unknown", params, dedupeKey: `task-state:${name}` });
}

type Ended = {
  usage: { rejected?: RejectedUsage };
  drained?: { rejected?: RejectedUsage } | undefined;
  delivery: { outcome: string; report?: { task?: NewTask } | null };
};

/** Tells root of what cannot be true or is not known in an answer. */
export function tellOfOdd(sql: Sql, asked: { channelId: number; model: string }, ended: Ended): void {
  const { rejected } = ended.drained ?? ended.usage;
  if (rejected) void tellOfBoundedUsage(sql, asked, rejected);
  const task = ended.delivery.report?.task;
  if (task?.unknownWord === undefined) return;
  void tellOfUnknownWord(sql, asked.channelId, task.task.platform, task.unknownWord);
}

/** Ends an open charge, as `endCharge` does, and tells root where the upstream reported more than can be true. */
export async function endAndTell(sql: Sql, charge: OpenCharge, end: OpenEnd): Promise<boolean> {
  const isEnded = await endCharge(sql, charge, end);
  if (isEnded && end.usage?.rejected) await tellOfBoundedUsage(sql, charge, end.usage.rejected);
  return isEnded;
}
