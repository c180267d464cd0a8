import type { PriceOptions } from "@/lib/billing/types";
import { servesType } from "@/lib/provider-catalogue";
import { chooseChannel } from "@/lib/relay/routing/plan";
import { deriveAbilities, type readRouting } from "@/lib/snapshot/build";
import { tiersFor } from "@/lib/snapshot/tiers-for";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";
import { costTraffic } from "../effect/charge-traffic";
import type { Traffic } from "../effect/types";

export type RoutingChannel = ReturnType<typeof readRouting> & { status: number };

export type Routed = {
  requests: number;
  /** Quota that was charged for them. */
  revenue: number;
  /** Of those whose cost is known. */
  cost: number;
  unknown: number;
};

export type Replayed = {
  channels: Map<number, Routed>;
  /** Requests that no channel would have been asked for. */
  none: { group: string; model: string; requests: number }[];
};

export type ReplayInput = {
  traffic: readonly Traffic[];
  channels: readonly RoutingChannel[];
  options: PriceOptions;
  passThrough: boolean;
  scaleOf: (model: string) => number;
  seed: number;
};

const NONE: ReadonlySet<number> = new Set();

/**
 * Sends logged requests to channels again, as the relay chooses for a first attempt with every circuit closed. The same seed
 * draws the same numbers, whatever the channels. Pure.
 */
export function replayRouting({ traffic, channels, options, passThrough, scaleOf, seed }: ReplayInput): Replayed {
  const abilities = deriveAbilities(channels.filter(({ type }) => servesType(type)));
  const byId = new Map<number, Routed>();
  const none = new Map<string, Replayed["none"][number]>();
  const random = seededRandom(seed);
  for (const row of traffic) {
    const { group, model } = row;
    const tiers = tiersFor(abilities.get(group), model);
    const drawn = new Map<RoutingChannel, number>();
    for (let i = 0; i < row.requests; i++) {
      // Drawn for each request whether it is needed or not, so that both replays stay in step.
      const number = random();
      const chosen = chooseChannel({
        tiers,
        attempt: 0,
        tried: NONE,
        isOpen: () => false,
        random: () => number,
      });
      if (chosen) drawn.set(chosen, (drawn.get(chosen) ?? 0) + 1);
    }
    const scale = scaleOf(model);
    if (drawn.size === 0) {
      const key = `${group}\n${model}`;
      const missed = none.get(key) ?? { group, model, requests: 0 };
      none.set(key, { ...missed, requests: missed.requests + row.requests * scale });
    }
    for (const [channel, count] of drawn) {
      const sums = byId.get(channel.id) ?? { requests: 0, revenue: 0, cost: 0, unknown: 0 };
      byId.set(channel.id, sums);
      const part = count / row.requests;
      sums.requests += count * scale;
      sums.revenue += row.charged * part * scale;
      const cost = costAt(row, channel, options, passThrough);
      if (cost === null) sums.unknown += count * scale;
      else sums.cost += cost * part * scale;
    }
  }
  return { channels: byId, none: [...none.values()].toSorted((one, other) => other.requests - one.requests) };
}

/** What the channel's upstream takes for all requests of a row; null = unknown. */
function costAt(row: Traffic, channel: RoutingChannel, options: PriceOptions, passThrough: boolean): number | null {
  const upstream = upstreamModelOf(row.model, channel, passThrough) ?? row.model;
  const names = upstream === row.model ? [row.model] : [upstream, row.model];
  return costTraffic(row, names, channel.setting.cost, options).cost;
}

/** mulberry32: numbers in [0, 1) that a seed decides. */
function seededRandom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
