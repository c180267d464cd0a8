import type { Sql } from "@/db/client";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { loadOptions } from "@/lib/option/queries";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { readRouting } from "@/lib/snapshot/build";
import { parseInput } from "@/lib/validation";
import { readTraffic, scaleBy, type TrafficLimits } from "../effect/traffic-queries";
import { type Replayed, type ReplayInput, type Routed, type RoutingChannel, replayRouting } from "./replay";
import { type RoutingDraft, routingDraftSchema } from "./schemas";
import type { RoutingEffect, RoutingRow } from "./types";

const DAY_SECONDS = 86_400;
const NONE_SHOWN = 50;
/** Any number does, as long as both replays have the same. */
const SEED = 20_240_229;

/** All channels with what decides their part of the traffic (administrators). */
export async function listRouting(ctx: ServiceContext): Promise<RoutingRow[]> {
  requireRole(ctx, ROLE.admin);
  return (await readChannels(ctx.sql)).map(({ id, name, priority, weight, status, groups, models }) => {
    return { id, name, priority, weight, isEnabled: status === CHANNEL_STATUS.enabled, groups, models: models.length };
  });
}

/**
 * The last day's charged requests, sent to the channels as they are and as they would be; nothing is written
 * (administrators). Failures, circuits, limits, pinned API keys and conversations that stay at a channel are not replayed.
 */
export async function previewRouting(
  ctx: ServiceContext,
  input: RoutingDraft,
  limits: TrafficLimits = {},
): Promise<RoutingEffect> {
  requireRole(ctx, ROLE.admin);
  const draft = new Map(parseInput(routingDraftSchema, input).channels.map((row) => [row.id, row]));
  const [channels, options, read] = await Promise.all([
    readChannels(ctx.sql),
    loadOptions(ctx.db),
    readTraffic(ctx.sql, { models: null, seconds: DAY_SECONDS, now: nowSeconds() }, limits),
  ]);
  if (!read) return { coverage: null, channels: [], noneBefore: [], noneAfter: [] };
  const { traffic } = read;
  const common: Omit<ReplayInput, "channels"> = {
    traffic,
    options,
    passThrough: options["global.pass_through_request_enabled"],
    scaleOf: scaleBy(read),
    seed: SEED,
  };
  const before = replayRouting({ ...common, channels });
  const after = replayRouting({ ...common, channels: channels.map((channel) => drafted(channel, draft)) });
  const actual = new Map<number, number>();
  for (const row of traffic) {
    actual.set(row.channelId, (actual.get(row.channelId) ?? 0) + row.requests * common.scaleOf(row.model));
  }
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const ids = [...new Set([...before.channels.keys(), ...after.channels.keys(), ...actual.keys()])];
  return {
    coverage: read.coverage,
    channels: ids
      .map((id) => ({
        id,
        name: names.get(id) ?? "",
        actual: Math.round(actual.get(id) ?? 0),
        before: rounded(before.channels.get(id)),
        after: rounded(after.channels.get(id)),
      }))
      .toSorted((one, other) => other.after.requests - one.after.requests || one.id - other.id),
    noneBefore: shownNone(before),
    noneAfter: shownNone(after),
  };
}

type Draft = RoutingDraft["channels"][number];

function drafted(channel: RoutingChannel, draft: ReadonlyMap<number, Draft>): RoutingChannel {
  const changed = draft.get(channel.id);
  if (!changed) return channel;
  const { priority, weight, isEnabled } = changed;
  return { ...channel, priority, weight, status: isEnabled ? CHANNEL_STATUS.enabled : CHANNEL_STATUS.disabled };
}

function shownNone({ none }: Replayed): Replayed["none"] {
  return none.slice(0, NONE_SHOWN).map((row) => ({ ...row, requests: Math.round(row.requests) }));
}

function rounded(sums: Routed = { requests: 0, revenue: 0, cost: 0, unknown: 0 }): Routed {
  const { requests, revenue, cost, unknown } = sums;
  return {
    requests: Math.round(requests),
    revenue: Math.round(revenue),
    cost: Math.round(cost),
    unknown: Math.round(unknown),
  };
}

type Row = Parameters<typeof readRouting>[0] & { status: number };

/** Without their keys. One with several keys, none of which is enabled, can send nothing. */
async function readChannels(sql: Sql): Promise<RoutingChannel[]> {
  const rows = await sql<Row[]>`
    select id, type, name, weight, priority, models, "group", model_mapping as "modelMapping", setting,
      case when status = 1 and exists (select 1 from channel_keys k where k.channel_id = channels.id)
        and not exists (select 1 from channel_keys k where k.channel_id = channels.id and k.status = 1)
        then 3 else status end as status
    from channels order by priority desc, id`;
  return rows.map((row) => ({ ...readRouting(row), status: row.status }));
}
