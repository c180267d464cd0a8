import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import { CHANNEL_STATUS } from "@/lib/row-status";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { disableChannelAutomatically, disableKeyAutomatically } from "./channel-state-commands";

/** A channel that was switched off counts so long against the others of its models. */
const COUNTED_SECONDS = 3_600;

/** A refused channel that stays on is not looked at again for so long. */
const KEPT_MS = 10_000;

/** When to look again at channels that stay on. */
const keptUntil = new WeakMap<Sql, Map<number, number>>();

/**
 * Switches off a channel, or one of its keys, after an upstream's refusal, as far as `leavesEnough` allows. Nobody waits for it; an
 * error is logged.
 */
export function switchOff(
  sql: Sql,
  { id: channel }: SnapshotChannel,
  key: number | null,
  { reason, request }: { reason: string; request: string },
): void {
  const kept = keptUntil.get(sql) ?? new Map<number, number>();
  keptUntil.set(sql, kept);
  if ((kept.get(channel) ?? 0) > performance.now()) return;
  const change =
    key === null
      ? disableChannelAutomatically(sql, channel, reason, leavesEnough)
      : disableKeyAutomatically(sql, channel, key, reason, leavesEnough);
  change.then(
    (outcome) => {
      if (outcome === "off") logger.warn({ channel, key, reason, request }, "channel or key switched off");
      if (outcome !== "kept") return void kept.delete(channel);
      kept.set(channel, performance.now() + KEPT_MS);
      logger.warn({ channel, key, reason, request }, "a refused channel stays on: others were switched off lately");
    },
    (error: unknown) => logger.error({ err: error, channel, key, request }, "channel could not be switched off"),
  );
}

/**
 * Whether a channel may be switched off as well. A caller whose requests are refused everywhere, or a provider that refuses all keys for a
 * while, must not take a model away: of the channels that share a model and a group, and of those among them with one priority, at
 * most half, rounded up, are switched off within an hour. A channel that is alone may always be. Holds for all processes: one
 * decides at a time.
 */
async function leavesEnough(tx: TransactionSql, channelId: number): Promise<boolean> {
  await tx`select pg_advisory_xact_lock(hashtext('channels switched off'))`;
  const since = Math.floor(Date.now() / 1_000) - COUNTED_SECONDS;
  const [others] = await tx<{ on: number; off: number; onBeside: number; offBeside: number }[]>`
    with other as (
      select c.status = ${CHANNEL_STATUS.enabled} as is_on, c.priority = mine.priority as is_beside
      from channels mine join channels c on c.id <> mine.id
        and regexp_split_to_array(c.models, '\\s*,\\s*') && regexp_split_to_array(mine.models, '\\s*,\\s*')
        and regexp_split_to_array(c."group", '\\s*,\\s*') && regexp_split_to_array(mine."group", '\\s*,\\s*')
      where mine.id = ${channelId} and (c.status = ${CHANNEL_STATUS.enabled}
        or c.status = ${CHANNEL_STATUS.autoDisabled} and jsonb_typeof(c.other_info -> 'status_time') = 'number'
        and (c.other_info -> 'status_time')::numeric > ${since})
    )
    select count(*) filter (where is_on)::int as on, count(*) filter (where not is_on)::int as off,
      count(*) filter (where is_on and is_beside)::int as "onBeside",
      count(*) filter (where not is_on and is_beside)::int as "offBeside"
    from other`;
  return !others || (others.off <= others.on && others.offBeside <= others.onBeside);
}
