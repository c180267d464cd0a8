import type { SnapshotChannel, Tier } from "@/lib/snapshot/store";
import { passOnce } from "../../http/attempt/ask-once";
import type { AttemptEnd } from "../../http/attempt/attempt-end";
import type { TimeLimits } from "../../http/attempt/time-limits";
import type { Exchange } from "../../http/exchange";
import type { Pools } from "../../net/pools";
import type { UpstreamDrains } from "../../net/upstream-drains";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
import { openCircuits } from "../../routing/attempt-circuit";
import type { Circuits } from "../../routing/circuits";
import type { KeyRotation } from "../../routing/key-rotation";
import { chooseChannel } from "../../routing/plan/choose-channel";
import type { CountRequest } from "./count-request";

export type CountUpstreams = {
  pools: Pools;
  circuits: Circuits;
  keyRotation: KeyRotation;
  drains: UpstreamDrains;
  random: () => number;
};

export type Asking = {
  exchange: Exchange;
  request: CountRequest;
  tiers: readonly Tier[];
  passThrough: boolean;
  options: UpstreamOptions;
};

const ATTEMPTS_MAX = 2;
const WAIT_MS = 10_000;
/** A count is waited for no longer than this, because it can be estimated here. */
const LIMITS: TimeLimits = {
  connect: WAIT_MS / 2,
  firstByte: WAIT_MS,
  firstByteWhole: WAIT_MS,
  firstToken: WAIT_MS,
  alone: WAIT_MS,
  idle: WAIT_MS,
  whole: WAIT_MS,
  stream: WAIT_MS,
};

/**
 * Asks the upstreams that speak the caller's dialect. Null = none of them answered. What fails here says nothing of
 * conversations: it opens no circuit, rests no key and switches nothing off.
 */
export async function askUpstream(asking: Asking, by: CountUpstreams): Promise<Buffer | "gone" | null> {
  const tiers = countingTiers(asking, by.circuits);
  const tried = new Set<number>();
  const begunAt = performance.now();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const channel = chooseChannel<SnapshotChannel>({ tiers, attempt, tried, isOpen: () => false, random: by.random });
    if (!channel) return null;
    tried.add(channel.id);
    const end = await askChannel(asking, by, channel, begunAt);
    if (end.kind === "gone") return "gone";
    if (end.kind === "answered") return end.answer.ending();
  }
  return null;
}

/** Channels that can count, and whose own limits are not used up by it. */
function countingTiers({ request, tiers, passThrough }: Asking, circuits: Circuits): SnapshotChannel[][] {
  const isOpen = openCircuits({ circuits, route: { tiers }, passThrough, intake: request });
  return tiers
    .map((tier) => tier.filter((channel) => request.isCountedBy(channel) && !channel.limits && !isOpen(channel.id)))
    .filter((tier) => tier.length > 0);
}

/** A channel whose settings are not valid fails like one that refuses; conversations report that. */
function askChannel(
  { exchange, request, passThrough, options }: Asking,
  { keyRotation, pools, drains, random }: CountUpstreams,
  channel: SnapshotChannel,
  begunAt: number,
): Promise<AttemptEnd> {
  const key = keyRotation.next(channel, random)?.key ?? channel.key;
  const question = { sendable: request, channel, key, terms: { passThrough, cap: null, options } };
  return passOnce(question, {
    pools,
    exchange,
    drains,
    begunAt,
    isStream: false,
    limits: LIMITS,
    hasOther: () => true,
  });
}
