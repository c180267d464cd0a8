import { type CostRow, costUsage, resolveCost } from "@/lib/billing/cost";
import { NO_QUOTA, type Quota, toQuota } from "@/lib/billing/quota";
import type { BilledUsage, CostSum, PriceOptions } from "@/lib/billing/types";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { TIMEOUT_STATUSES } from "../base/failure-cause";
import type { Attempt } from "../http/attempts";

/** One attempt, as far as its cost goes; `cause` says why it failed. */
type Tried = Pick<Attempt, "channel" | "model" | "outcome" | "status" | "used" | "cost" | "isCharged"> & {
  cause?: string;
};

export type CostedRequest = {
  model: string;
  options: PriceOptions;
  used: readonly SnapshotChannel[];
  /** The upstream's name of the model in the last attempt. */
  upstreamModel: string | undefined;
  /** All attempts; null = the first one delivered. */
  attempts: readonly Tried[] | null;
  /** What the last attempt delivered; null = it failed; "unknown" = the upstream had the request and delivered nothing. */
  delivered: BilledUsage | "unknown" | null;
  /** What the caller is charged for where that differs: less of it, or a continued answer with what came before; null = all of it. */
  billed: BilledUsage | null;
};

export type RequestCost = CostSum & {
  /** The price of the last attempt; null = unknown, or nothing was delivered. */
  row: CostRow | null;
};

const NOTHING: RequestCost = { quota: NO_QUOTA, unbilled: NO_QUOTA, unknown: 0, row: null };

/** Failures that upstreams do not bill: they did not get the request, or answered it with an error. */
export const FREE_CAUSES: ReadonlySet<string> = new Set([
  "key",
  "limit",
  "overload",
  "request",
  "dns",
  "tls",
  "connect",
  "setup",
  "timeout_connect",
]);

/**
 * What the upstreams should bill for all attempts of a request; writes into each attempt of a list what it cost. A failed
 * attempt costs nothing where the upstream said no, what it delivered where that is known, and an unknown amount otherwise.
 */
export function costRequest(request: CostedRequest): RequestCost {
  const { attempts, delivered } = request;
  if (attempts === null && delivered === null) return NOTHING;
  const { model } = request;
  const upstreamModel = request.upstreamModel ?? model;
  const at = attempts ? deliveringIndex(attempts) : -1;
  const channel = channelOf(request, attempts?.[at]);
  const row = delivered === null ? null : rowOf(request, channel, model, upstreamModel);
  const own = delivered === null || delivered === "unknown" || !row ? null : costIn(row, delivered);
  let failedCost = 0;
  let chargedCost = 0;
  let unknown = delivered !== null && own === null ? 1 : 0;
  if (attempts) {
    for (const [place, attempt] of attempts.entries()) {
      if (delivered !== null && place === at) continue;
      const cost = costOfFailed(request, attempt);
      attempt.cost = cost;
      if (cost === null) unknown += 1;
      else if (attempt.isCharged) chargedCost += cost;
      else failedCost += cost;
      delete attempt.used;
      delete attempt.isCharged;
    }
    const last = attempts[at];
    if (last && delivered !== null) {
      last.cost = own;
      delete last.used;
    }
  }
  const sum = failedCost + chargedCost + (own ?? 0);
  const billed = row && own !== null && request.billed ? Math.min(sum, costIn(row, request.billed) ?? sum) : own;
  const unbilled = Math.max(0, sum - chargedCost - (billed ?? 0));
  return { quota: sum === 0 && unknown > 0 ? null : toQuota(sum), unbilled: toQuota(unbilled), unknown, row };
}

/** Null = part of it has no price, so that the sum is not known. */
function costIn(row: CostRow, usage: BilledUsage): Quota | null {
  const { quota, unpriced } = costUsage(usage, row);
  return unpriced ? null : quota;
}

/** Attempts in which something reached the client, or would have. */
const DELIVERING = new Set<string>(["ok", "cut", "gone"]);

/** The attempt that the request is charged for: the last that delivered, whatever failed after it. */
export function deliveringIndex(attempts: readonly Pick<Attempt, "outcome">[]): number {
  const last = attempts.findLastIndex(({ outcome }) => DELIVERING.has(outcome));
  return last === -1 ? attempts.length - 1 : last;
}

function channelOf({ used }: CostedRequest, attempt: Tried | undefined): SnapshotChannel | undefined {
  return attempt ? used.findLast(({ id }) => id === attempt.channel) : used.at(-1);
}

/** Null = unknown. */
function costOfFailed(request: CostedRequest, attempt: Tried): number | null {
  const { used, cause, status, outcome } = attempt;
  if (attempt.cost !== undefined) return attempt.cost;
  if (used) {
    const channel = request.used.find(({ id }) => id === attempt.channel);
    const model = attempt.model ?? request.model;
    const row = rowOf(request, channel, model, channel?.modelMapping.get(model) ?? model);
    return row && costIn(row, used);
  }
  if (status !== undefined && TIMEOUT_STATUSES.has(status)) return null;
  const isFree = cause === undefined ? status !== undefined && outcome !== "timeout" : FREE_CAUSES.has(cause);
  return isFree ? 0 : null;
}

/** What the channel's upstream takes for a model. Null = unknown. */
export function costRowOf(
  channel: SnapshotChannel | undefined,
  model: string,
  upstreamModel: string,
  options: PriceOptions,
): CostRow | null {
  return rowOf({ options }, channel, model, upstreamModel);
}

/** A channel of a snapshot never changes, nor do the prices beside it. */
const rowsByChannel = new WeakMap<SnapshotChannel, Map<string, CostRow | null>>();

function rowOf(
  { options }: Pick<CostedRequest, "options">,
  channel: SnapshotChannel | undefined,
  model: string,
  upstreamModel: string,
): CostRow | null {
  if (!channel) return null;
  const key = upstreamModel === model ? model : `${upstreamModel}\n${model}`;
  let rows = rowsByChannel.get(channel);
  if (!rows) {
    rows = new Map();
    rowsByChannel.set(channel, rows);
  }
  const known = rows.get(key);
  if (known !== undefined) return known;
  const row = resolveCost(upstreamModel === model ? [model] : [upstreamModel, model], channel.setting.cost, options);
  rows.set(key, row);
  return row;
}

/** The price behind a cost, for the log row's details; null = the list price of the model that was asked for. */
export function describeCostRow(row: CostRow, model: string): Record<string, unknown> | null {
  const { factor, price } = row;
  if (factor === 1 && row.model === model) return null;
  return {
    model: row.model,
    ...(factor === null ? {} : { factor }),
    model_ratio: price.modelRatio,
    ...(price.promptRatio === undefined ? {} : { prompt_ratio: price.promptRatio }),
    completion_ratio: price.completionRatio,
    cache_ratio: price.cacheRatio,
    ...(price.modelPrice === null ? {} : { model_price: price.modelPrice }),
    ...(price.meterPrices === undefined ? {} : { meter_prices: price.meterPrices }),
  };
}
