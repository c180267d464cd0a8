import type { BilledUsage } from "@/lib/billing/types";
import { type Candidate, shareOf } from "../plan/choose-channel";
import type { Identity, IdentitySource } from "./identity";
import type { Load } from "./load";
import type { WarmPlace, WarmPlaces } from "./warm-places";

/** What all requests of a process know. */
export type Known = { places: WarmPlaces; channels: Load; keys: Load; now: () => number };

/** How a conversation fared: `isHit` = the channel and key that answered it last were asked first, and answered. */
export type Kept = {
  by: IdentitySource;
  isHit: boolean;
  /** How likely weights and turns alone had led to the same channel and key. */
  chance: number;
};

/** A conversation's lot is drawn anew after so many times as long as its cache is warm. */
const DRAWN_FOR = 12;

/** `report`: null or absent = nothing of an answer arrived. */
type DeliveryOutcome = { outcome: string; report?: object | null };

const sameShare = (): number => 1;

/**
 * Where one request of a conversation would be served best: at the channel and key whose cache is warm, else where its
 * lot falls, so that all processes agree. It chooses only among what it is offered, for a first attempt.
 */
export class Preference {
  private readonly known: Known;
  private readonly identity: Identity;
  private readonly warm: WarmPlace | null;
  private readonly isWorth: boolean;
  private readonly lot: number;
  /** What it chose last, and how likely that was by weight. */
  private chosenId = 0;
  private chance = 1;
  private keyChance = 1;
  /** Whom the request asks now; 0 = nobody, or a channel's only key. */
  private channelId = 0;
  private keyId = 0;
  private isFirst = true;

  /** `isDiscounted`: cached tokens cost less. Otherwise only an upstream that said it has cached something is preferred. */
  constructor(known: Known, identity: Identity, warmMs: number, isDiscounted: boolean) {
    this.known = known;
    this.identity = identity;
    const now = known.now();
    this.warm = known.places.find(identity.key, now, warmMs);
    this.isWorth = isDiscounted;
    this.lot = lotAt(identity.lot, now, warmMs * DRAWN_FOR);
  }

  /** Null = by weight. */
  readonly choose = <Channel extends Candidate>(channels: readonly Channel[]): Channel | null => {
    const { warm, known } = this;
    const free = known.channels.withRoom(channels, shareOf);
    const kept = warm && this.prefersWarm ? free.find(({ id }) => id === warm.channelId) : undefined;
    const chosen = kept ?? (this.isWorth ? draw(free, this.lot, shareOf) : null);
    this.chosenId = chosen?.id ?? 0;
    this.chance = chosen ? shareOf(chosen) / channels.reduce((sum, channel) => sum + shareOf(channel), 0) : 1;
    return chosen;
  };

  /** One of a channel's keys that work; null = whose turn it is. */
  chooseKey<Key extends { readonly id: number }>(channelId: number, keys: readonly Key[]): Key | null {
    const { warm, known } = this;
    const free = known.keys.withRoom(keys, sameShare);
    const isWarm = warm !== null && this.prefersWarm && warm.channelId === channelId;
    const kept = isWarm ? free.find(({ id }) => id === warm.keyId) : undefined;
    const chosen = kept ?? (this.isWorth ? draw(free, this.lot, sameShare) : null);
    if (chosen) this.keyChance = 1 / keys.length;
    return chosen;
  }

  private get prefersWarm(): boolean {
    return this.isWorth || this.warm?.hasCached === true;
  }

  /** The request asks this channel now. */
  asks(channelId: number, keyId: number, isFirst: boolean): void {
    this.leave();
    this.channelId = channelId;
    this.keyId = keyId;
    this.isFirst = isFirst;
    this.known.channels.enter(channelId);
    if (keyId !== 0) this.known.keys.enter(keyId);
  }

  /** The request is over, or its model is given up. */
  leave(): void {
    const { channelId, keyId, known } = this;
    if (channelId === 0) return;
    known.channels.leave(channelId);
    if (keyId !== 0) known.keys.leave(keyId);
    this.channelId = 0;
  }

  /**
   * What answered has the prompt in its cache now, as far as it has one; what broke off is not preferred again. Call it
   * before `leave`.
   */
  ended(delivery: DeliveryOutcome, { cachedTokens }: Pick<BilledUsage, "cachedTokens">): void {
    const { channelId, keyId, known, identity } = this;
    if (delivery.outcome === "cut") known.places.forget(identity.key);
    else if (delivery.report && channelId !== 0) {
      known.places.remember(identity.key, { channelId, keyId, at: known.now(), hasCached: cachedTokens > 0 });
    }
  }

  /** Null = no warm cache was known, or there was nothing to choose. Call it before `leave`. */
  kept(): Kept | null {
    const { warm, channelId, keyId, chosenId, identity } = this;
    if (!warm || channelId === 0 || !this.prefersWarm) return null;
    const chance = (channelId === chosenId ? this.chance : 1) * this.keyChance;
    const isHit = this.isFirst && channelId === warm.channelId && keyId === warm.keyId;
    return isHit && chance === 1 ? null : { by: identity.by, isHit, chance };
  }
}

/** How many values a 32-bit hash has. */
const HASHES = 2 ** 32;
const GOLDEN = 0x9e3779b1;

/**
 * Draws a candidate in proportion to its share (weighted rendezvous hashing). The same lot draws the same candidate in
 * every process; where one is missing, only the lots that would have drawn it draw another. Null = no candidates. Pure.
 */
function draw<Candidate extends { readonly id: number }>(
  candidates: readonly Candidate[],
  lot: number,
  shareOf: (candidate: Candidate) => number,
): Candidate | null {
  let drawn: Candidate | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const at = (scramble(lot + Math.imul(candidate.id, GOLDEN)) + 0.5) / HASHES;
    const time = -Math.log(at) / shareOf(candidate);
    if (time >= least) continue;
    least = time;
    drawn = candidate;
  }
  return drawn;
}

/** The lot of a conversation at a time: another one every `periodMs`, not for all conversations at once. */
export function lotAt(lot: number, now: number, periodMs: number): number {
  return scramble(lot + Math.imul(Math.floor(now / periodMs + lot / HASHES), GOLDEN));
}

/** Spreads 32 bits: each bit of the result depends on all bits of the value. */
function scramble(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
