import type { CostTerms } from "@/lib/billing/cost";
import { chargeTraffic, costTraffic, priceFinder } from "./charge-traffic";
import type { ChannelShift, NamedShift, Reckoned, Shift, Terms, Traffic, Unpriced } from "./types";

export type KnownChannel = { name: string; cost: CostTerms };

export type EffectInput = {
  traffic: readonly Traffic[];
  before: Terms;
  after: Terms;
  /** By id; those that are deleted are missing. */
  channels: ReadonlyMap<number, KnownChannel>;
  /** Names of users by id; those that are deleted are missing. */
  users: ReadonlyMap<number, string>;
  /** How many requests of a model each one that was read stands for. */
  scaleOf: (model: string) => number;
};

const USERS_SHOWN = 10;
const MODELS_SHOWN = 100;

/** The same traffic at two sets of prices. Pure. */
export function reckonEffect(input: EffectInput): Reckoned {
  const books = new Books(input);
  for (const traffic of input.traffic) books.add(traffic);
  return books.close();
}

/** Sums in quota, not rounded before the end. */
class Books {
  private readonly total = newShift();
  private charged = 0;
  private readonly models = new Map<string, Shift>();
  private readonly groups = new Map<string, Shift & { ratioBefore: number | null; ratioAfter: number | null }>();
  private readonly users = new Map<number, Shift & { username: string }>();
  private readonly channels = new Map<number, Omit<ChannelShift, "id" | "name" | "isDeleted">>();
  private readonly unpriced = new Map<string, Unpriced>();
  private readonly input: EffectInput;
  private readonly priceBefore;
  private readonly priceAfter;

  constructor(input: EffectInput) {
    this.input = input;
    this.priceBefore = priceFinder(input.before.options);
    this.priceAfter = priceFinder(input.after.options);
  }

  add(traffic: Traffic): void {
    const { before, after, scaleOf } = this.input;
    const { model, group } = traffic;
    const scale = scaleOf(model);
    const [ratioBefore, ratioAfter] = [before.ratioOf(traffic), after.ratioOf(traffic)];
    const [rowBefore, rowAfter] = [this.priceBefore(model, ratioBefore), this.priceAfter(model, ratioAfter)];
    const was = rowBefore && chargeTraffic(traffic, rowBefore);
    const will = rowAfter && chargeTraffic(traffic, rowAfter);
    if (was === null || will === null) {
      this.addUnpriced(traffic, scale, was, will);
      return;
    }
    const shift = { requests: traffic.requests * scale, before: was * scale, after: will * scale };
    this.charged += traffic.charged * scale;
    addTo(this.total, shift);
    addTo(take(this.models, model, newShift), shift);
    const ofGroup = take(this.groups, group, () => ({ ...newShift(), ratioBefore, ratioAfter }));
    // Of batches, and of prices at the ratios of their time, a group has several.
    if (ofGroup.ratioBefore !== ratioBefore) ofGroup.ratioBefore = null;
    if (ofGroup.ratioAfter !== ratioAfter) ofGroup.ratioAfter = null;
    addTo(ofGroup, shift);
    addTo(
      take(this.users, traffic.userId, () => ({ ...newShift(), username: traffic.username })),
      shift,
    );
    this.addToChannel(traffic, shift, scale);
  }

  private addUnpriced(traffic: Traffic, scale: number, was: number | null, will: number | null): void {
    const { model, requests, charged } = traffic;
    const when = was === null ? (will === null ? "both" : "before") : "after";
    const row = take(this.unpriced, `${when}\n${model}`, () => ({ model, requests: 0, charged: 0, when }));
    row.requests += requests * scale;
    row.charged += charged * scale;
  }

  private addToChannel(traffic: Traffic, shift: Shift, scale: number): void {
    const { before, after, channels } = this.input;
    const row = take(this.channels, traffic.channelId, () => ({ ...newShift(), ...NO_CHANNEL_COST }));
    addTo(row, shift);
    const { upstreamModel, model, channelId } = traffic;
    const names = upstreamModel === null ? [model] : [upstreamModel, model];
    const terms = channels.get(channelId)?.cost;
    const was = terms && costTraffic(traffic, names, terms, before.options);
    const will = terms && costTraffic(traffic, names, terms, after.options);
    if (!was || !will || was.cost === null || will.cost === null) {
      row.unknown += shift.requests;
      return;
    }
    row.costBefore += was.cost * scale;
    row.costAfter += will.cost * scale;
    row.followsPrices ||= will.followsPrices;
  }

  close(): Reckoned {
    const affected = [...this.users].filter(([, { before, after }]) => Math.round(before) !== Math.round(after));
    const users = affected.map(([id, { username, ...shift }]): NamedShift => {
      const name = this.input.users.get(id);
      return { id, name: name ?? username, isDeleted: name === undefined, ...rounded(shift) };
    });
    const channels = [...this.channels].map(([id, { followsPrices, ...sums }]): ChannelShift => {
      const name = this.input.channels.get(id)?.name;
      return { id, name: name ?? "", isDeleted: name === undefined, followsPrices, ...rounded(sums) };
    });
    return {
      ...rounded(this.total),
      charged: Math.round(this.charged),
      models: [...this.models]
        .map(([model, shift]) => ({ model, ...rounded(shift) }))
        .toSorted(byDifference)
        .slice(0, MODELS_SHOWN),
      groups: [...this.groups].map(([group, { ratioBefore, ratioAfter, ...shift }]) => {
        return { group, ratioBefore, ratioAfter, ...rounded(shift) };
      }),
      usersAffected: affected.length,
      users: users.toSorted(byDifference).slice(0, USERS_SHOWN),
      channels: channels.toSorted((one, other) => other.before - one.before || one.id - other.id),
      unpriced: [...this.unpriced.values()]
        .map((row) => ({ ...row, requests: Math.round(row.requests), charged: Math.round(row.charged) }))
        .toSorted((one, other) => other.charged - one.charged || other.requests - one.requests),
    };
  }
}

const NO_CHANNEL_COST = { costBefore: 0, costAfter: 0, unknown: 0, followsPrices: false };

const newShift = (): Shift => ({ requests: 0, before: 0, after: 0 });

function addTo(sum: Shift, { requests, before, after }: Shift): void {
  sum.requests += requests;
  sum.before += before;
  sum.after += after;
}

function take<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

function rounded<Sums extends Record<string, number>>(sums: Sums): Sums {
  return Object.fromEntries(Object.entries(sums).map(([key, value]) => [key, Math.round(value)])) as Sums;
}

function byDifference(one: Shift, other: Shift): number {
  return Math.abs(other.after - other.before) - Math.abs(one.after - one.before) || other.before - one.before;
}
