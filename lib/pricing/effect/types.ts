import type { BilledUsage, PriceOptions } from "@/lib/billing/types";
import type { WholePrice } from "../sync/compare-prices";

/** Logged requests that differ in nothing that decides a price but their tokens. */
export type Traffic = {
  userId: number;
  username: string;
  channelId: number;
  model: string;
  /** Null = the channel's upstream was asked for the same name. */
  upstreamModel: string | null;
  group: string;
  /** As it was charged; null = the log row does not say. */
  groupRatio: number | null;
  /** Part of `groupRatio` for requests in batches; null = no batch. */
  batchRatio: number | null;
  requests: number;
  /** Quota that was charged. */
  charged: number;
  /** Of all requests together, or of each where `isEach`. */
  usage: BilledUsage;
  /** The usage has meters, which are not linear, and is that of each of the requests. */
  isEach: boolean;
};

/** What decides the charge of a logged request. */
export type Terms = { options: PriceOptions; ratioOf: (traffic: Traffic) => number };

/** Sums in quota. */
export type Shift = { requests: number; before: number; after: number };

/** What is deleted has the name that the log has of it; "" = none. */
export type NamedShift = Shift & { id: number; name: string; isDeleted: boolean };

export type ChannelShift = NamedShift & {
  /** What the channel's upstream takes for the same requests; of those whose cost is known. */
  costBefore: number;
  costAfter: number;
  /** Requests whose cost is not known. */
  unknown: number;
  /** Its cost is a factor of the list price and moves with it. */
  followsPrices: boolean;
};

/** Traffic that has no price, before or after. It is in no sum. */
export type Unpriced = { model: string; requests: number; charged: number; when: "before" | "after" | "both" };

export type Reckoned = Shift & {
  charged: number;
  models: (Shift & { model: string })[];
  groups: (Shift & { group: string; ratioBefore: number | null; ratioAfter: number | null })[];
  /** Users whose sum differs; all of them are counted. */
  usersAffected: number;
  users: NamedShift[];
  channels: ChannelShift[];
  unpriced: Unpriced[];
};

/** What was read of the log. */
export type Coverage = {
  /** Unix seconds. */
  since: number;
  until: number;
  /** Requests of these models in the books. */
  requests: number;
  /** Requests that were read of the log. */
  read: number;
  /** One of that many requests was read, and the sums are scaled to all; 1 = all were read. */
  oneOf: number;
};

export type PriceDifference = {
  model: string;
  before: WholePrice | null;
  /** Null = the model would have no price and be refused. */
  after: WholePrice | null;
  isServed: boolean;
};

export type PriceEffect = {
  differences: PriceDifference[];
  /** Differences that are not listed. */
  more: number;
  /** All groups with their ratios, for prices by group; null = there is no such group, and its users pay at 1. */
  groups: { name: string; before: number | null; after: number | null }[];
  /** What requests in batches cost, times their usual price; null = that does not change. */
  batch: { before: number; after: number } | null;
  coverage: Coverage | null;
  /** Null = the traffic was too much to be priced in time. */
  reckoned: Reckoned | null;
};
