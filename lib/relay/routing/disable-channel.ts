import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { disableChannelAutomatically, disableKeyAutomatically } from "./channel-state-commands";

/** A channel that was disabled counts so long against the others of its models. */
const COUNTED_SECONDS = 3_600;

/** A refused channel that stays on is not looked at again for so long. */
const KEPT_MS = 10_000;

/** When to look again at channels that stay on, and what is being decided on. */
type Memory = { keptUntil: Map<number, number>; deciding: Set<string> };

const memories = new WeakMap<Sql, Memory>();

/**
 * Disables a channel, or one of its keys, after an upstream's refusal, as far as `leavesEnough` allows. Nobody waits for it; an
 * error is logged.
 */
export function disableChannel(
  sql: Sql,
  { id: channel }: Pick<SnapshotChannel, "id">,
  key: number | null,
  { reason, request }: { reason: string; request: string },
): void {
  const { keptUntil, deciding } = memoryOf(sql);
  const name = `${channel}:${key}`;
  // A key that dies is refused to all requests that run at that moment; each of them would wait with a connection of its own.
  if (deciding.has(name) || (keptUntil.get(channel) ?? 0) > performance.now()) return;
  deciding.add(name);
  const change =
    key === null
      ? disableChannelAutomatically(sql, channel, reason, leavesEnough)
      : disableKeyAutomatically(sql, channel, key, reason, leavesEnough);
  change
    .then(
      (outcome) => {
        if (outcome === "disabled") logger.warn({ channel, key, reason, request }, "channel or key switched off");
        if (outcome !== "kept") return void keptUntil.delete(channel);
        keptUntil.set(channel, performance.now() + KEPT_MS);
        logger.warn({ channel, key, reason, request }, "a refused channel stays on: others were switched off lately");
      },
      (error: unknown) => logger.error({ err: error, channel, key, request }, "channel could not be switched off"),
    )
    .finally(() => deciding.delete(name));
}

function memoryOf(sql: Sql): Memory {
  const found = memories.get(sql);
  if (found) return found;
  const made: Memory = { keptUntil: new Map(), deciding: new Set() };
  memories.set(sql, made);
  return made;
}

/**
 * Whether a channel may be disabled as well. A caller whose requests are refused everywhere, or a provider that refuses all keys for a
 * while, must not take a model away: of the channels that a model has in a group, and of those among them with one priority, at
 * most half, rounded up, are disabled within an hour. A channel that is alone may always be. Holds for all processes: one
 * decides at a time.
 */
async function leavesEnough(tx: TransactionSql, channelId: number): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtext('channels switched off'))`;
  const since = Math.floor(Date.now() / 1_000) - COUNTED_SECONDS;
  const [found] = await tx<{ isEnough: boolean }[]>`
    with listed as (
      select id, priority, status = ${CHANNEL_STATUS.enabled} as is_on,
        regexp_split_to_array(btrim(models, ${BLANK}), '\\s*,\\s*') as models,
        regexp_split_to_array(btrim("group", ${BLANK}), '\\s*,\\s*') as groups
      from channels
      where id = ${channelId} or status = ${CHANNEL_STATUS.enabled}
        or status = ${CHANNEL_STATUS.autoDisabled} and jsonb_typeof(other_info -> 'status_time') = 'number'
        and (other_info -> 'status_time')::numeric > ${since}
    ), mine as (
      select * from listed where id = ${channelId}
    ), other as (
      select other.id, other.is_on, other.priority = mine.priority as is_beside, model, group_name
      from mine join listed other on other.id <> mine.id and other.models && mine.models and other.groups && mine.groups
        cross join unnest(other.models) model cross join unnest(other.groups) group_name
      where model <> '' and group_name <> ''
    ), counted as (
      select count(distinct id) filter (where is_on) as on_all, count(distinct id) filter (where not is_on) as off_all,
        count(distinct id) filter (where is_on and is_beside) as on_beside,
        count(distinct id) filter (where not is_on and is_beside) as off_beside
      from other join (select unnest(models) as model from mine) wanted using (model)
        join (select unnest(groups) as group_name from mine) within using (group_name)
      group by model, group_name
    )
    select coalesce(bool_and(off_all <= on_all and off_beside <= on_beside), true) as "isEnough" from counted`;
  return found?.isEnough !== false;
}

/** What may stand around a list. */
const BLANK = " \t\r\n";
