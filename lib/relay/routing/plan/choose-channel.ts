export type Candidate = { readonly id: number; readonly weight: number };

export type Choice<Channel extends Candidate> = {
  /** Highest priority first. */
  tiers: readonly (readonly Channel[])[];
  /** Starts at 0. */
  attempt: number;
  tried: ReadonlySet<number>;
  /** Whether the circuit of a channel is open. */
  isOpen: (channelId: number) => boolean;
  /** Returns a number in [0, 1). */
  random: () => number;
  /** Asked before the weights, about channels of one tier that may be asked; null = by weight. */
  prefer?: ((channels: readonly Channel[]) => Channel | null) | null | undefined;
};

/** Added to every weight, so that weight 0 still gets some traffic. */
const WEIGHT_BASE = 10;

/** A channel's part of its tier's traffic, in proportion to the others. */
export function shareOf({ weight }: Pick<Candidate, "weight">): number {
  return weight + WEIGHT_BASE;
}

/** Attempt n starts at the n-th tier, then goes to lower ones, then to higher ones. */
export function tiersFrom<Tier>(tiers: readonly Tier[], attempt: number): Tier[] {
  const first = Math.min(attempt, tiers.length - 1);
  return [...tiers.slice(first), ...tiers.slice(0, first).reverse()];
}

/**
 * Picks the channel for an attempt, in the order of `tiersFrom`, by preference or weight. Channels with an open circuit
 * are used only when no other untried channel is left in any tier. Null when all were tried; retry-plan.ts says which may be asked again. Pure.
 */
export function chooseChannel<Channel extends Candidate>(choice: Choice<Channel>): Channel | null {
  const { tiers, attempt, tried, isOpen, random, prefer } = choice;
  if (tiers.length === 0) return null;
  const only = tiers.length === 1 ? tiers[0] : undefined;
  // Fast path for the most common case: one channel, first attempt.
  if (only?.length === 1 && tried.size === 0) return only[0] ?? null;
  const order = tiersFrom(tiers, attempt);
  for (const tier of order) {
    const open = tier.filter((channel) => !tried.has(channel.id) && !isOpen(channel.id));
    const picked = (open.length > 1 && prefer?.(open)) || pickByWeight(open, random);
    if (picked) return picked;
  }
  for (const tier of order) {
    const picked = pickByWeight(
      tier.filter((channel) => !tried.has(channel.id)),
      random,
    );
    if (picked) return picked;
  }
  return null;
}

function pickByWeight<Channel extends Candidate>(channels: readonly Channel[], random: () => number): Channel | null {
  const total = channels.reduce((sum, channel) => sum + shareOf(channel), 0);
  let at = random() * total;
  for (const channel of channels) {
    at -= shareOf(channel);
    if (at < 0) return channel;
  }
  return channels.at(-1) ?? null;
}
